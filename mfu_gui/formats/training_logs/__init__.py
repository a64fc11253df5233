"""Training logs: what a run printed about its speed, read as one normal form.

``reading.read_log`` is the way in: it finds the format, reads step by step, and settles units and scopes.
"""
