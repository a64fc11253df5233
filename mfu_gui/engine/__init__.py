"""Exact counting: model shapes in, integers out.  No Qt, no numpy, no files, no clock."""
