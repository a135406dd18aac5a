"""WhatsApp's chats: forms of dates and clocks, lines, files, notices, and what is spoiled."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import imported, imported_or_refused, recognised_as, written

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Said
from quipu.app.imports.sources.whatsapp import SOURCE
from quipu.app.imports.sources.whatsapp_lines import beginning
from quipu.errors import BadInput


def read(tmp_path: Path, *lines: str, name: str = "chat.txt") -> tuple[list[Said], Account]:
    found, account = imported(SOURCE, written(tmp_path / name, "\n".join(lines) + "\n"))
    return [one for one in found if isinstance(one, Said)], account


def local(year: int, month: int, day: int, hour: int, minute: int, second: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, second).astimezone(UTC)


def test_a_chat_of_android_is_read(tmp_path: Path) -> None:
    said, account = read(
        tmp_path,
        "03/05/2026, 10:00 - Messages and calls are end-to-end encrypted.",
        "03/05/2026, 10:01 - Ana: I moved to Lisbon",
        "in May.",
        "",
        "Really.",
        "03/05/2026, 10:02 - Ben: <Media omitted>",
        "13/05/2026, 10:02 - Ben: Nice: great",
        name="WhatsApp Chat with Ben.txt",
    )
    assert [(one.speaker, one.content) for one in said] == [
        ("Ana", "I moved to Lisbon\nin May.\n\nReally."),
        ("Ben", ""),
        ("Ben", "Nice: great"),
    ]
    assert [one.time for one in said[:2]] == [local(2026, 5, 3, 10, 1), local(2026, 5, 3, 10, 2)]
    assert said[1].item == {"file": None, "caption": ""}
    assert {one.session for one in said} == {"Ben/2026-05-03", "Ben/2026-05-13"}
    assert said[0].metadata == {"title": "Ben"}
    assert account.left_out == {"notice of WhatsApp, such as who joined": 1}
    assert list(account.assumed) == ["times are of the zone of this computer"]


def test_a_chat_of_ios_is_read_from_its_zip(tmp_path: Path) -> None:
    lines = [
        "\u200e[5/13/26, 9:59:59\u202fPM] Boats: \u200eMessages and calls are end-to-end encrypted.",
        "[5/13/26, 10:00:01\u202fPM] ~\u202fAna: I moved\u00a0to Lisbon",
        "\u200e[5/13/26, 12:00:02\u202fAM] Ben: \u200e<attached: 00000012-PHOTO-2026-05-13.jpg>",
        "[5/13/26, 12:00:03\u202fAM] Ben: \u200eimage omitted",
        "[5/13/26, 12:00:04\u202fAM] Ben: \u200eThis message was deleted.",
        "[5/13/26, 12:00:05\u202fAM] Ben: \u200eBen created this group",
        "[5/13/26, 12:00:06\u202fAM] Ben: Better \u200e<This message was edited>",
    ]
    with zipfile.ZipFile(tmp_path / "WhatsApp Chat - Boats.zip", "w") as archive:
        archive.writestr("_chat.txt", "\r\n".join(lines))
        archive.writestr("00000012-PHOTO-2026-05-13.jpg", b"x")
    found, account = imported(SOURCE, tmp_path / "WhatsApp Chat - Boats.zip")
    assert [(one.speaker, one.content) for one in found if isinstance(one, Said)] == [
        ("Ana", "I moved\u00a0to Lisbon"),
        ("Ben", "[image: 00000012-PHOTO-2026-05-13.jpg]"),
        ("Ben", ""),
        ("Ben", "Better"),
    ]
    first, *_, last = (one for one in found if isinstance(one, Said))
    assert first.time == local(2026, 5, 13, 22, 0, 1)
    assert (last.time, last.metadata["edited"]) == (local(2026, 5, 13, 0, 0, 6), True)
    assert first.session == "Boats/2026-05-13"
    assert account.left_out["deleted at the source"] == 1
    assert recognised_as(tmp_path / "WhatsApp Chat - Boats.zip") == "whatsapp"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2026-05-13, 10:00 - Ana: x", (2026, 5, 13, 10, 0)),
        ("2026/5/13 10:00 - Ana: x", (2026, 5, 13, 10, 0)),
        ("13.05.26, 10:00 - Ana: x", (2026, 5, 13, 10, 0)),
        ("13-05-2026 10:00 - Ana: x", (2026, 5, 13, 10, 0)),
        ("13/5/26 10:00 p.\u00a0m. - Ana: x", (2026, 5, 13, 22, 0)),
        ("13/05/2026, 12:00 am - Ana: x", (2026, 5, 13, 0, 0)),
        ("5/13/26, 12:00 PM - Ana: x", (2026, 5, 13, 12, 0)),
        ("[13.05.26, 10.00.00] Ana: x", (2026, 5, 13, 10, 0)),
        ("[2026/5/13 下午10:00:00] Ana: x", (2026, 5, 13, 22, 0)),
        ("2026. 5. 13. 오후 10:00, Ana : x", (2026, 5, 13, 22, 0)),
        ("2026. 5. 13. 오후 10:00 - Ana: x", (2026, 5, 13, 22, 0)),
        ("13/05/2026 à 10:00 - Ana : x", (2026, 5, 13, 10, 0)),
        ("\u200f١٣/٥/٢٠٢٦، ١٠:٠٠ م - Ana: x", (2026, 5, 13, 22, 0)),
    ],
)
def test_dates_and_clocks_of_many_phones_are_read(
    tmp_path: Path, line: str, expected: tuple[int, int, int, int, int]
) -> None:
    (said,), _ = read(tmp_path, line)
    assert (said.time, said.speaker, said.content) == (local(*expected), "Ana", "x")


def test_the_order_of_dates_is_that_of_the_whole_file(tmp_path: Path) -> None:
    months_first, _ = read(tmp_path, "1/2/26, 9:00 - A: x", "1/13/26, 9:00 - A: y")
    assert [one.time for one in months_first] == [local(2026, 1, 2, 9, 0), local(2026, 1, 13, 9, 0)]
    days_first, _ = read(tmp_path, "1/2/26, 9:00 - A: x", "13/2/26, 9:00 - A: y")
    assert days_first[0].time == local(2026, 2, 1, 9, 0)
    never_back, account = read(tmp_path, "4/1/26, 9:00 - A: x", "4/9/26, 9:00 - A: y", "5/2/26, 9:00 - A: z")
    assert never_back[1].time == local(2026, 4, 9, 9, 0)
    assert len(account.assumed) == 1
    unknown, account = read(tmp_path, "03/05/2026, 9:00 - A: x")
    assert unknown[0].time == local(2026, 5, 3, 9, 0)
    assert "dates do not tell whether day or month stands first: the day does" in account.assumed
    american, account = read(tmp_path, "3/5/26, 9:00 AM - A: x")
    assert american[0].time == local(2026, 3, 5, 9, 0)
    assert "dates do not tell whether day or month stands first: the month does" in account.assumed


@pytest.mark.parametrize(
    ("text", "content", "file"),
    [
        ("IMG-20260503-WA0001.jpg (file attached)", "[image: IMG-20260503-WA0001.jpg]", True),
        ("\u200eIMG-1.jpg (Datei angehängt)\nMy boat", "My boat", True),
        ("PTT-1.opus (archivo adjunto)", "[audio: PTT-1.opus]", True),
        ("<Medien ausgeschlossen>", "", True),
        ("<b> is a tag", "<b> is a tag", False),
        ("<html>", "<html>", False),
    ],
)
def test_files_are_pointers_or_keep_their_place(tmp_path: Path, text: str, content: str, file: bool) -> None:
    (said,), account = read(tmp_path, *f"03/05/2026, 10:02 - Ben: {text}".split("\n"))
    assert said.content == content
    assert (said.item is not None) is file
    assert bool(account.dropped) is file


def test_notices_with_a_colon_are_nobodys_words(tmp_path: Path) -> None:
    said, _ = read(tmp_path, '03/05/2026, 10:02 - Ana changed the subject from "a" to "Trip: Rome"')
    assert not said


def test_ids_are_the_same_in_a_longer_export_and_apart_for_the_same_words(tmp_path: Path) -> None:
    lines = ["03/05/2026, 10:02 - Ben: ok", "03/05/2026, 10:02 - Ben: ok", "13/05/2026, 10:02 - Ben: ok"]
    short, _ = read(tmp_path, *lines)
    longer, _ = read(tmp_path, "01/05/2026, 10:02 - Ben: Hello", *lines)
    assert len({one.id for one in short}) == 3
    assert [one.id for one in longer[1:]] == [one.id for one in short]


def test_days_that_are_none_are_refused_by_their_line(tmp_path: Path) -> None:
    said, account = read(
        tmp_path, "03/05/2026, 10:02 - A: x", "45/45/2026, 10:02 - A: y", "03/05/2026, 25:02 - A: z"
    )
    assert len(said) == 1
    assert account.refused == [
        f"chat.txt, line {line}: date: there is no such day or time" for line in (2, 3)
    ]


@pytest.mark.parametrize("content", ["", "Hello", "[2026-01-15] - Lives in Lisbon", "\0\0"])
def test_a_text_that_is_no_chat_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput, match="no chat of WhatsApp"):
        imported(SOURCE, written(tmp_path / "chat.txt", content))


@given(st.lists(st.text(alphabet="[]0123456789/.,-: \u200e\u202f<>()AnaPM~\n", max_size=60), max_size=6))
def test_any_lines_are_read(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    text = "\n".join(["03/05/2026, 10:02 - Ben: ok", *lines])
    imported_or_refused(SOURCE, written(tmp_path_factory.mktemp("x") / "c.txt", text), name="c.txt")


@given(st.text(max_size=80))
def test_any_line_begins_a_message_or_none(text: str) -> None:
    begun = beginning(text)
    assert begun is None or begun.hour >= 0
