"""The parts of `packaging/dev.py`.

Everything but `texts.py` runs before anything is installed: standard library only, and in the grammar of
Python 3.8, so that an old interpreter can say which one is wanted instead of failing on a line of syntax.
"""
