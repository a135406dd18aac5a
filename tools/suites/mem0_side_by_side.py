"""Calls of mem0 itself and of ours, side by side: the answers are alike, but for those with a reason."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import pytest

import quipu
from quipu.compat.mem0 import Memory

TESTS = Path(os.environ["QUIPU_ROOT"], "tests")
sys.path.append(str(TESTS / "integration"))
os.environ["MEM0_TELEMETRY"] = "False"  # it is read at the import
from mem0 import Memory as Mem0  # noqa: E402
from mem0_calls import Player  # noqa: E402

CORE = quipu.Memory(os.environ["QUIPU_HOME"])
ROWS = json.loads((TESTS / "data" / "mem0" / "calls.json").read_text("utf-8"))
BY_DESIGN = {
    111: "mem0 counts each member of a list for nin; here the list is none of the values",
    112: "as above",
    158: "mem0 ends in an AttributeError",
    167: "of two operators at one field mem0 takes the first; here both must hold",
    168: "as above",
}


class Hashed:
    """An embedder without a model: each word has a place in the vector."""

    config = None

    def embed(self, text, memory_action=None):
        del memory_action
        vector = [1e-3] * 256
        for word in re.findall(r"\w+", text.lower()):
            vector[sha256(word.encode()).digest()[0]] += 1.0
        length = math.sqrt(sum(one * one for one in vector))
        return [one / length for one in vector]

    def embed_batch(self, texts, memory_action=None):
        return [self.embed(text, memory_action) for text in texts]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    place = tmp_path_factory.mktemp("mem0")
    config = {
        "vector_store": {
            "provider": "qdrant",
            "config": {"path": str(place / "qdrant"), "embedding_model_dims": 256, "on_disk": True},
        },
        "embedder": {"provider": "openai", "config": {"api_key": "none"}},
        "llm": {"provider": "openai", "config": {"api_key": "none"}},
        "history_db_path": str(place / "history.db"),
    }
    mem0 = Mem0.from_config(config)
    mem0.embedding_model = Hashed()
    theirs, ours = Player(mem0), Player(Memory(CORE, space=f"t{uuid4().hex}"))
    return [(theirs.play(row), ours.play(row)) for row in ROWS]


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_a_call_is_answered_as_mem0_answers_it(answers, number):
    theirs, ours = answers[number]
    assert (ours == theirs) == (number not in BY_DESIGN), (ROWS[number][:3], theirs, ours)
