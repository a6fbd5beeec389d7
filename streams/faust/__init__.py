"""Faust: the consumer group of a step, and nothing else."""
