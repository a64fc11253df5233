"""Reports that people send: one document, and a small renderer for each kind of file."""
