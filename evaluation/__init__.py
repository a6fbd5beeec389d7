"""Evaluations that run on a checkout; never installed."""
