"""The state of steps: one transaction with outputs and offset."""
