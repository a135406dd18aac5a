"""Discord's channels as DiscordChatExporter writes them, and what is spoiled."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Said
from quipu.app.imports.sources.discord import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "discord" / "general.json"
SAMPLE: dict[str, Any] = json.loads(EXPORT.read_text())


def read(tmp_path: Path, *messages: object, **more: Any) -> list[Said]:
    found, _ = imported(SOURCE, written(tmp_path / "x.json", {**SAMPLE, **more, "messages": list(messages)}))
    return [one for one in found if isinstance(one, Said)]


def message(id: str, **more: Any) -> dict[str, Any]:
    return {**SAMPLE["messages"][0], "id": id, "attachments": [], **more}


def test_messages_are_found_with_names_and_times_and_notices_are_not() -> None:
    (said,), account = imported(SOURCE, EXPORT)
    assert isinstance(said, Said)
    assert (said.id, said.content, said.speaker) == ("10", "Moved to Lisbon, @Ben", "Ana")
    assert (said.role, said.user, said.session) == ("user", None, "2/2026-05-03")
    assert said.time == datetime(2026, 5, 3, 10, 0, 0, 123_000, UTC)
    assert said.metadata == {"title": "Boats #general"}
    assert said.item is not None
    assert said.item["files"] == [{"id": "a1", "name": "boat.png"}]
    assert account.left_out == {"notice of Discord, such as who joined": 1}
    assert recognised_as(EXPORT) == recognised_as(EXPORT.parent) == "discord"


def test_replies_edits_bots_stickers_and_threads_are_kept(tmp_path: Path) -> None:
    author = {"id": "6", "name": "Builder", "isBot": True}
    said = read(
        tmp_path,
        message("1", type="Reply", reference={"messageId": "9"}, timestampEdited="2026-05-03T11:00:00Z"),
        message("2", content="", author=author, embeds=[{"title": "Built", "description": "in 3 s"}]),
        message("3", content="", stickers=[{"id": "s", "name": "Wave"}]),
        message("4", content="<:alba:1> <@!404>"),
        channel={**SAMPLE["channel"], "type": "GuildPublicThread"},
    )
    assert said[0].metadata["reply_to"] == "9"
    assert said[0].metadata["edited_at"] == "2026-05-03T11:00:00+00:00"
    assert (said[1].content, said[1].role, said[1].speaker) == ("Built\nin 3 s", "assistant", "Builder")
    assert said[2].content == "[image: Wave]"
    assert said[3].content == ":alba: @404"
    assert {one.session for one in said} == {"2"}


def test_many_messages_are_streamed(tmp_path: Path) -> None:
    said = read(tmp_path, *(message(str(number), content="x" * 1_000) for number in range(3_000)))
    assert [one.id for one in said] == [str(number) for number in range(3_000)]


@pytest.mark.parametrize("content", ["", "[]", '{"guild": {}}', '{"messages": [{}]}'])
def test_a_file_that_is_no_export_of_discord_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput, match="DiscordChatExporter"):
        imported(SOURCE, written(tmp_path / "x.json", content))


def test_a_file_that_ends_early_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"x\.json"):
        imported(SOURCE, written(tmp_path / "x.json", EXPORT.read_text()[:-40]))


@given(spoiled(SAMPLE))
def test_nothing_in_any_place_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = written(tmp_path_factory.mktemp("spoiled") / "x.json", value)
    imported_or_refused(SOURCE, path, name="x.json")
