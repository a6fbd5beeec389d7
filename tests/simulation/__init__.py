"""The whole stream in one thread: virtual time, one random source, and every fault drawn from a seed."""
