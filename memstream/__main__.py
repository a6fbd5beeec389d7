"""`python -m memstream`."""

from memstream.cli.app import main

main()
