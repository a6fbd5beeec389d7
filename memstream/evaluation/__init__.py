"""`memstream eval NAME FILE`: the gates and retrieval, measured on files of public shape."""
