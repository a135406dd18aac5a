"""Archives as one file: a tar that is written and read as a stream, compressed or not, or a zip."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from quipu.errors import BadInput, MissingExtra
from quipu.kernel.base.lines import compression

_ZIP: Final = ".zip"
SUFFIXES: Final = (".tar", ".tar.gz", ".tgz", ".tar.zst", _ZIP)
"""How the name of an archive ends that is one file."""

_NAME: Final = re.compile(
    r"(?:\./)?((?:tables/)?[A-Za-z][A-Za-z0-9_.]{0,80}|vectors/[0-9]{1,5}\.(?:npy|ids))"
)
_BLOCK: Final = 512
_PIECE: Final = 1 << 20
# Records compress to a tenth or so. What unpacks to more than this is made to fill a disk.
_MOST_TIMES: Final = 200
_FREE_BYTES: Final = 64 << 20
_DIRECTORIES: Final = (tarfile.DIRTYPE,)
_FILES: Final = (tarfile.REGTYPE, tarfile.AREGTYPE)


def is_one_file(path: Path) -> bool:
    """Return True if the name of an archive says that it is one file, and no directory."""
    return path.name.endswith(SUFFIXES)


def is_zip(path: Path) -> bool:
    """Return True if the name of an archive says that it is a zip."""
    return path.name.endswith(_ZIP)


def pack(folder: Path, names: Sequence[str], target: Path, *, like: str) -> None:
    """Write files of a folder into a tar or a zip, in their order; the name ``like`` says which, and how.

    Raises:
        MissingExtra: Zstandard is not installed.
    """
    if like.endswith(_ZIP):
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as packed:
            for name in names:
                entry = _zip_entry(name, (folder / name).stat().st_size)
                with (folder / name).open("rb") as content, packed.open(entry, "w") as member:
                    shutil.copyfileobj(content, member, _PIECE)
        return
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(target.open("xb"))
        stream = stack.enter_context(_compressed(file, like))
        tar = stack.enter_context(tarfile.open(fileobj=stream, mode="w|", format=tarfile.GNU_FORMAT))
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = (folder / name).stat().st_size
            entry.mode = 0o600
            with (folder / name).open("rb") as content:
                tar.addfile(entry, content)


def _zip_entry(name: str, size: int) -> zipfile.ZipInfo:
    """Return an entry without a time, so that the same files are the same zip."""
    entry = zipfile.ZipInfo(name)
    entry.file_size = size
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o600 << 16
    return entry


def unpack(path: Path, folder: Path) -> None:
    """Write the files of a tar into an empty folder.

    Raises:
        BadInput: it is no tar, or has more in it than files of an archive; the member is named.
        MissingExtra: it is compressed with Zstandard, which is not installed.
    """
    with path.open("rb") as file:
        size = path.stat().st_size
        try:
            with _plain(file, path.name) as stream:
                for name, content in _members(stream, path.name, most=_FREE_BYTES + _MOST_TIMES * size):
                    target = folder / name
                    target.parent.mkdir(exist_ok=True)
                    with target.open("xb") as written:
                        for piece in content:
                            written.write(piece)
        except FileExistsError as error:
            raise _bad(path.name, f"{Path(str(error.filename)).name} is in it twice") from error
        except (EOFError, gzip.BadGzipFile, *_zstandard_errors()) as error:
            raise _bad(path.name, f"it is damaged: {error}") from error


def _members(stream: IO[bytes], archive: str, *, most: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Yield name and content of each file; the content is to be read before the next."""
    left = most
    while any(header := _exactly(stream, _BLOCK, archive)):
        try:
            entry = tarfile.TarInfo.frombuf(header, "utf-8", "strict")
        except (tarfile.HeaderError, UnicodeDecodeError) as error:
            raise _bad(archive, "it is no tar, or damaged") from error
        if entry.type in _DIRECTORIES and entry.name.strip("./") in ("", "tables", "vectors"):
            continue
        match = _NAME.fullmatch(entry.name)
        if entry.type not in _FILES or match is None or entry.size < 0:
            raise _bad(archive, f"{entry.name!r} is no file of an archive")
        left -= entry.size
        if left < 0:
            raise _bad(archive, f"{entry.name!r} unpacks to more than {_MOST_TIMES} times its size")
        yield match[1], _content(stream, entry.size, archive)
        _exactly(stream, -entry.size % _BLOCK, archive)


def _content(stream: IO[bytes], size: int, archive: str) -> Iterator[bytes]:
    while size:
        piece = _exactly(stream, min(size, _PIECE), archive)
        size -= len(piece)
        yield piece


def _exactly(stream: IO[bytes], size: int, archive: str) -> bytes:
    """Return so many bytes.

    Raises:
        BadInput: the stream ends before.
    """
    data = bytearray()
    while len(data) < size:
        more = stream.read(size - len(data))
        if not more:
            raise _bad(archive, "it ends too early")
        data += more
    return bytes(data)


@contextmanager
def _compressed(file: IO[bytes], name: str) -> Generator[IO[bytes]]:
    if name.endswith((".gz", ".tgz")):
        with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0, compresslevel=6) as packed:
            yield packed  # pyright: ignore[reportReturnType]
    elif name.endswith(".zst"):
        with _zstandard().ZstdCompressor(level=3).stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file


@contextmanager
def _plain(file: IO[bytes], name: str) -> Generator[IO[bytes]]:
    start = file.read(_BLOCK)
    file.seek(0)
    match compression(start):
        case None:
            yield file
        case "gzip":
            with gzip.GzipFile(fileobj=file) as stream:
                yield stream  # pyright: ignore[reportReturnType]
        case "zstd":
            library = _zstandard()
            reader = library.ZstdDecompressor(max_window_size=1 << 27)
            with reader.stream_reader(file, read_across_frames=True, closefd=False) as stream:
                yield io.BufferedReader(stream, _PIECE)
        case other:
            raise _bad(name, f"it is compressed with {other}; a tar, or one with gzip or zstd, is an archive")


def _zstandard() -> Any:
    try:
        return import_module("zstandard")
    except ImportError as error:
        raise MissingExtra("zstd", "An archive that is compressed with Zstandard") from error


def _zstandard_errors() -> tuple[type[Exception], ...]:
    try:
        found: Callable[..., Any] = import_module("zstandard").ZstdError
    except ImportError:
        return ()
    return (found,)  # pyright: ignore[reportReturnType]


def _bad(archive: str, problem: str) -> BadInput:
    return BadInput(f"{archive}: {problem}.", field="path", hint="Nothing was taken in.")
