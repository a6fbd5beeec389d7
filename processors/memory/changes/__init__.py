"""What a statement changes of what stands, where no field says it (docs/decisions/2026-11-29-what-changed.md)."""
