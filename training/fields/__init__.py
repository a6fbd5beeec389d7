"""Trains the tagger of fields (`inference/reader/field_tagger.py`) on the talks with marks and the labelled turns."""
