"""Habits: usual times and values, mined from turns."""
