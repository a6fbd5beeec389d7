"""The PII gate: policy applied to recognised spans, and its measurement (D5, N7)."""
