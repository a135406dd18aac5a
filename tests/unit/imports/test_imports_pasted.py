"""Memories pasted as text: dates, headings, lines, and what is no list."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, written

from quipu.app.imports.found import Stated
from quipu.app.imports.sources.pasted import SOURCE
from quipu.errors import BadInput

EXPORT = EXPORTS / "pasted" / "chatgpt.txt"


def read(tmp_path: Path, text: str) -> list[Stated]:
    found, _ = imported(SOURCE, written(tmp_path / "memories.txt", text))
    return [one for one in found if isinstance(one, Stated)]


def test_memories_are_found_with_dates_headings_and_the_ids_of_portable_memory() -> None:
    found, account = imported(SOURCE, EXPORT)
    assert [(one.id, one.text, one.time, one.category) for one in found if isinstance(one, Stated)] == [
        (
            "tx_0da4df976ba58471f1a1b14e",
            "Lives in Lisbon\nwith her dog Rex",
            datetime(2026, 1, 15, tzinfo=UTC),
            "Identity",
        ),
        ("tx_bd1057653d68b01879fef7fc", "Likes olives.", None, "Identity"),
        ("tx_d7f33e4a12cb18248f12995d", "Moved: to Berlin", datetime(2025, 1, 3, tzinfo=UTC), "Identity"),
        ("tx_a03b6e71c851f60883d6d802", "Works at Alba", datetime(2025, 2, 1, tzinfo=UTC), "Identity"),
        ("tx_7f18539d10d2ccefdd4a8ca1", "Bought a boat", datetime(2024, 5, 6, tzinfo=UTC), "Identity"),
        ("tx_bbfc0c46e2f49dd35d828bde", "Restores boats", None, "PROJECTS"),
    ]
    assert account.left_out == {"memory that was there before": 1}
    assert len(account.assumed) == 1
    assert recognised_as(EXPORT) == "pasted"


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("2026-01-15", (2026, 1, 15)),
        ("2026-01-15T10:00:00Z", (2026, 1, 15)),
        ("2026", (2026, 1, 1)),
        ("May 2026", (2026, 5, 1)),
        ("Sept 3, 2026", (2026, 9, 3)),
        ("3rd March 2026", (2026, 3, 3)),
    ],
)
def test_dates_are_read_as_assistants_write_them(
    tmp_path: Path, date: str, day: tuple[int, int, int]
) -> None:
    (stated,) = read(tmp_path, f"[{date}] - Sails.")
    assert stated.time is not None
    assert (stated.time.date().timetuple()[:3], stated.text, stated.metadata) == (day, "Sails.", {})


def test_what_is_no_date_is_kept_as_it_is_written(tmp_path: Path) -> None:
    (stated,) = read(tmp_path, "- [n/a] — Sails.")
    assert (stated.time, stated.text, stated.metadata) == (None, "Sails.", {"date": "n/a"})


def test_a_text_without_marks_is_read_by_paragraphs(tmp_path: Path) -> None:
    assert [one.text for one in read(tmp_path, "Ana sails.\nAlone.\n\nShe lives in Lisbon.\n")] == [
        "Ana sails.\nAlone.",
        "She lives in Lisbon.",
    ]


def test_a_text_that_is_empty_or_no_text_is_named(tmp_path: Path) -> None:
    for content in (b"", b" \n", b"\xff\xfe\0"):
        with pytest.raises(BadInput, match=r"memories\.txt"):
            imported(SOURCE, written(tmp_path / "memories.txt", content))


@given(st.text(alphabet="[]-*•–—:#`()1234.\n\t 5/MayAB", max_size=120))
def test_any_text_is_read(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = written(tmp_path_factory.mktemp("x") / "memories.txt", text)
    imported_or_refused(SOURCE, path, name="memories.txt")
