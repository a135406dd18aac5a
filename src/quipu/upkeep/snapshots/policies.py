"""For whom a policy of a dump is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quipu.kernel.db.tokens import tokens
from quipu.upkeep.snapshots.forms import folded
from quipu.upkeep.snapshots.reader import SPACES, Statement
from quipu.upkeep.snapshots.rights import Key

_ENDS: Final = frozenset({"using", "with"})


def policy_of(statement: Statement) -> Key | None:
    """Return the policy that a statement makes or comments on; None if it is about something else."""
    if statement.starts("create", "policy"):
        place = 2
    elif statement.starts("comment", "on", "policy"):
        place = 3
    else:
        return None
    # CREATE POLICY name ON schema.table …, COMMENT ON POLICY name ON schema.table IS …
    name, table = statement.words[place], statement.words[place + 4]
    return ("policy", (folded(table), folded(name)), ())


def for_those(statement: Statement, roles: Sequence[str]) -> Statement:
    """Return a policy's statement for these roles as SQL writes them; a comment on it is unchanged."""
    words = statement.words
    begins = next((n for n in range(7, len(words)) if statement.lower(n) == "to"), None)
    if not statement.starts("create") or begins is None:
        return statement
    ends = next((n for n in range(begins, len(words)) if statement.lower(n) in _ENDS), None)
    shift = statement.text.index(words[0].text) - words[0].start
    end = len(statement.text) if ends is None else words[ends].start + shift
    text = f"{statement.text[: words[begins].end + shift]} {', '.join(roles)} {statement.text[end:]}"
    return Statement(text, tuple(one for one in tokens(text) if one.sort not in SPACES), statement.line)
