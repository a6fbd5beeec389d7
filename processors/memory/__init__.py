"""The gate: what becomes memory, and why. Reads the ledger and nothing else."""
