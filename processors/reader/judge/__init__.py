"""A judge of statements: would a reader call this memory good?"""
