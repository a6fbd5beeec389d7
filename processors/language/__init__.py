"""Numbers, times and sentences of English and Chinese text."""
