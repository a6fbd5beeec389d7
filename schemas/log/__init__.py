"""The log: topics, owners and partitions, the codec, progress and dead letters."""
