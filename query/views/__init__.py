"""What the service reads from the stores."""
