"""The erasers of upkeep's own tables: waiting jobs, API keys, kept answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure.model import What

_QUEUE = queries.load("quipu.kernel.queue")
_KEYS = queries.load("quipu.upkeep.keys")
_ANSWERS = queries.load("quipu.upkeep.answers")


class OutboxEraser:
    """Takes jobs out of the outbox: those with words of a session or a person, or all of the space."""

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the jobs that would go."""
        ((jobs,),) = await tx.rows(_QUEUE["count_words"], **_names(what))
        return {"jobs": jobs} if jobs else {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them, and what other jobs failed with; jobs have no entries in the index."""
        await tx.execute(_QUEUE["erase_errors"])
        await tx.execute(_QUEUE["erase_words"], **_names(what))
        return ()


class KeysEraser:
    """Takes the keys of a space with it, and those bound to a user with the user: they hold the name."""

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the keys that would go."""
        keys = 0
        if what.everything:
            ((keys,),) = await tx.rows(_KEYS["count_of_space"])
        elif (user := _user(what)) is not None:
            ((keys,),) = await tx.rows(_KEYS["count_of_person"], user=user)
        return {"api_keys": keys} if keys else {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; keys have no entries in the index."""
        if what.everything:
            await tx.execute(_KEYS["drop_of_space"])
        elif (user := _user(what)) is not None:
            await tx.execute(_KEYS["drop_of_person"], user=user)
        return ()


class AnswersEraser:
    """Takes every kept answer of the space, whatever is forgotten: any of them may repeat it.

    Answers are no memories and are kept for a day at most, so no preview counts them.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:  # noqa: ARG002
        """Return nothing: nobody would miss these answers."""
        return {}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:  # noqa: ARG002
        """Take them; they have no entries in the index."""
        await tx.execute(_ANSWERS["drop_of_space"])
        return ()


def _names(what: What) -> dict[str, Any]:
    return {**asdict(what), "everything": what.everything}


def _user(what: What) -> str | None:
    """Return the user who is forgotten, where it is not only a session or a message of theirs."""
    return what.user if what.session is None and what.message is None else None
