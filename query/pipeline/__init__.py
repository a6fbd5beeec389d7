"""What the pipeline is doing: lag of every stage and sink, freshness of every store, and whether that is well."""
