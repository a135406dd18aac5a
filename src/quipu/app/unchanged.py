"""Parts of a preview that must be the same when it is confirmed: a function for each shape of answer."""

from __future__ import annotations

from typing import Any


def ids(done: Any) -> list[str]:
    """Return the ids of memories."""
    return sorted(one.id for one in done.memories)


def lesson_ids(done: Any) -> list[str]:
    """Return the ids of lessons."""
    return sorted(one.id for one in done.lessons)


def outputs(done: Any) -> list[list[object]]:
    """Return the outputs of each tool."""
    return [[one.tool, one.results, one.bytes_before] for one in done.tools]


def deleted(done: Any) -> list[str]:
    """Return the names of what is deleted."""
    return sorted(done.deleted)


def file(done: Any) -> list[str]:
    """Return the name and the digest of a file."""
    return [done.name, done.sha256]


def change(done: Any) -> list[object]:
    """Return the rows before and after."""
    return [done.source, dict(done.before), dict(done.after)]


def table_names(done: Any) -> list[str]:
    """Return the names of tables."""
    return sorted(done.tables)


def counts(done: Any) -> dict[str, int]:
    """Return the rows by table."""
    return dict(done.counts)


def rows(done: Any) -> dict[str, object]:
    """Return the rows that are told of."""
    return done.counts()


def lost(done: Any) -> list[str]:
    """Return the things that are lost."""
    return list(done.lost)


def topics(done: Any) -> dict[str, int]:
    """Return the jobs by topic."""
    return dict(done.jobs)
