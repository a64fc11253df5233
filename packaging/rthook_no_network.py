"""Runs in the frozen program before anything else of it.

pyqtgraph imports its helpers for plots in other processes, and with them the socket module, although the
program never uses one. They are not shipped; an empty module stands where the import looks for them.
"""

import sys
import types

sys.modules["pyqtgraph.multiprocess"] = types.ModuleType("pyqtgraph.multiprocess")
