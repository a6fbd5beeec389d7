"""`python -m memstream`."""

from memstream.cli import main

main()
