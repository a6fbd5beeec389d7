"""What the embedded stack raises: each message says what to do next."""


class StackError(Exception):
    """The stack cannot start or go on; the text names the remedy."""


class NoStackError(StackError):
    """No stack gives the addresses that are asked for."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}: {remedy}")
        self.what = what
        self.remedy = remedy


class AlreadyRunningError(StackError):
    """Another supervisor holds the data folder."""


class StartError(StackError):
    """A child never became ready; carries the end of its log."""

    def __init__(self, name: str, reason: str, log_tail: str = "") -> None:
        detail = f"\n--- end of its log ---\n{log_tail}" if log_tail else ""
        super().__init__(f"{name} did not start: {reason}{detail}")
        self.name = name
        self.reason = reason
