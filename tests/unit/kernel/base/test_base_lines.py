"""Lines that are longer than a limit are not loaded, and what is compressed is known by how it begins."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.base.lines import compression, next_line, rest_of_line


@given(st.binary(), st.integers(1, 20))
def test_lines_and_their_rests_are_the_file(data: bytes, most: int) -> None:
    file, read = io.BytesIO(data), list[bytes]()
    while (line := next_line(file, most)) is not None:
        assert len(line.data) <= most + 1
        whole = line.data if line.whole else line.data + b"".join(rest_of_line(file))
        read.append(whole)
    assert read == io.BytesIO(data).readlines()


def test_a_line_of_a_gigabyte_is_read_in_pieces() -> None:
    class Endless(io.RawIOBase):
        """A line of 1 GiB, made as it is read."""

        left = 1 << 30

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
            count = min(len(buffer), self.left)
            self.left -= count
            buffer[:count] = b"x" * count
            return count

    file = io.BufferedReader(Endless())
    line = next_line(file)
    assert line is not None
    assert not line.whole
    sizes = [len(piece) for piece in rest_of_line(file)]
    assert len(line.data) + sum(sizes) == 1 << 30
    assert max(sizes) <= 1 << 20


def test_what_is_compressed_is_known_by_how_it_begins() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a", "b")
    assert compression(packed.getvalue()) == "zip"
    assert compression(gzip.compress(b"{}")) == "gzip"
    assert compression(bz2.compress(b"{}")) == "bzip2"
    assert compression(lzma.compress(b"{}")) == "xz"
    assert compression(b"\x28\xb5\x2f\xfd\x00") == "zstd"
    assert compression(b'{"content": "PK"}') is None
    assert compression(b"") is None
