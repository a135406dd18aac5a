"""A source: a system that memories may come from, how it is recognised, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Found


def _nothing(files: SourceFiles) -> bool:  # noqa: ARG001
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A system that memories may come from.

    ``name`` is what it is called in commands, ``title`` what people call it, ``takes`` what it keeps that is
    read here, in a few words for the help. ``recognise`` looks at names and first bytes. ``read`` yields the
    records of files, in an order in which words come before what rests on them, and tells the account what
    it does not take. ``connect`` does so with a server, by its URL, of one of ``schemes``.
    """

    name: str
    title: str
    takes: str
    recognise: Callable[[SourceFiles], bool] = _nothing
    read: Callable[[SourceFiles, Account], Iterator[Found]] | None = None
    schemes: tuple[str, ...] = ()
    connect: Callable[[str, Account], Iterator[Found]] | None = None
