"""From a question to confirmed hits: scopes held in memory for ranking, candidates from Milvus for large ones."""
