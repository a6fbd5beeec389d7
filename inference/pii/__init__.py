"""Recognisers of personal data and secrets, English and Chinese (D5), one module a family."""
