"""Clients of Kafka that every part shares. Imports schemas and nothing else of ours."""
