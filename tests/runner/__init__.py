"""What `make test` and `make verify` run: parts, groups, a second try, results (CONTRIBUTING.md, "Two commands")."""
