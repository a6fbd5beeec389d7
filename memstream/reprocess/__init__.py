"""Views made anew from the log, beside those that are read (N1)."""
