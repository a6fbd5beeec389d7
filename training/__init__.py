"""Trains the gate before the rules (`make train`): which turns hold nothing to keep. Needs the extra `training`."""
