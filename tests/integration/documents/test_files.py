"""Files of a directory as documents: written, unchanged, renamed, removed, skipped; found at their lines."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound

pytestmark = pytest.mark.anyio
SPACE = "ana"


def fill(root: Path) -> None:
    (root / "sub" / "deep").mkdir(parents=True)
    (root / "guide.md").write_text("# Boats\n\nIntro.\n\n## Mooring\n\nShe is moored in Horta.\n", "utf-8")
    (root / "sub" / "notes.txt").write_text("Buy paint.\n\nThe varnish dries overnight.\n", "utf-8")
    (root / "sub" / "deep" / "page.html").write_text(
        "<html><body>\n<h1>Sails</h1>\n<p>The jib was cut\nin Lisbon.</p></body></html>\n", "utf-8"
    )
    (root / "tool.py").write_text(
        'import os\n\n\ndef hoist(sail):\n    """Hoist the spinnaker."""\n', "utf-8"
    )


async def counts(memory: AsyncMemory, root: Path, **options: Any) -> tuple[int, int, int, int]:
    done = await memory.documents.sync(root, path="boat", space=SPACE, **options)
    return done.written, done.unchanged, done.renamed, done.removed


async def test_each_file_is_a_document_at_its_place(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path)
    done = await memory.documents.sync(tmp_path, path="boat", space=SPACE)
    assert (done.written, done.unchanged, done.renamed, done.removed, done.skipped) == (4, 0, 0, 0, [])
    found = await memory.documents.list("boat", space=SPACE, order="key")
    assert [one.address for one in found] == [
        "boat/guide.md",
        "boat/tool.py",
        "boat/sub/notes.txt",
        "boat/sub/deep/page.html",
    ]
    page = found[3]
    assert page.body == (tmp_path / "sub/deep/page.html").read_text("utf-8")
    assert {name: page.metadata[name] for name in ("file", "media_type", "size")} == {
        "file": "sub/deep/page.html",
        "media_type": "text/html",
        "size": 76,
    }


@pytest.mark.parametrize(
    ("question", "source", "heading"),
    [
        ("Where is she moored?", "boat/guide.md:5", "Boats > Mooring"),
        ("When does the varnish dry?", "boat/sub/notes.txt:1", None),
        ("Where was the jib cut?", "boat/sub/deep/page.html:2", "Sails"),
        ("Hoist the spinnaker", "boat/tool.py:4", "hoist"),
    ],
)
async def test_a_quote_is_found_at_its_line(
    memory: AsyncMemory, tmp_path: Path, question: str, source: str, heading: str | None
) -> None:
    fill(tmp_path)
    await memory.documents.sync(tmp_path, path="boat", space=SPACE)
    (hit, *_) = await memory.recall(question, space=SPACE)
    assert (hit.kind, hit.source.message, hit.source.role) == ("document", source, heading)


async def test_an_unchanged_file_costs_nothing(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path)
    assert await counts(memory, tmp_path) == (4, 0, 0, 0)
    os.utime(tmp_path / "guide.md", (1, 1))
    assert await counts(memory, tmp_path) == (0, 4, 0, 0)
    assert (await memory.documents.get("boat", "guide.md", space=SPACE)).version == 1


async def test_a_changed_file_keeps_its_version_and_replaces_its_passages(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    fill(tmp_path)
    await counts(memory, tmp_path)
    (tmp_path / "guide.md").write_text("# Boats\n\nShe was sold.\n", "utf-8")
    assert await counts(memory, tmp_path) == (1, 3, 0, 0)
    history = await memory.documents.history("boat", "guide.md", space=SPACE)
    assert [one.version for one in history] == [2, 1]
    hits = await memory.recall("moored in Horta", space=SPACE)
    assert not any("Horta" in hit.text for hit in hits)


async def test_a_renamed_file_keeps_its_history(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path)
    await counts(memory, tmp_path)
    (tmp_path / "guide.md").write_text("# Boats\n\n## Mooring\n\nShe is moored in Faial.\n", "utf-8")
    await counts(memory, tmp_path)
    (tmp_path / "new").mkdir()
    (tmp_path / "guide.md").rename(tmp_path / "new" / "boats.md")
    assert await counts(memory, tmp_path) == (0, 3, 1, 0)
    history = await memory.documents.history("boat/new", "boats.md", space=SPACE)
    assert [(one.version, one.key, one.ended_by) for one in history] == [
        (3, "boats.md", None),
        (2, "guide.md", "rename"),
        (1, "guide.md", "change"),
    ]
    assert history[0].metadata["file"] == "new/boats.md"
    (hit, *_) = await memory.recall("moored in Faial", space=SPACE)
    assert hit.source.message == "boat/new/boats.md:3"
    assert await counts(memory, tmp_path) == (0, 4, 0, 0)


async def test_a_renamed_file_of_another_form_is_read_anew(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path)
    await counts(memory, tmp_path)
    (tmp_path / "guide.md").rename(tmp_path / "guide.txt")
    assert await counts(memory, tmp_path) == (0, 3, 1, 0)
    (hit, *_) = await memory.recall("moored in Horta", space=SPACE)
    assert (hit.source.message, hit.source.role) == ("boat/guide.txt:1", None)


async def test_a_file_that_is_gone_is_removed_and_comes_back(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path)
    await counts(memory, tmp_path)
    (tmp_path / "guide.md").unlink()
    shown = await memory.documents.sync(tmp_path, path="boat", space=SPACE, preview=True)
    assert (shown.removed, shown.removed_files, shown.preview) == (1, ["guide.md"], True)
    assert await counts(memory, tmp_path) == (0, 3, 0, 1)
    with pytest.raises(NotFound):
        await memory.documents.get("boat", "guide.md", space=SPACE)
    back = await memory.documents.revert("boat", "guide.md", to=1, space=SPACE)
    assert back.body is not None
    assert "Horta" in back.body
    (hit, *_) = await memory.recall("moored in Horta", space=SPACE)
    assert (hit.source.message, hit.source.role) == ("boat/guide.md:5", "Boats > Mooring")


async def test_an_empty_directory_removes_nothing(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path / "full")
    (tmp_path / "empty").mkdir()
    await counts(memory, tmp_path / "full")
    with pytest.raises(Conflict, match="no file is left"):
        await counts(memory, tmp_path / "empty")
    assert len(await memory.documents.list("boat", space=SPACE)) == 4


async def test_a_document_that_is_of_no_file_stays(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path)
    await memory.documents.put("boat", "guide.md", space=SPACE, body="mine")
    await memory.documents.put("boat/sub", "other", {"n": 1}, space=SPACE)
    done = await memory.documents.sync(tmp_path, path="boat", space=SPACE)
    assert (done.written, done.removed) == (3, 0)
    assert [(one.file, one.why) for one in done.skipped] == [("guide.md", "another document stands there")]
    assert (await memory.documents.get("boat", "guide.md", space=SPACE)).body == "mine"


async def test_what_another_sync_or_a_person_keeps_below_stays(memory: AsyncMemory, tmp_path: Path) -> None:
    fill(tmp_path / "one")
    fill(tmp_path / "two")
    await memory.documents.sync(tmp_path / "two", path="boat/inner", space=SPACE)
    await memory.documents.put(
        "boat", "mine", space=SPACE, body="x", metadata={"file": "a.pdf", "sha256": "00", "size": 1}
    )
    assert await counts(memory, tmp_path / "one") == (4, 0, 0, 0)
    assert await counts(memory, tmp_path / "one") == (0, 4, 0, 0)
    await memory.documents.rename("boat", to="ship", space=SPACE)
    again = await memory.documents.sync(tmp_path / "two", path="ship/inner", space=SPACE)
    assert (again.unchanged, again.written, again.removed) == (4, 0, 0)


async def test_a_name_that_cannot_be_kept_is_skipped_and_said(memory: AsyncMemory, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"latin-\xe4.txt")).write_text("x", "utf-8")
    (tmp_path / ("AKIA" + "IOSFODNN7EXAMPLQ.txt")).write_text("x", "utf-8")
    deep = tmp_path.joinpath(*["d"] * 130)
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("x", "utf-8")
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE)
    assert (done.written, len(done.skipped)) == (0, 3)
    assert "latin-?.txt" in [one.file for one in done.skipped]
    str(done).encode()


async def test_what_is_no_text_is_skipped_and_said(memory: AsyncMemory, tmp_path: Path) -> None:
    (tmp_path / "ok.txt").write_text("fine", "utf-8")
    (tmp_path / "binary").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "late.txt").write_bytes(b"x" * 10_000 + b"\0")
    (tmp_path / "latin.txt").write_bytes("Grüße".encode("latin-1"))
    (tmp_path / "photo.svg").write_text("<svg/>", "utf-8")
    (tmp_path / "large.txt").write_bytes(b"x" * (16 * 2**20 + 1))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    (tmp_path / "linked").symlink_to(tmp_path.parent)
    os.mkfifo(tmp_path / "pipe")
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE)
    assert done.written == 1
    why = {one.file: one.why for one in done.skipped}
    assert why == {
        "binary": "it is binary",
        "late.txt": "it is binary",
        "latin.txt": "it is not UTF-8: byte 2",
        "photo.svg": "its media type is image/svg+xml",
        "large.txt": "it has 16.0 MB; 16 are the most",
        "broken.pdf": why["broken.pdf"],
        "link.txt": "a symbolic link",
        "linked": "a symbolic link",
        "pipe": "no regular file",
    }
    assert why["broken.pdf"].startswith("its text cannot be read")


def pdf(*pages: str) -> bytes:
    """A PDF with a text on each page."""
    count = len(pages)
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(count))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {count}>>"]
    for number, text in enumerate(pages):
        font = "<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
        objects.append(f"<</Type/Page/Parent 2 0 R/Resources{font}/Contents {4 + 2 * number} 0 R>>")
        shown = f"BT /F 12 Tf ({text}) Tj ET" if text else ""
        objects.append(f"<</Length {len(shown)}>>stream\n{shown}\nendstream")
    made, places = b"%PDF-1.4\n", list[int]()
    for number, one in enumerate(objects, start=1):
        places.append(len(made))
        made += f"{number} 0 obj{one}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer<</Size {size}/Root 1 0 R>>"
    return made + f"{end}\nstartxref\n{len(made)}\n%%EOF\n".encode()


async def test_the_text_of_a_pdf_is_taken_page_by_page(memory: AsyncMemory, tmp_path: Path) -> None:
    (tmp_path / "log.pdf").write_bytes(pdf("The anchor was lost.", "The keel is of lead."))
    (tmp_path / "scan.pdf").write_bytes(pdf(""))
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE)
    assert (done.written, [(one.file, one.why) for one in done.skipped]) == (
        1,
        [("scan.pdf", "it has no text, only images")],
    )
    (hit, *_) = await memory.recall("What is the keel made of?", space=SPACE)
    assert (hit.source.message, hit.source.role, hit.text) == (
        "x/log.pdf:2",
        "Page 2",
        "The keel is of lead.",
    )
    assert (await memory.documents.sync(tmp_path, path="x", space=SPACE)).unchanged == 1


async def test_a_pdf_without_the_extra_is_skipped_and_said(
    memory: AsyncMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    (tmp_path / "log.pdf").write_bytes(pdf("The anchor was lost."))
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE)
    assert "pip install 'quipu-memory[pdf]'" in done.skipped[0].why


async def test_a_file_that_has_no_text_any_more_keeps_its_document(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    fill(tmp_path)
    await counts(memory, tmp_path)
    (tmp_path / "guide.md").write_bytes(b"\xff\xfe\0")
    assert await counts(memory, tmp_path) == (0, 3, 0, 0)
    assert (await memory.documents.get("boat", "guide.md", space=SPACE)).version == 1


async def test_hidden_and_ignored_files_are_left_out(memory: AsyncMemory, tmp_path: Path) -> None:
    for name in (
        "a.md",
        "a.log",
        "keep.log",
        "build/b.md",
        "sub/c.md",
        "sub/d.md",
        "sub/keep.log",
        ".git/x",
        ".env",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"text of {name}", "utf-8")
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n", "utf-8")
    (tmp_path / "sub" / ".quipuignore").write_text("/d.md\n", "utf-8")
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE)
    found = await memory.documents.list("x", space=SPACE, order="key")
    assert [one.metadata["file"] for one in found] == ["a.md", "keep.log", "sub/c.md", "sub/keep.log"]
    assert done.skipped == []


async def test_secrets_are_cut_out_and_the_file_stays_unchanged(memory: AsyncMemory, tmp_path: Path) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    (tmp_path / "a.txt").write_text(f"aws_access_key_id = {secret}\n", "utf-8")
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE)
    assert done.redacted == 1
    assert secret not in str(await memory.documents.get("x", "a.txt", space=SPACE))
    assert (await memory.documents.sync(tmp_path, path="x", space=SPACE)).unchanged == 1
    assert (await memory.documents.sync(tmp_path, path="x", space=SPACE, verbatim=True)).written == 1
    assert secret in str(await memory.documents.get("x", "a.txt", space=SPACE))
    assert (await memory.documents.sync(tmp_path, path="x", space=SPACE, verbatim=True)).unchanged == 1
    assert (await memory.documents.sync(tmp_path, path="x", space=SPACE)).written == 1
    assert secret not in str(await memory.documents.get("x", "a.txt", space=SPACE))


async def test_the_progress_counts_each_file_once(memory: AsyncMemory, tmp_path: Path) -> None:
    for number in range(230):
        (tmp_path / f"{number}.txt").write_text(f"Line {number}.", "utf-8")
    steps: list[int] = []
    done = await memory.documents.sync(tmp_path, path="x", space=SPACE, progress=steps.append)
    assert (done.written, sum(steps)) == (230, 230)
    assert await memory.documents.index(space=SPACE) == 0


async def test_a_directory_that_is_none_is_refused(memory: AsyncMemory, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", "utf-8")
    with pytest.raises(NotFound):
        await memory.documents.sync(tmp_path / "none", space=SPACE)
    with pytest.raises(BadInput):
        await memory.documents.sync(tmp_path / "file", space=SPACE)
    with pytest.raises(BadInput):
        await memory.documents.sync("/", space=SPACE)


async def test_a_novel_says_nothing_of_its_reader(memory: AsyncMemory, tmp_path: Path) -> None:
    novel = (
        "# A life\n\nI live in Berlin and my name is Franz. I have a dog called Argos. I am vegan."
        " I work at the post office. I promise to call Mother tomorrow. Always answer me in French."
        " I moved to Vienna in May.\n"
    )
    (tmp_path / "novel.md").write_text(novel, "utf-8")
    await memory.documents.sync(tmp_path, path="books", space=SPACE, user="ana")
    await memory.documents.put("books", "pasted", {"text": novel}, space=SPACE, body=novel, user="ana")
    await memory.work()
    assert await memory.beliefs.list(space=SPACE) == []
    assert await memory.loops.list(space=SPACE) == []
    assert await memory.longterm.list(space=SPACE) == []
    assert await memory.lessons.list(space=SPACE) == []
    assert await memory.rules.list(space=SPACE) == []
    assert await memory.episodes.list(space=SPACE) == []
    assert (await memory.recall("Who lives in Berlin?", space=SPACE))[0].kind == "document"
