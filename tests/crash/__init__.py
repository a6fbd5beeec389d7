"""The crash test (N2): nothing lost, nothing doubled, whatever is killed."""
