"""A space with something of each kind that other formats have a place for, written in one of them."""

from __future__ import annotations

import os
from uuid import uuid4

from quipu import Memory

MEMORY = Memory(os.environ["QUIPU_HOME"])
SAID = (
    {"content": "I live in Berlin.", "user": "una", "speaker": "Una", "id": "1", "metadata": {"n": 1}},
    {"content": "Noted – „gut“.", "role": "assistant", "id": "2"},
    {"content": "I will send you the report.", "user": "una", "id": "3"},
)


def export(folder, **how):
    """Write such a space into a folder; returns what was written."""
    space = f"t{uuid4().hex}"
    MEMORY.observe(SAID, space=space, session="talk")
    MEMORY.observe([{"content": "Said alone."}], space=space)
    MEMORY.longterm.add("The boat is blue.", category="context", space=space, user="una")
    old = MEMORY.longterm.add("The boat is red.", category="context", space=space, user="una")
    MEMORY.longterm.archive(old.id, space=space)
    MEMORY.lessons.add("The tests need Docker.", category="knowledge", space=space)
    MEMORY.documents.put(["notes"], "plan.md", body="# Plan\n\nRow *home*.\n", space=space)
    MEMORY.documents.put(["notes"], "value", {"depth": [1, 2.5]}, space=space)
    MEMORY.work(concurrency=2)
    return MEMORY.archives.export(folder, space=space, **how)
