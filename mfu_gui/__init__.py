"""MFU Calculator: how well does a training run use its hardware, why, and what would change it?"""

__version__ = "0.1.0"

# The name by which desktops know the program: of its menu entry, its icon, its file type and its window.
APP_ID = "io.github.mfu_calculator.MfuCalculator"
