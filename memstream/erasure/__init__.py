"""What follows an erasure through the stores, removes it from kept topics, and signs what was done (C9, N6)."""
