"""An archive in other formats: what it has of the space, and what it leaves out."""

from __future__ import annotations

import hashlib
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any, get_args

import pytest
import seeding
from archive_space import SPACE

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.upkeep.archive.formats.conversion import ArchiveFormat, OtherFormat

pytestmark = pytest.mark.anyio

OTHERS = get_args(OtherFormat)


def files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def names(folder: Path, pattern: str = "*") -> set[str]:
    return {path.name for path in folder.glob(pattern)}


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("wanted", OTHERS)
async def test_every_record_is_in_it_or_counted_as_left_out(
    full: AsyncMemory, tmp_path: Path, wanted: ArchiveFormat
) -> None:
    whole = await full.archives.export(tmp_path / "whole", space=SPACE)
    done = await full.archives.export(tmp_path / "other", space=SPACE, format=wanted)
    assert done.format == wanted
    assert whole.left_out == {}
    both = {kind: done.records.get(kind, 0) + done.left_out.get(kind, 0) for kind in whole.records}
    assert both == whole.records
    assert {"longterm", "lessons", "beliefs", "documents", "sessions", "messages"} <= done.records.keys()
    assert "tables" in done.left_out
    assert done.bytes == size(tmp_path / "other")


@pytest.mark.parametrize("wanted", OTHERS)
async def test_its_sums_are_right_and_one_file_has_the_same_as_a_folder(
    full: AsyncMemory, tmp_path: Path, wanted: ArchiveFormat
) -> None:
    for name in ("folder", "one.zip", "one.tar.gz"):
        await full.archives.export(tmp_path / name, space=SPACE, format=wanted)
    folder = tmp_path / "folder"
    sums = dict(reversed(line.split("  ", 1)) for line in (folder / "CHECKSUMS").read_text().splitlines())
    assert sums == {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sums}
    assert sums.keys() == files(folder).keys() - {
        "CHECKSUMS",
        *(["manifest.json"] if wanted == "mem" else []),
    }
    with zipfile.ZipFile(tmp_path / "one.zip") as packed, tarfile.open(tmp_path / "one.tar.gz") as tar:
        assert set(packed.namelist()) == set(tar.getnames()) == files(folder).keys()
        name = next(name for name in sums if name not in ("README.md", "manifest.json", "space.md"))
        assert packed.read(name).decode() == files(folder)[name]
    assert not names(tmp_path, "*.part*")


@pytest.mark.parametrize("wanted", OTHERS)
async def test_the_same_space_is_written_the_same(
    full: AsyncMemory, tmp_path: Path, wanted: ArchiveFormat
) -> None:
    for name in ("a", "b"):
        await full.archives.export(tmp_path / name, space=SPACE, format=wanted)
    first, second = (files(tmp_path / name) for name in ("a", "b"))
    moments = {"CHECKSUMS", "README.md", "manifest.json"}
    assert first.keys() == second.keys()
    for name in first.keys() - moments:
        texts = [
            "\n".join(line for line in text.splitlines() if not line.startswith("taken_at:"))
            for text in (first[name], second[name])
        ]
        assert texts[0] == texts[1], name


@pytest.mark.parametrize("wanted", OTHERS)
async def test_a_person_gets_what_is_theirs_and_no_word_of_others(
    memory: AsyncMemory, tmp_path: Path, wanted: ArchiveFormat
) -> None:
    mine, theirs = "aardvark", "bonobo"
    for mark, user in ((mine, seeding.USER), (theirs, "bo")):
        sessions = (f"{mark} one", f"{mark} two")
        await seeding.said(memory, SPACE, mark, user=user, sessions=sessions)
        await seeding.longterm(memory, SPACE, mark, user=user, session=sessions[0])
        await seeding.documents(memory, SPACE, mark, user=user)
    await memory.lessons.add(f"The {theirs} tests need Docker.", space=SPACE)
    done = await memory.archives.export(tmp_path / "una", space=SPACE, user=seeding.USER, format=wanted)
    found = files(tmp_path / "una")
    assert {"longterm", "documents", "messages"} <= done.records.keys()
    assert sum(mine in text for text in found.values()) >= 3
    for name, text in found.items():
        assert theirs not in f"{name}\n{text}", name


async def test_a_zip_is_no_archive_of_quipu_and_a_strange_format_is_refused(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    await memory.observe([{"content": "hello"}], space=SPACE)
    with pytest.raises(BadInput, match="no zip"):
        await memory.archives.export(tmp_path / "a.zip", space=SPACE)
    with pytest.raises(BadInput, match="none of quipu, markdown"):
        await memory.archives.export(tmp_path / "a", space=SPACE, format="pdf")  # type: ignore[arg-type]
    assert not names(tmp_path)


async def test_more_sessions_than_one_digit_keep_their_messages(memory: AsyncMemory, tmp_path: Path) -> None:
    for number in range(12):
        said = [{"content": f"word {number}.{place}"} for place in range(2)]
        await memory.observe(said, space=SPACE, session=f"s{number}")
    await memory.archives.export(tmp_path / "a", space=SPACE, format="cogx")
    episodes = lines(files(tmp_path / "a")["episodes.jsonl"])
    assert {one["external_id"]: [turn["content"] for turn in one["turns"]] for one in episodes} == {
        f"s{number}": [f"word {number}.{place}" for place in range(2)] for number in range(12)
    }
