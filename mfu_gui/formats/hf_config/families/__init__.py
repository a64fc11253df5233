"""One module per family of model types; each has ``READERS``, its table of model types."""
