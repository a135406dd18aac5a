"""Versions: what is read says its own (``ETag``), what is written may ask for it (``If-Match``).

@router.get("/one")
async def one(id: str, here: Reading, response: Response) -> MemoryTold:
    memory = await here.memory.longterm.get(id, space=here.space)
    response.headers["ETag"] = etag(memory.version)
    …

@router.patch("/one")
async def edit(id: str, change: Change, here: Writing, expected: ExpectedVersion) -> MemoryTold:
    with matching(expected):
        memory = await here.memory.longterm.edit(id, …, expected_version=expected, space=here.space)
"""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Annotated, Final

from fastapi import Depends, Header

from quipu.errors import BadInput, Conflict, Outdated

_TAG: Final = re.compile(r'(?:W/)?"(\d{1,18})"\Z', re.ASCII)


def etag(version: int) -> str:
    """Return the version as a header."""
    return f'"{version}"'


def expected_version(
    if_match: Annotated[
        str | None, Header(description='The `ETag` that was read, such as `"3"`: 412 if it changed since.')
    ] = None,
) -> int | None:
    """Return the version that a writer read; None if they take whatever is there.

    Raises:
        BadInput: the header is no version of ours.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    match = _TAG.match(if_match.strip())
    if match is None:
        raise BadInput('a version looks like "3".', field="If-Match", hint="Send the ETag that you read.")
    return int(match[1])


ExpectedVersion = Annotated[int | None, Depends(expected_version)]


@contextmanager
def matching(expected: int | None) -> Generator[None]:
    """Raise a conflict in the block as ``Outdated`` if a version was expected."""
    try:
        yield
    except Conflict as error:
        if expected is None:
            raise
        raise Outdated(
            hint=error.hint or "Read it again, and decide what to do with both changes."
        ) from error
