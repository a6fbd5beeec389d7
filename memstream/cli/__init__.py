"""The command line: a module a group of commands, `app` puts them together."""


def main() -> None:
    """Runs the `memstream` command; its parts are loaded only then."""
    from memstream.cli.app import main as run

    run()
