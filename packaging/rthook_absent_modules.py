"""Runs in the frozen program before anything else of it.

When it is imported, pyqtgraph also imports its helpers for plots in other processes (and with them the socket
module) and Python's help system, a web server included. The program uses neither and ships neither; empty
modules stand where these imports look for them.
"""

import sys
import types

for name in ("pyqtgraph.multiprocess", "pydoc"):
    sys.modules[name] = types.ModuleType(name)
