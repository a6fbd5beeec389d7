"""Programs to start from; tests/integration/clients/test_examples.py runs them."""
