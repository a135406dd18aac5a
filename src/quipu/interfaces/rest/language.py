"""Requests that may ask for a language model, where a server may have none."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from quipu.errors import BadInput, ConfigError, MissingExtra


@contextmanager
def language(field: str) -> Generator[None]:
    """Report a language model that the block asks for and this server lacks as a wrong ``field``.

    Raises:
        BadInput: there is none here.
    """
    try:
        yield
    except (ConfigError, MissingExtra) as error:
        raise BadInput("no language model is set up here.", field=field, hint="Ask for `rules`.") from error
