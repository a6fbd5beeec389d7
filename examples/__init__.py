"""Programs to start from; tests/integration/scenarios/clients/test_examples.py runs them."""
