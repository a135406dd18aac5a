"""What an exchange yields is held against the policy, whoever read it."""

from __future__ import annotations

import pytest

from quipu.kernel.policy.policy import policy
from quipu.kinds.episodes.chunking.chunkers import RemoteChunker, chunk
from quipu.kinds.episodes.chunking.model import Talk, Turn
from quipu.kinds.episodes.policy import Retold, allowed
from quipu.kinds.episodes.shapes import Chunk, Fact, Gist, Scope, Trait
from quipu.testing import ScriptedLLM

pytestmark = pytest.mark.anyio
SAID = "I live in Berlin and I have diabetes. I'm allergic to nuts."


def talk(said: str) -> Talk:
    return Talk([Turn(None, said, began=True), Turn(None, "Noted.", began=False)])


def read(said: str, setting: str = "") -> Chunk:
    return allowed(chunk(talk(said)), Retold(policy(setting, secrets=False), [said]))


def test_the_rest_of_what_the_rules_find_is_kept() -> None:
    before, kept = chunk(talk(SAID)).model_dump_json(), read(SAID)
    assert "diabetes" in before
    assert "diabetes" not in kept.model_dump_json()
    assert {"home": "Berlin", "allergy": "nuts"}.items() <= {one.key: one.value for one in kept.facts}.items()
    assert any("Berlin" in one.content for one in kept.gists)
    assert read(SAID, "health=always") == chunk(talk(SAID))


def test_what_was_asked_for_is_kept() -> None:
    kept = read("Please remember that I'm diabetic.")
    assert "health" in {one.key for one in kept.facts}


async def test_what_a_language_model_finds_is_held_to_the_same() -> None:
    answer = Chunk(
        scope=Scope(intent="telling", sentiment="neutral", emotion="calm", confidence=8),
        emotion=chunk(talk(SAID)).emotion,
        gists=(
            Gist(type="fact", content="Ana lives in Berlin, and she suffers from diabetes.", confidence=9),
            Gist(type="fact", content="Ana takes insulin.", confidence=9),
        ),
        facts=(
            Fact(key="illness", value="diabetes", confidence=0.9),
            Fact(key="rent", value="900 euros", confidence=0.9),
        ),
        user_traits=(
            Trait(key="medication", value="insulin", category="physical", confidence=0.9, source="explicit"),
        ),
    )
    (found,) = await RemoteChunker(ScriptedLLM([answer])).read([talk(SAID)])
    kept = allowed(found.chunk, Retold(policy("", secrets=False), [SAID]))
    assert [one.content for one in kept.gists] == ["Ana lives in Berlin"]
    assert kept.facts == ()
    assert kept.user_traits == ()
