"""Processes of a running memstream: steps, sinks, jobs, timer and service."""
