import gzip
import io
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import BadInput, NotFound
from quipu.kernel.base import lines as base
from quipu.record.readers import claude_code, jsonl
from quipu.record.readers.jsonl import RawLine, lines, opened, parse


def test_lines_are_numbered_and_blank_ones_left_out():
    found = list(lines(io.BytesIO(b"\xef\xbb\xbfone\r\n\n  \r\ntwo\nthree")))
    assert found == [RawLine(1, b"one", True), RawLine(4, b"two", True), RawLine(5, b"three", False)]


def test_lines_may_be_handed_in_as_text():
    assert list(lines(["one\n", "", "two"])) == [RawLine(1, b"one", True), RawLine(3, b"two", True)]


@pytest.mark.parametrize("excess", [1, 1000])
def test_a_line_beyond_the_limit_is_passed_over_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch, excess: int
):
    monkeypatch.setattr(base, "_PIECE_BYTES", 16)
    monkeypatch.setattr(jsonl, "next_line", partial(base.next_line, most_bytes=10))
    file = io.BytesIO(b"0123456789\n" + b"x" * (10 + excess) + b"\nnext\n" + b"y" * (10 + excess))
    assert list(lines(file)) == [
        RawLine(1, b"0123456789", True),
        RawLine(2, None, True),
        RawLine(3, b"next", True),
        RawLine(4, None, False),
    ]


def test_a_handed_in_line_beyond_the_limit_is_passed_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jsonl, "LINE_BYTES", 10)
    assert list(lines([b"x" * 11, b"ok"])) == [RawLine(1, None, True), RawLine(2, b"ok", True)]


@given(st.lists(st.binary().filter(lambda line: b"\n" not in line and b"\r" not in line)))
def test_a_file_and_its_lines_say_the_same(said: list[bytes]):
    whole = b"".join(line + b"\n" for line in said)
    assert list(lines(io.BytesIO(whole))) == list(lines(said))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "not JSON"),
        (b'{"content": "cut o', "not JSON"),
        (b"[1]", "one object on each line"),
        (b'"text"', "not an object"),
        (b"null", "not an object"),
        (b'{"content": "caf\xe9"}', "UTF-8"),
        (b"[" * 100_000, "nested more than 100 deep"),
        (b'{"content": ' * 101 + b"1" + b"}" * 101, "nested more than 100 deep"),
        (b'{"id": ' + b"9" * 10_000 + b"}", "number"),
    ],
)
def test_a_line_that_says_no_object_is_refused_with_the_reason(data: bytes, reason: str):
    found = parse(data)
    assert isinstance(found, str)
    assert reason in found


def test_odd_but_readable_json_is_read():
    assert parse(b'{"content": "one", "content": "two", "time": NaN}') == {
        "content": "two",
        "time": pytest.approx(float("nan"), nan_ok=True),
    }
    assert parse(b'{"content": "\\ud800"}') == {"content": "\ud800"}


@given(st.binary())
def test_any_line_gives_an_object_or_a_reason(data: bytes):
    assert isinstance(parse(data), dict | str)


def test_a_missing_file_and_a_directory_are_told_apart(tmp_path: Path):
    with pytest.raises(NotFound, match="no file"), opened(tmp_path / "none.jsonl"):
        pass
    with pytest.raises(BadInput, match="directory"), opened(tmp_path):
        pass


@pytest.mark.parametrize("read", [jsonl.read, claude_code.read])
def test_both_readers_tell_of_an_over_long_line_and_go_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, read
):
    monkeypatch.setattr(jsonl, "next_line", partial(base.next_line, most_bytes=100))
    path = tmp_path / "s.jsonl"
    path.write_text('{"content": "%s"}\n{"type": "user", "message": {"content": "short"}}\n' % ("x" * 200))
    refusal, message = read(path)
    assert (refusal.line, message.number) == (1, 2)
    assert "64 MiB" in refusal.reason


def test_a_file_that_cannot_be_opened_says_so(tmp_path: Path):
    path = tmp_path / "loop.jsonl"
    path.symlink_to(path)
    with pytest.raises(BadInput, match="cannot be read"), opened(path):
        pass


@pytest.mark.parametrize("read", [jsonl.read, claude_code.read])
def test_both_readers_name_a_compressed_file_and_do_not_unpack_it(tmp_path: Path, read):
    path = tmp_path / "s.jsonl"
    path.write_bytes(gzip.compress(b'{"content": "x"}\n' * 100_000))
    (refusal,) = read(path)
    assert (refusal.line, refusal.reason) == (
        1,
        "the file is compressed (gzip); unpack it and read it again.",
    )
