"""A file is read in whole lines, from where it was read to, wherever it is cut."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quipu.kinds.transcripts.formats.chunks import START, Mark, chunks

LINES = [json.dumps({"n": number, "text": "x" * number}).encode() + b"\n" for number in range(9)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def read(path: Path, since: Mark = START, *, size_bytes: int = 1) -> tuple[list[bytes], Mark]:
    lines: list[bytes] = []
    mark = since
    for chunk in chunks(path, since, size_bytes=size_bytes):
        lines += chunk.lines
        mark = chunk.mark
    return lines, mark


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, sum(map(len, LINES))), max_size=4), st.integers(1, 200))
def test_a_file_that_grows_in_any_steps_is_read_once(file: Path, cuts: list[int], size_bytes: int) -> None:
    whole, found, mark = b"".join(LINES), list[bytes](), START
    for cut in [*sorted(cuts), len(whole)]:
        file.write_bytes(whole[:cut])
        lines, mark = read(file, mark, size_bytes=size_bytes)
        found += lines
    assert b"".join(found) == whole
    assert mark == Mark(len(whole), hashlib.sha256(whole).digest())


def test_a_half_written_line_waits_and_a_whole_one_without_its_end_does_not(file: Path) -> None:
    file.write_bytes(LINES[0] + b'{"text": "a brace } at the end}')
    assert read(file)[0] == [LINES[0]]
    file.write_bytes(LINES[0] + b'{"whole": true}')
    assert read(file)[0] == [LINES[0], b'{"whole": true}']


@pytest.mark.parametrize("now", [b"".join(LINES[1:]), b"".join(LINES[:2]), b"", b"X" + b"".join(LINES)[1:]])
def test_what_is_rewritten_or_cut_off_is_read_anew(file: Path, now: bytes) -> None:
    file.write_bytes(b"".join(LINES[:4]))
    _, mark = read(file)
    file.write_bytes(now)
    found = list(chunks(file, mark))
    assert found[0].reread
    assert b"".join(line for chunk in found for line in chunk.lines) == now
    assert found[-1].mark.offset_bytes == len(now)


def test_a_half_written_line_is_told_of_until_it_has_its_end(file: Path) -> None:
    """Nothing said so, and a file of nothing else was read again by every sync."""
    for content, waiting in (
        (LINES[0] + b'{"half', [False, True]),
        (b'{"half', [True]),
        (LINES[0], [False]),
        (b'{"whole": true}', [False]),
        (LINES[0] + b"\0\1\2", [False, False]),
        (b"", []),
    ):
        file.write_bytes(content)
        assert [chunk.waiting for chunk in chunks(file)] == waiting, content


def test_a_file_that_is_no_text_says_so(file: Path) -> None:
    file.write_bytes(LINES[0] + b"\0\1\2" * 99)
    assert [chunk.binary for chunk in chunks(file)] == [False, True]


def test_a_file_is_read_in_pieces_of_about_a_size(file: Path) -> None:
    file.write_bytes(b"".join(LINES))
    read = [b"".join(chunk.lines) for chunk in chunks(file, size_bytes=60)]
    assert len(read) == 5
    assert max(map(len, read)) <= 60
    assert b"".join(read) == b"".join(LINES)


def test_the_first_pieces_are_small(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quipu.kinds.transcripts.formats.chunks.FIRST_BYTES", 100)
    file.write_bytes(b"0123456 8\n" * 150)
    sizes = [len(chunk.lines) for chunk in chunks(file, size_bytes=400)]
    assert sizes == [10, 20, 40, 40, 40]
