"""Estimates for runs that have not happened: memory, time, money, energy, failures, serving.

Unlike the engine, which counts, this package models.  Every result is a ``Figure`` that says whether it
is exact, a model or an assumption, which formula gave it with which numbers, and how far that formula
has been off where somebody measured.  No clock and no files: dates come from the caller.
"""
