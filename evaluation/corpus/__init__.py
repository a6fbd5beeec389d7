"""The corpus of labelled turns (corpus/ of the project): its types, its checks, and what stands in it."""
