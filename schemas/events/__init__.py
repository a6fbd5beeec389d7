"""Events of every topic, as frozen pydantic models."""
