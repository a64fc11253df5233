"""MFU Calculator: how well does a training run use its hardware, why, and what would change it?"""

__version__ = "0.1.0"
