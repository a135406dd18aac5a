"""Other names of people: learnt, said, asked with, forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_process import CommandLine

from quipu import AsyncMemory, acting_for
from quipu.errors import AccessRefused, BadInput, NotFound

SPACE = "mill"


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    """A command line over a database of its own."""
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def said(speaker: str | None, *texts: str, session: str = "s1") -> list[dict[str, object]]:
    who = {"speaker": speaker} if speaker else {}
    return [{"role": "user", "content": text, "session": session, **who} for text in texts]


async def test_a_speaker_is_found_under_another_name_that_is_said(memory: AsyncMemory) -> None:
    told = [*said("Emi", "The kiln cracked on Sunday."), *said("Boris", "The kiln is quite new, I think.")]
    await memory.observe(told, space=SPACE)
    await memory.aliases.add("Kate", "Emi", space=SPACE)
    hits = await memory.recall("What did Kate say of the kiln?", space=SPACE)
    assert hits[0].source.speaker == "Emi"
    assert "speaker" in hits[0].parts
    (kept,) = await memory.aliases.list(space=SPACE)
    assert (kept.alias, kept.name, kept.made_by, kept.message) == ("Kate", "Emi", "person", None)


async def test_what_is_told_is_learnt_and_finds_what_was_said_of_somebody(memory: AsyncMemory) -> None:
    await memory.observe(
        said(
            None,
            "My son Bogdan started school, everyone calls him Bo.",
            "Bogdan is allergic to walnuts.",
            "The walnuts are in the cellar beside the wine.",
        ),
        space=SPACE,
    )
    assert [(one.alias, one.name) for one in await memory.aliases.list(space=SPACE)] == [("Bo", "Bogdan")]
    hits = await memory.recall("What is Bo allergic to?", space=SPACE)
    assert hits[0].text == "Bogdan is allergic to walnuts."
    assert hits[0].coverage > 0.9


async def test_a_speaker_tells_their_own(memory: AsyncMemory) -> None:
    await memory.observe([*said("Emilia", "Call me Kate."), *said(None, "Call me Robin.")], space=SPACE)
    (kept,) = await memory.aliases.list(space=SPACE)
    assert (kept.alias, kept.name, kept.made_by, kept.session) == ("Kate", "Emilia", "rule", "s1")


async def test_one_is_taken_away_after_a_preview_and_counts_no_more(memory: AsyncMemory) -> None:
    await memory.observe(said("Emi", "The kiln cracked."), space=SPACE)
    await memory.aliases.add("Kate", "Emi", space=SPACE)
    assert "speaker" in (await memory.recall("What did Kate say of the kiln?", space=SPACE))[0].parts
    await memory.aliases.erase("kate", "emi", space=SPACE)
    assert len(await memory.aliases.list(space=SPACE)) == 1
    await memory.aliases.erase("kate", "emi", space=SPACE, confirm=True)
    assert await memory.aliases.list(space=SPACE) == []
    hits = await memory.recall("What did Kate say of the kiln?", space=SPACE)
    assert all("speaker" not in hit.parts for hit in hits)
    with pytest.raises(NotFound, match="known as"):
        await memory.aliases.erase("kate", "emi", space=SPACE)


async def test_one_goes_with_its_message_its_person_or_the_space(memory: AsyncMemory) -> None:
    report = await memory.observe(said("Emi", "Call me Kate."), space=SPACE)
    preview = await memory.forget(space=SPACE, message=report.ids[0], session="s1")
    assert preview.counts["aliases"] == 1
    await memory.forget(space=SPACE, message=report.ids[0], session="s1", confirm=True)
    assert await memory.aliases.list(space=SPACE) == []
    await memory.observe(said("Emi", "The kiln cracked."), space=SPACE)
    await memory.aliases.add("Kate", "Emi", space=SPACE)
    await memory.aliases.add("Bo", "Bogdan", space=SPACE)
    await memory.forget(space=SPACE, user="Emi", confirm=True)
    assert [one.alias for one in await memory.aliases.list(space=SPACE)] == ["Bo"]
    await memory.forget(space=SPACE, confirm=True)
    assert await memory.aliases.list(space=SPACE) == []


async def test_spaces_and_people_are_kept_apart(memory: AsyncMemory) -> None:
    await memory.observe(said("Emi", "Call me Kate."), space=SPACE)
    assert await memory.aliases.list(space="other") == []
    with acting_for("boris"):
        assert await memory.aliases.list(space=SPACE) == []
        with pytest.raises(AccessRefused):
            await memory.aliases.add("Kate", "Emi", space=SPACE)


@pytest.mark.parametrize(("alias", "name"), [("Emi", "emi"), ("", "Emi"), ("K" * 201, "Emi")])
async def test_what_is_no_other_name_is_refused(memory: AsyncMemory, alias: str, name: str) -> None:
    with pytest.raises(BadInput) as refusal:
        await memory.aliases.add(alias, name, space=SPACE)
    assert refusal.value.field == "alias"


def test_the_command_line_has_them(quipu: CommandLine) -> None:
    quipu.text("aliases", "add", "Kate", "Emi")
    assert "Kate" in quipu.text("aliases", "list")
    assert "is Emi" in quipu.text("aliases", "erase", "Kate", "Emi", "--yes")
    assert "Nobody" in quipu.text("aliases", "list")
