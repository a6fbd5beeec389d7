"""The Milvus sink."""
