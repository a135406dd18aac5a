"""Addresses at which a server may listen, and the names by which it may be called."""

from __future__ import annotations

import ipaddress
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

from quipu.errors import BadInput, ConfigError
from quipu.interfaces.serving.limits import Limits

_LOCAL_NAMES: Final = ("localhost", "ip6-localhost")


def is_loopback(host: str) -> bool:
    """Return True if only programs of the same machine reach this address."""
    if host.lower() in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def check(host: str, *, keys: int) -> None:
    """Raise unless a server may listen there; ``keys`` is the number of API keys that open anything.

    Raises:
        ConfigError: other machines would reach it, and there is no key.
    """
    if not is_loopback(host) and keys == 0:
        raise ConfigError(
            f"Other machines reach {host}, and no API key was made yet.",
            hint="Make one first (`quipu keys create NAME --all-spaces --level admin`), or leave --host out.",
        )


def terms_for(host: str, public_url: str | None, terms: Limits) -> Limits:
    """Return the terms of a server here; ``public_url`` is its address behind a proxy, if any.

    Raises:
        BadInput: that is no address of a web server.
    """
    if public_url is None:
        return terms if is_loopback(host) else replace(terms, hosts=frozenset())
    scheme, name = _read(public_url)
    return replace(terms, hosts=terms.hosts | {name}, secure_cookies=scheme == "https")


def _read(url: str) -> tuple[str, str]:
    """Return scheme and name of the host."""
    try:
        parts = urlsplit(url)
        scheme, name = parts.scheme, parts.hostname or ""
    except ValueError:
        scheme, name = "", ""
    if not name or scheme not in ("http", "https"):
        raise BadInput("it looks like https://memory.example.org.", field="public-url")
    return scheme, f"[{name}]" if ":" in name else name
