"""Whether what is sent to an address can be read on the way."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

_INSIDE = (".local", ".internal", ".svc", ".svc.cluster.local", ".lan", ".home.arpa", ".localhost")
"""Ends of names that no public name server knows."""


def public_and_plain(url: str) -> bool:
    """Whether an address is plain http to a host beyond this machine, its network and its cluster."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return True
    if parts.scheme != "http":
        return False
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith(_INSIDE)
