"""The window.  The only package that imports Qt; start it by ``mfu_gui.ui.app.run``."""

from mfu_gui.ui import features, overrides

features.ignore()
overrides.install()
