import io
import json
import tracemalloc
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from quipu.record.model import FoundMessage, Refusal
from quipu.record.readers import jsonl


def test_a_file_is_read_line_by_line_and_each_knows_its_place(tmp_path: Path):
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"content": "one"}\r\n\r\n{"content": "two", "id": 7}\n')
    found = list(jsonl.read(path))
    assert found == [{"content": "one"}, {"content": "two", "id": 7}]
    assert [(line.number, line.file) for line in found if isinstance(line, FoundMessage)] == [
        (1, str(path)),
        (3, str(path)),
    ]
    assert list(jsonl.read(str(path))) == found


def test_broken_lines_in_the_middle_are_told_and_the_rest_is_read():
    count = 50_000
    broken = {100: b"{", 25_000: b"\xff\xfe{}", 25_001: b"[]", 49_999: b'{"content": "cut'}
    source = (broken.get(number, b'{"content": "%d"}' % number) + b"\n" for number in range(1, count + 1))
    found = list(jsonl.read(source))
    assert len(found) == count
    assert [line.line for line in found if isinstance(line, Refusal)] == sorted(broken)
    assert [line.number for line in found if isinstance(line, FoundMessage)] == [
        n for n in range(1, count + 1) if n not in broken
    ]


def test_a_utf16_file_is_refused_once():
    found = list(jsonl.read(io.BytesIO('{"content": "one"}\n{"content": "two"}\n'.encode("utf-16"))))
    assert [refusal.reason for refusal in found if isinstance(refusal, Refusal)] == [
        "the file is UTF-16; save it as UTF-8 and read it again."
    ]


def test_a_refusal_names_the_file_and_never_the_content(tmp_path: Path):
    path = tmp_path / "chat.jsonl"
    path.write_text('{"content": "my secret plan"\n')
    [refusal] = jsonl.read(path)
    assert str(refusal).startswith(f"{path}:1: ")
    assert "secret" not in str(refusal)


def test_memory_is_bounded_by_a_line_and_not_by_the_file(tmp_path: Path):
    path = tmp_path / "large.jsonl"
    line = json.dumps({"content": "x" * 1000}) + "\n"
    path.write_text(line * 20_000)
    tracemalloc.start()
    count = sum(1 for _ in jsonl.read(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 1_000_000 < path.stat().st_size


@given(st.lists(st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text())))
def test_what_was_written_is_read(messages: list[dict[str, object]]):
    written = "".join(json.dumps(message) + "\n" for message in messages)
    assert list(jsonl.read(io.BytesIO(written.encode()))) == messages


@given(st.binary())
def test_any_bytes_give_messages_or_refusals(data: bytes):
    assert all(isinstance(found, FoundMessage | Refusal) for found in jsonl.read(io.BytesIO(data)))
