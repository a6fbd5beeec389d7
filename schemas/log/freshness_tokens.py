"""The newest freshness tokens of a client (N3): a read waits for what this client has written."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from schemas.log.progress import FreshnessToken

USERS = 4_096
"""Users whose own token is remembered; the read of another waits for the client's newest writes of all users."""


class Tokens:
    """A token a user, so that a read about one user does not wait for another's writes; and one for the rest."""

    def __init__(self, users: int = USERS) -> None:
        self._users = users
        self._of: OrderedDict[str, FreshnessToken] = OrderedDict()
        self._newest: FreshnessToken | None = None
        self._shared: FreshnessToken | None = None
        self._forgot = False

    def note(self, token: str, users: Iterable[str] = ()) -> None:
        """Remember what a write returned; one without users (a document, a project's value) is everybody's. Raises
        ValueError for what is no token."""
        new = FreshnessToken.parse(token)
        self._newest = _merged(self._newest, new)
        named = tuple(users)
        if not named:
            self._shared = _merged(self._shared, new)
        for user in named:
            self._of[user] = _merged(self._of.pop(user, None), new)
            if len(self._of) > self._users:
                self._of.popitem(last=False)
                self._forgot = True

    def of(self, user: str | None) -> str:
        """What a read about a user (None: about anything else) waits for; empty where nothing was written."""
        if user is None or (self._forgot and user not in self._of):
            found = self._newest
        else:
            found = self._of.get(user)
            if self._shared is not None:
                found = _merged(found, self._shared)
        return "" if found is None else str(found)


def _merged(old: FreshnessToken | None, new: FreshnessToken) -> FreshnessToken:
    return new if old is None else old.merged(new)
