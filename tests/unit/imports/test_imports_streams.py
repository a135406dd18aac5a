"""Long JSON in pieces, and archives that are damaged, locked, or more than they seem."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import written

from quipu.app.imports import stream
from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.errors import BadInput

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(params=[1, 2, 3, 7, 1 << 20])
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many bytes are read at once."""
    monkeypatch.setattr(stream, "_PIECE", request.param)


def file_of(value: Any, **how: Any) -> io.BytesIO:
    return io.BytesIO(json.dumps(value, **how).encode())


@pytest.mark.usefixtures("piece")
@given(value=st.lists(PLAIN, max_size=5), indent=st.none() | st.integers(0, 2), ascii_=st.booleans())
def test_an_array_in_pieces_is_the_array(value: list[Any], indent: int | None, ascii_: bool) -> None:
    text = file_of(value, indent=indent, ensure_ascii=ascii_)
    assert list(stream.elements(text, "f")) == value


@pytest.mark.usefixtures("piece")
@given(value=st.dictionaries(st.text(max_size=4), PLAIN, max_size=5), indent=st.none() | st.integers(0, 2))
def test_an_object_in_pieces_is_its_members(value: dict[str, Any], indent: int | None) -> None:
    expected = [
        (key, one) for key, inner in value.items() for one in (inner if isinstance(inner, list) else [inner])
    ]
    assert list(stream.members(file_of(value, indent=indent), "f")) == expected
    some = sorted(value)[:1]
    found = list(stream.members(file_of(value, indent=indent), "f", some))
    assert found == [(key, one) for key, one in expected if key in some]


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", '{"a"', '{"a":', '{"a": [', '{"a": [1', '{"a": 1}}', '{"a": 1} 2', "[1]", "{1: 2]"),
        *('{"a" 1}', '{"a": [1]]}', '{"a": "x}', '{"a": ' + "[" * 200 + "]" * 200 + "}"),
    ],
)
def test_what_is_no_object_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadInput, match=r"f\.json"):
        list(stream.members(io.BytesIO(text.encode()), "f.json"))


@given(st.text(alphabet='{}[]:,"\\a1 ', max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (stream.elements, stream.members):
        try:
            list(read(io.BytesIO(text.encode()), "f.json"))
        except BadInput as error:
            assert "f.json" in str(error)  # noqa: PT017 - or nothing is raised


def test_lines_that_are_no_json_are_refused_by_their_place(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1}\n\n{\n\xff\n' + b"[" * 200 + b"\n2")
    account = Account()
    with SourceFiles.opened(path) as files:
        assert list(files.objects("a.jsonl", account)) == [
            ("a.jsonl, line 1", {"a": 1}), ("a.jsonl, line 6", 2),
        ]  # fmt: skip
    assert [one.partition(":")[0] for one in account.refused] == [
        f"a.jsonl, line {number}" for number in (3, 4, 5)
    ]


def zipped(path: Path, **members: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_a_damaged_member_is_refused_by_name(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", **{"a.txt": "words " * 100})
    data = bytearray(path.read_bytes())
    data[40] ^= 0xFF  # in the packed words
    path.write_bytes(data)
    with SourceFiles.opened(path) as files, pytest.raises(BadInput, match=r"a\.txt is damaged"):
        files.text("a.txt")


def test_a_locked_zip_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", **{"a.txt": "words"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 8
    data[at : at + 2] = struct.pack("<H", struct.unpack("<H", data[at : at + 2])[0] | 1)
    path.write_bytes(data)
    with pytest.raises(BadInput, match="is encrypted"), SourceFiles.opened(path):
        pass


def test_a_zip_with_impossible_dates_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", **{"a.txt": "words"})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 12
    data[at : at + 4] = b"\x00\x00\x00\x00"  # the month 0
    path.write_bytes(data)
    with SourceFiles.opened(path) as files:
        assert files.modified("a.txt").year >= 2026


def test_what_only_is_a_zip_inside_is_a_file(tmp_path: Path) -> None:
    zipped(tmp_path / "letter.docx", **{"word/document.xml": "<x/>"})
    zipped(tmp_path / "more.zip", **{"a.txt": "words"})
    with SourceFiles.opened(tmp_path) as files:
        assert files.names == ["letter.docx", "more.zip/a.txt"]
