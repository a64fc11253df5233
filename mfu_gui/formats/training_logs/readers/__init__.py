"""The formats, one small module each."""
