"""The labelled conversations, as their files have them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from quipu.kinds.longterm.sati import SatiEvaluationInput

SETS: Final = ("tune", "tune-2", "report", "unseen")
_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Wanted:
    """An inclusion: the categories that are right, the usual one first, and words of the summary.

    ``id`` is that of the memory where it is an edit; then any category is right.
    """

    keys: tuple[str, ...]
    categories: tuple[str, ...] = ()
    importance: str | None = None
    id: str | None = None

    def fits(self, summary: str, category: str | None = None) -> bool:
        """Whether a summary says so, in a category that is right."""
        if category is not None and category not in self.categories:
            return False
        return all(key.lower() in summary.lower() for key in self.keys)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A conversation, and what is to come of its last turn."""

    id: str
    asked: SatiEvaluationInput
    inclusions: tuple[Wanted, ...]
    optional: tuple[Wanted, ...]
    edits: tuple[Wanted, ...]
    deletions: tuple[str, ...]
    trap: str | None

    @property
    def text(self) -> str:
        """The turn that is judged."""
        return self.asked.recent_conversation[-1].content


def of_set(name: str) -> list[Labelled]:
    """The conversations of a set, in the order of its file."""
    lines = (_HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [_labelled(json.loads(line)) for line in lines]


def _labelled(one: Mapping[str, Any]) -> Labelled:
    existing = [{**memory, "importance": "medium"} for memory in one.get("existing", ())]
    document = {"recent_conversation": one["turns"], "existing_memories": existing}
    return Labelled(
        id=one["id"],
        asked=SatiEvaluationInput.model_validate(document),
        inclusions=_wanted(one.get("inclusions", ())),
        optional=_wanted(one.get("optional", ())),
        edits=_wanted(one.get("edits", ())),
        deletions=tuple(one.get("deletions", ())),
        trap=one.get("trap"),
    )


def _wanted(listed: Sequence[Mapping[str, Any]]) -> tuple[Wanted, ...]:
    return tuple(
        Wanted(
            tuple(one["keys"]),
            tuple(one.get("category", ())),
            one.get("importance"),
            one.get("id"),
        )
        for one in listed
    )
