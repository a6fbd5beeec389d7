"""The screen step: personal data is taken out before anything else sees a turn."""
