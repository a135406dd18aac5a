"""Notes in Markdown: each a document, and what its lists say beside it."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, recognised_as, written

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed, Found, Stated, ToDo
from quipu.app.imports.sources.markdown import MARKDOWN
from quipu.app.imports.sources.notes import note_of
from quipu.errors import BadInput

NOTES = EXPORTS / "notes"


def read(tmp_path: Path, text: str, name: str = "Alba.md") -> tuple[list[Found], Account]:
    written(tmp_path / "vault" / name, text)
    return imported(MARKDOWN, tmp_path / "vault")


def test_a_note_is_a_document_as_it_stands() -> None:
    found, account = imported(MARKDOWN, NOTES)
    filed = [one for one in found if isinstance(one, Filed)]
    assert [(one.id, one.path, one.key) for one in filed] == [
        ("Coffee Brewing.md", ("notes",), "Coffee Brewing.md"),
        ("Tea.md", ("notes",), "Tea.md"),
    ]
    assert filed[0].body == (NOTES / "Coffee Brewing.md").read_text()
    assert filed[0].metadata["front_matter"]["permalink"] == "notes/coffee-brewing"
    assert filed[1].metadata["links"] == [{"type": "requires", "to": "Kettle"}]
    assert (account.dropped, account.left_out, account.refused) == ({}, {}, [])
    assert recognised_as(NOTES) == "basic-memory"


def test_an_observation_is_a_statement_with_its_line() -> None:
    stated = [one for one in imported(MARKDOWN, NOTES)[0] if isinstance(one, Stated)]
    assert [(one.text, one.details, one.category) for one in stated] == [
        ("Coffee Brewing: Pour over gives clarity", "from Ana", "method"),
        ("Tea: Steeps three minutes 茶", "old", "fact"),
    ]
    for one in stated:
        line = (NOTES / one.metadata["document"]).read_text().split("\n")[one.metadata["line"] - 1]
        assert line.startswith(f"- [{one.category}]")
    assert [one.lesson for one in stated] == [False, False]


def test_an_open_task_is_to_be_done_and_others_are_counted(tmp_path: Path) -> None:
    text = (
        "- [ ] paint her 📅 2026-06-01\n- [x] sold\n- [X] sold\n- [/] half\n- [-] never\n- [>] later\n"
        "* [ ] sail\n"
    )
    found, account = read(tmp_path, text)
    tasks = [one for one in found if isinstance(one, ToDo)]
    assert [one.text for one in tasks] == ["paint her", "half", "sail"]
    assert tasks[0].due is not None
    assert tasks[0].due.astimezone().date().isoformat() == "2026-06-01"
    assert account.left_out == {"task that is done or dropped": 3, "task that is put off": 1}


def test_what_looks_like_an_observation_and_is_none_is_left_alone(tmp_path: Path) -> None:
    text = (
        "- [00:01:02] hello\n- [text](https://x.org) more\n- [[Target]]\n> - [quote] no\n"
        "```\n- [code] no\n```\n[not] in a list\n- [?] a question\n- [empty]\n- [tags] #only\n"
        "~~~\n- [code] no\n```\n~~~\n- [yes] it is\n"
    )
    found, _ = read(tmp_path, text)
    assert [one.text for one in found if isinstance(one, Stated)] == ["Alba: it is"]


def test_relations_and_links_stay_with_the_document(tmp_path: Path) -> None:
    text = (
        "- built_by [[Ben]] (yard)\n- 'in response to' [[X|the x]]\n- see the [[Y]] and [[Z#top]]\n"
        "![[p.png]]\n"
    )
    (filed,) = read(tmp_path, text)[0]
    assert isinstance(filed, Filed)
    assert filed.metadata["links"] == [
        {"type": "built_by", "to": "Ben", "context": "yard"},
        {"type": "in response to", "to": "X"},
        {"type": "links_to", "to": "Y"},
        {"type": "links_to", "to": "Z#top"},
    ]


def test_ids_stay_when_lines_move(tmp_path: Path) -> None:
    text = "- [colour] Green\n- [colour] Green\n- [ ] paint\n"
    before = [one.id for one in read(tmp_path, text)[0]]
    after = [one.id for one in read(tmp_path, f"# Alba\n\nWords.\n\n{text}")[0]]
    assert before == after
    assert len(set(before)) == 4


def test_times_are_of_the_front_matter_else_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "vault" / "a.md", "---\ncreated: 2026-05-01T10:00:00+02:00\n---\nA\n")
    plain = written(tmp_path / "vault" / "b.md", "B\n")
    wrong = written(tmp_path / "vault" / "c.md", "---\ncreated: someday\n---\nC\n")
    for one in (path, plain, wrong):
        os.utime(one, (0, 1_777_802_400))
    found, account = imported(MARKDOWN, tmp_path / "vault")
    changed = datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert [(one.created_at, one.updated_at) for one in found if isinstance(one, Filed)] == [
        (datetime(2026, 5, 1, 8, tzinfo=UTC), changed), (changed, changed), (changed, changed),
    ]  # fmt: skip
    assert account.refused == ["c.md, front matter: created is no time"]
    assert len(account.assumed) == 2


def test_a_front_matter_that_is_refused_leaves_the_note(tmp_path: Path) -> None:
    text = "---\na: &a [b]\nc: *a\n---\n- [colour] Green\n"
    found, account = read(tmp_path, text)
    filed, stated = found
    assert isinstance(filed, Filed)
    assert (filed.body, filed.metadata) == (text, {})
    assert isinstance(stated, Stated)
    assert stated.metadata["line"] == 5
    assert account.refused == ["Alba.md, front matter: it has an anchor or an alias, which are not read"]


def test_a_vault_is_read_without_what_is_hidden_or_thrown_away(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    written(vault / ".obsidian" / "app.json", "{}")
    written(vault / ".trash" / "old.md", "Erased words.")
    written(vault / ".plugin" / "README.md", "Of a plugin.")
    written(vault / "img" / "p.png", b"\x89PNG")
    written(vault / "bad.md", b"\xff\xfe")
    written(vault / "day" / "note.md", "Words.")
    found, account = imported(MARKDOWN, vault)
    assert [(one.id, one.path) for one in found if isinstance(one, Filed)] == [
        ("day/note.md", ("vault", "day"))
    ]
    assert account.left_out == {
        "deleted at the source": 1, "note in a hidden folder": 1, "file that is no Markdown (.png)": 1,
    }  # fmt: skip
    assert account.refused == ["bad.md: bad.md is no text in UTF-8."]
    assert "Erased words." not in repr((found, account))
    assert recognised_as(vault) == "obsidian"


def test_a_zip_and_a_single_note_are_read_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "boats.zip", "w") as archive:
        archive.writestr("yard/alba.md", "- [colour] Green\n")
    filed, stated = imported(MARKDOWN, tmp_path / "boats.zip")[0]
    assert isinstance(filed, Filed)
    assert (filed.id, filed.path) == ("yard/alba.md", ("boats", "yard"))
    assert isinstance(stated, Stated)
    assert stated.text == "alba: Green"
    path = written(tmp_path / "alba.md", "# Alba\n")
    assert [one.id for one in imported(MARKDOWN, path)[0]] == ["alba.md"]
    assert recognised_as(path) == "markdown"


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "a.txt", "A")
    with pytest.raises(BadInput, match="has no Markdown"):
        imported(MARKDOWN, tmp_path)


LINE = st.lists(
    st.sampled_from(
        ["- ", "[", "]", "[[", "]]", "(", ")", "#t", " ", "x", "```", "> ", "\n", "📅 2026-99-99", "|"]
    ),
    max_size=40,
)


@given(st.lists(LINE, max_size=5))
def test_any_lines_are_read(pieces: list[list[str]]) -> None:
    body = "\n".join("".join(line) for line in pieces)
    note = note_of(body, before=0)
    for said in note.observations:
        assert said.text.strip() == said.text
        assert said.text
        assert said.text.split()[0] in body


@pytest.mark.parametrize(
    "piece",
    ["[", "- [", "- [a] ", "(a", " (a", "#a ", "[[a", "[[a]]", "`", "> ", "- ", "a: ", "\t", "|", "[a] x\n"],
)
def test_many_pieces_are_read_in_one_pass(piece: str, tmp_path: Path) -> None:
    found, account = read(tmp_path, "- [a] " + piece * 200_000)
    assert isinstance(found[0], Filed)
    assert account.refused == []
