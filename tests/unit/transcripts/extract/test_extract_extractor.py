"""The rules as a whole: turns in, facts with their evidence out."""

from __future__ import annotations

import pytest

from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kinds.transcripts.extract.extractor import RulesExtractor
from quipu.kinds.transcripts.extract.model import Extractor, SessionTurn

pytestmark = pytest.mark.anyio


def turns(*texts: str, role: str = "user") -> list[SessionTurn]:
    return [SessionTurn(index=at, role=role, text=text, message_id=at + 7) for at, text in enumerate(texts)]


async def test_a_finding_names_its_turn_its_message_and_its_words() -> None:
    found = await RulesExtractor().extract(turns("hello", "ok. i prefer tabs here"), project="acme")
    (one,) = found.findings
    assert (one.fact, one.category) == ("The user prefers tabs here.", "preferences")
    assert (one.turn_index, one.message_id, one.excerpt) == (1, 8, "i prefer tabs here")


async def test_only_the_user_is_believed() -> None:
    for role in ("assistant", "system", "tool", "other"):
        assert (await RulesExtractor().extract(turns("I prefer tabs.", role=role))).findings == ()


async def test_what_is_said_twice_in_a_session_is_one_finding() -> None:
    found = await RulesExtractor().extract(
        turns("I think the api runs on port 80", "The API runs on port 80.")
    )
    (one,) = found.findings
    assert (one.turn_index, one.confidence) == (0, 0.8)


async def test_a_short_correction_is_explained_by_the_sentence_after_it() -> None:
    found = await RulesExtractor().extract(turns("No, wrong column. The email is in contact_email."))
    (one,) = found.findings
    assert one.category == "corrections"
    assert "contact_email" in one.fact
    assert (await RulesExtractor().extract(turns("Wrong."))).findings == ()


async def test_prototypes_judge_what_words_do_not() -> None:
    """With the deterministic embedder a prototype is nearest to itself, and to nothing else."""
    said = turns("Short answers suit me better than long ones.", "The moon over the bay was lovely.")
    assert (await RulesExtractor().extract(said)).findings == ()
    (one,) = (await RulesExtractor(HashEmbedder(dimensions=384)).extract(said)).findings
    assert (one.category, one.turn_index, one.confidence) == ("preferences", 0, 0.55)


def test_the_rules_are_an_extractor() -> None:
    assert isinstance(RulesExtractor(), Extractor)
