"""Slack's export: names, markup, threads, edits, deletions, bots, files, and what is spoiled."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Said
from quipu.app.imports.sources.slack import SOURCE
from quipu.app.imports.sources.slack_text import plain
from quipu.errors import BadInput

EXPORT = EXPORTS / "slack"


def message(ts: str, text: str = "Hello.", **more: Any) -> dict[str, Any]:
    return {"type": "message", "user": "U1", "text": text, "ts": ts, **more}


def read(tmp_path: Path, *messages: object, channel: str = "general") -> tuple[list[Said], Account]:
    for name in ("users.json", "channels.json"):
        written(tmp_path / name, (EXPORT / name).read_text())
    written(tmp_path / channel / "2026-05-03.json", list(messages))
    found, account = imported(SOURCE, tmp_path)
    return [one for one in found if isinstance(one, Said)], account


def test_messages_are_found_with_names_times_and_threads(tmp_path: Path) -> None:
    found, account = imported(SOURCE, EXPORT)
    first, second = (one for one in found if isinstance(one, Said))
    assert (first.id, first.content) == (
        "general/1777802400.000100",
        "Moved to Lisbon & happy, @Ben",
    )
    assert (first.speaker, first.user, first.role) == ("Ana", None, "user")
    assert first.time == datetime(2026, 5, 3, 10, 0, 0, 100, UTC)
    assert first.metadata == {"title": "#general", "links": ["https://x.org"]}
    assert (second.id, second.content, second.speaker) == ("general/1777802460.000200", "Nice", "Ben")
    assert first.session == second.session == "general/1777802400.000100"
    assert account.left_out == {"notice of Slack, such as who joined": 1}
    with zipfile.ZipFile(tmp_path / "slack.zip", "w") as archive:
        for one in EXPORT.rglob("*.json"):
            archive.write(one, one.relative_to(EXPORT))
    assert imported(SOURCE, tmp_path / "slack.zip")[0] == found
    assert recognised_as(tmp_path / "slack.zip") == recognised_as(EXPORT) == "slack"


def test_words_outside_threads_are_a_session_for_each_day(tmp_path: Path) -> None:
    (said,), _ = read(tmp_path, message("1777802400.000100"))
    assert said.session == "general/2026-05-03"


def test_direct_messages_are_called_by_who_is_in_them(tmp_path: Path) -> None:
    written(tmp_path / "dms.json", [{"id": "D1", "members": ["U1", "U2"]}])
    (said,), _ = read(tmp_path, message("1777802400.000100"), channel="D1")
    assert (said.id, said.metadata["title"]) == ("D1/1777802400.000100", "Ana, Ben")


def test_the_newest_text_counts_and_deleted_text_is_nowhere(tmp_path: Path) -> None:
    said, account = read(
        tmp_path,
        message("1.0", "Berlin", edited={"user": "U1", "ts": "9.0"}),
        message("2.0", "SECRET"),
        message("3.0", "This message was deleted.", subtype="tombstone", user="USLACKBOT"),
        message("4.0", "", subtype="message_changed", message=message("1.0", "Lisbon")),
        message("5.0", "", subtype="message_deleted", deleted_ts="2.0", previous_message={"text": "SECRET"}),
    )
    assert [(one.id, one.content) for one in said] == [("general/1.0", "Lisbon")]
    assert "SECRET" not in repr(said)
    assert account.left_out["deleted at the source"] == 2


def test_a_message_that_was_deleted_on_another_day_is_left_out(tmp_path: Path) -> None:
    written(
        tmp_path / "general" / "2026-05-04.json",
        [message("5.0", "", subtype="message_deleted", deleted_ts="2.0")],
    )
    said, account = read(tmp_path, message("2.0", "SECRET"))
    assert not said
    assert account.left_out["deleted at the source"] == 1


def test_bots_speak_as_assistants_under_their_names(tmp_path: Path) -> None:
    (said, attached), _ = read(
        tmp_path,
        message("1.0", "Built.", subtype="bot_message", user=None, bot_id="B1", username="Builder"),
        message("2.0", "", user="U9", bot_id="B1", bot_profile={"id": "B1", "name": "Forms"},
                attachments=[{"fallback": "f", "text": "<https://x.org|Answer> came"}]),
    )  # fmt: skip
    assert (said.speaker, said.role, said.content) == ("Builder", "assistant", "Built.")
    assert (attached.speaker, attached.role, attached.content) == ("Forms", "assistant", "Answer came")


def test_words_of_a_bot_may_stand_in_blocks_alone(tmp_path: Path) -> None:
    rich = {"type": "rich_text_section", "elements": [{"type": "text", "text": t} for t in ("See ", "here")]}
    blocks = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "Built."}, "fields": [{"text": "Job: 7"}]},
        {"type": "rich_text", "elements": [rich]},
        {"type": "divider"},
    ]
    (said,), _ = read(tmp_path, message("1.0", "", user=None, bot_id="B1", username="ci", blocks=blocks))
    assert said.content == "Built.\nJob: 7\nSee here"


def test_files_are_pointers_without_the_keys_in_their_addresses(tmp_path: Path) -> None:
    file = {"id": "F1", "name": "boat.png", "mimetype": "image/png", "url_private": "https://x?t=xoxe-1"}
    (alone, named), account = read(
        tmp_path, message("1.0", "", files=[file]), message("2.0", "Look", files=[file])
    )
    assert (alone.content, named.content) == ("[image: boat.png]", "Look")
    assert named.item == {
        "text": "Look",
        "files": [{"id": "F1", "name": "boat.png", "mimetype": "image/png"}],
    }
    assert account.dropped["bytes of image"] == 2


def test_people_of_other_workspaces_are_named_by_what_came_with_the_message(tmp_path: Path) -> None:
    (said,), _ = read(tmp_path, message("1.0", user="W9", user_profile={"real_name": "Carla"}))
    assert said.speaker == "Carla"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@U2|ben> in <#C1|old>", "@Ben in #general"),
        ("<@U9> <@U9|nine>", "@U9 @nine"),
        ("<!here> <!subteam^S1|@crew> <!date^1392734382^{date}|18 February>", "@here @crew 18 February"),
        ("<https://x.org> <mailto:a@b.org|a@b.org>", "https://x.org a@b.org"),
        ("a &lt;b&gt; &amp;amp; <", "a <b> &amp; <"),
        ("", ""),
    ],
)
def test_markup_is_shown_as_readers_saw_it(text: str, shown: str) -> None:
    assert plain(text, people={"U2": "Ben"}, channels={"C1": "general"})[0] == shown


@given(st.text(alphabet="<>@#!|&amp;lt U1^", max_size=60))
def test_any_markup_is_read(text: str) -> None:
    shown, links = plain(text, people={"U1": "Ana"}, channels={})
    assert isinstance(shown, str)
    assert all(links)


def test_a_folder_without_days_is_no_export_of_slack(tmp_path: Path) -> None:
    written(tmp_path / "users.json", [])
    with pytest.raises(BadInput, match="no days of Slack"):
        imported(SOURCE, tmp_path)


@pytest.mark.parametrize("file", ["general/2026-05-03.json", "users.json", "channels.json"])
def test_nothing_in_any_place_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, file: str) -> None:
    sample = json.loads((EXPORT / file).read_text())
    if file.startswith("general"):
        sample.append(
            message("9.0", subtype="message_changed", message=message("1.0"), edited={"ts": "1.0"},
                    files=[{"name": "x"}], attachments=[{"text": "x"}], bot_profile={"name": "b"})
        )  # fmt: skip

    @given(spoiled(sample))
    def read_it(value: Any) -> None:
        folder = tmp_path_factory.mktemp("spoiled")
        for name in ("general/2026-05-03.json", "users.json", "channels.json"):
            written(folder / name, value if name == file else (EXPORT / name).read_text())
        imported_or_refused(SOURCE, folder, name=file)

    read_it()
