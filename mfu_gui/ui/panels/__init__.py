"""The input panels at the left, made from the table of fields."""
