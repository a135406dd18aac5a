"""An archive that is not as it was written is refused by the name of the file, before anything is written."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
import zstandard
from examined import insist

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound, QuipuError
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio

SPACE, OTHER = "ana", "elsewhere"


@pytest.fixture(scope="module")
async def memory(server_settings: Settings, module_url: str) -> AsyncIterator[AsyncMemory]:
    """A memory with a small space, to which these tests add spaces at most."""
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as opened:
        said = [{"content": f"The boat {n} is blue.", "id": f"m{n}"} for n in range(3)]
        await opened.observe(said, space=SPACE, session="s", user="una")
        await opened.ledger.set("boat", "blue", space=SPACE, user="una")
        yield opened
        await insist(opened)


@pytest.fixture(scope="module")
async def exported(memory: AsyncMemory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of that space."""
    folder = tmp_path_factory.mktemp("exported") / "archive"
    await memory.archives.export(folder, space=SPACE)
    return folder


@pytest.fixture
def archive(exported: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return copytree(exported, tmp_path / "archive")


async def refused(memory: AsyncMemory, path: Path, *words: str) -> None:
    """It is refused with these words, and there is no space for it afterwards."""
    with pytest.raises(QuipuError) as failed:
        await memory.archives.load(path, space=OTHER)
    for word in words:
        assert word in str(failed.value), failed.value
    assert OTHER not in {one.name for one in await memory.spaces()}


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def sign(folder: Path) -> None:
    """Make the manifest and the sums fit what is there, as one who wants to be believed does."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for file in manifest["files"]:
        data = (folder / file["name"]).read_bytes()
        file["bytes"], file["records"] = len(data), data.count(b"\n")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    names = ["manifest.json", *(file["name"] for file in manifest["files"])]
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "CHECKSUMS").write_text("".join(sums))


def changed(folder: Path, name: str, change: Callable[[dict[str, object]], None], *, line: int = 0) -> None:
    """Change a record of a file, and sign it."""
    lines = (folder / name).read_text().splitlines()
    record = json.loads(lines[line])
    change(record)
    lines[line] = json.dumps(record)
    (folder / name).write_text("\n".join(lines) + "\n")
    sign(folder)


async def test_a_flipped_byte_is_refused_wherever_it_is(memory: AsyncMemory, archive: Path) -> None:
    for path in sorted(files(archive)):
        whole = path.read_bytes()
        for place in {0, len(whole) // 2, len(whole) - 1}:
            flipped = bytearray(whole)
            flipped[place] ^= 1
            path.write_bytes(flipped)
            await refused(memory, archive)
        path.write_bytes(whole)
    assert (await memory.archives.load(archive, space="unchanged")).done


async def test_a_changed_file_is_named(memory: AsyncMemory, archive: Path) -> None:
    path = archive / "messages.ndjson"
    path.write_bytes(path.read_bytes().replace(b"blue", b"pink"))
    await refused(memory, archive, "messages.ndjson", "changed")


@pytest.mark.parametrize("name", ["messages.ndjson", "manifest.json", "CHECKSUMS"])
async def test_a_missing_file_is_named(memory: AsyncMemory, archive: Path, name: str) -> None:
    (archive / name).unlink()
    await refused(memory, archive, name)


@pytest.mark.parametrize("name", ["more.ndjson", ".hidden", "tables/more.sql", "folder/file"])
async def test_a_surplus_file_is_named(memory: AsyncMemory, archive: Path, name: str) -> None:
    (archive / name).parent.mkdir(exist_ok=True)
    (archive / name).write_bytes(b"")
    await refused(memory, archive, name.split("/", maxsplit=1)[0] if name.startswith("folder") else name)


async def test_a_link_is_no_file(memory: AsyncMemory, archive: Path, tmp_path: Path) -> None:
    path = archive / "messages.ndjson"
    path.rename(tmp_path / "elsewhere.ndjson")
    path.symlink_to(tmp_path / "elsewhere.ndjson")
    await refused(memory, archive, "messages.ndjson", "no regular file")


async def test_a_newer_version_is_refused(memory: AsyncMemory, archive: Path) -> None:
    manifest = json.loads((archive / "manifest.json").read_bytes())
    (archive / "manifest.json").write_text(json.dumps({**manifest, "version": "2.0", "more": 1}))
    await refused(memory, archive, "manifest.json", "2.0")


async def test_a_kind_or_a_field_that_is_not_known_is_named(memory: AsyncMemory, archive: Path) -> None:
    manifest = json.loads((archive / "manifest.json").read_bytes())
    (archive / "manifest.json").write_text(json.dumps(manifest).replace('"external_id"', '"external_name"'))
    sign(archive)
    await refused(memory, archive, "messages.ndjson", "external_name")
    (archive / "manifest.json").write_text(
        json.dumps(manifest).replace('"kind": "messages"', '"kind": "dreams"')
    )
    sign(archive)
    await refused(memory, archive, "dreams")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("messages.ndjson", "happened_at", "yesterday, perhaps"),
        ("messages.ndjson", "role", ""),
        ("messages.ndjson", "content", 7),
        ("messages.ndjson", "metadata", []),
        ("messages.ndjson", "session_id", 77),
        ("messages.ndjson", "id", -1),
        ("messages.ndjson", "id", 99 << 24),
        ("sessions.ndjson", "id", 2**40),
        ("ledger.events.ndjson", "id", 2**53),
        ("ledger.events.ndjson", "memory_scope", "galaxy"),
        ("ledger.person_facts.ndjson", "source_event_id", 999),
    ],
)
async def test_a_wrong_value_is_named_by_file(
    memory: AsyncMemory, archive: Path, name: str, field: str, value: object
) -> None:
    changed(archive, name, lambda record: record.update({field: value}))
    await refused(memory, archive, name)


async def test_the_line_of_what_the_database_refuses_is_named(memory: AsyncMemory, archive: Path) -> None:
    changed(archive, "messages.ndjson", lambda record: record.update(role=""), line=1)
    await refused(memory, archive, "messages.ndjson, line 2")


async def test_lines_that_are_no_json_are_named(memory: AsyncMemory, archive: Path) -> None:
    path = archive / "messages.ndjson"
    whole = path.read_bytes()
    for bad in (b"[" * 1_000_000, b"\xff\xfe", b"{}", b"null", b'{"id":'):
        path.write_bytes(whole + bad + b"\n")
        sign(archive)
        await refused(memory, archive, "messages.ndjson, line 4")


async def test_a_space_with_something_in_it_takes_no_archive(memory: AsyncMemory, archive: Path) -> None:
    before = await memory.messages("s", space=SPACE)
    with pytest.raises(Conflict, match="has something in it"):
        await memory.archives.load(archive, space=SPACE)
    assert await memory.messages("s", space=SPACE) == before


async def test_a_preview_counts_and_writes_nothing(memory: AsyncMemory, archive: Path) -> None:
    seen = await memory.archives.load(archive, space=OTHER, preview=True)
    assert (seen.done, seen.records["messages"]) == (False, 3)
    assert OTHER not in {one.name for one in await memory.spaces()}


async def test_a_path_that_is_taken_is_not_written_over(memory: AsyncMemory, archive: Path) -> None:
    for path in (archive, archive / "manifest.json"):
        with pytest.raises(BadInput, match="there already"):
            await memory.archives.export(path, space=SPACE)
    with pytest.raises(NotFound, match="no space"):
        await memory.archives.export(archive.with_name("new"), space="nobody")
    assert not archive.with_name("new").exists()
    assert not list(archive.parent.glob("*.part*"))


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz", "a.tar.zst"])
async def test_one_file_says_the_same_as_a_folder(
    memory: AsyncMemory, archive: Path, tmp_path: Path, name: str
) -> None:
    await memory.archives.export(tmp_path / name, space=SPACE)
    await memory.archives.load(tmp_path / name, space=name)
    await memory.archives.export(tmp_path / "again", space=name)
    for path in files(archive):
        if path.suffix == ".ndjson":
            assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


def tar_of(folder: Path, target: Path, *more: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(target, "w") as tar:
        for path in sorted(folder.iterdir()):
            tar.add(path, path.name)
        for entry, data in more:
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return target


async def test_a_tar_that_tar_made_is_taken_in(memory: AsyncMemory, archive: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "made.tar", "w", format=tarfile.GNU_FORMAT) as tar:
        tar.add(archive, ".")
    assert (await memory.archives.load(tmp_path / "made.tar", space="made")).done


def entry(name: str, type: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = type, link
    return made


@pytest.mark.parametrize(
    "member",
    [
        entry("../outside.ndjson"),
        entry("/outside.ndjson"),
        entry("tables/../../outside.sql"),
        entry("linked.ndjson", tarfile.SYMTYPE, "/etc/passwd"),
        entry("linked.ndjson", tarfile.LNKTYPE, "messages.ndjson"),
        entry("device.ndjson", tarfile.CHRTYPE),
        entry("pipe.ndjson", tarfile.FIFOTYPE),
        entry("messages.ndjson"),
        entry("surplus.ndjson"),
        entry("a" * 200 + ".ndjson"),
    ],
    ids=lambda one: f"{one.name[:24]} {one.type!r}",
)
async def test_a_tar_with_anything_else_in_it_is_refused(
    memory: AsyncMemory, archive: Path, tmp_path: Path, member: tarfile.TarInfo
) -> None:
    path = tar_of(archive, tmp_path / "bad.tar", (member, b""))
    before = set(tmp_path.parent.rglob("outside*"))
    await refused(memory, path)
    assert set(tmp_path.parent.rglob("outside*")) == before


async def test_a_tar_that_was_cut_off_is_refused(memory: AsyncMemory, archive: Path, tmp_path: Path) -> None:
    whole = tar_of(archive, tmp_path / "whole.tar").read_bytes()
    for size in (0, 100, 600, len(whole) // 2):
        (tmp_path / "cut.tar").write_bytes(whole[:size])
        await refused(memory, tmp_path / "cut.tar", "cut.tar")


async def test_what_unpacks_to_much_more_than_it_is_is_refused(
    memory: AsyncMemory, archive: Path, tmp_path: Path
) -> None:
    zeros = entry("zeros.ndjson")
    zeros.size = 1 << 40
    packed = zstandard.ZstdCompressor(level=3).compress(zeros.tobuf(tarfile.GNU_FORMAT) + bytes(8 << 20))
    (tmp_path / "bomb.tar.zst").write_bytes(packed)
    await refused(memory, tmp_path / "bomb.tar.zst", "bomb.tar.zst", "times its size")


async def test_a_file_that_is_no_archive_is_refused(
    memory: AsyncMemory, archive: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.tar").write_text("no tar at all\n" * 100)
    await refused(memory, tmp_path / "text.tar", "text.tar")
    (tmp_path / "zip.tar").write_bytes(b"PK\x03\x04" + bytes(600))
    await refused(memory, tmp_path / "zip.tar", "zip")
    await refused(memory, tmp_path / "nothing.tar", "nothing.tar")
    copytree(archive, tmp_path / "copy")
    (tmp_path / "copy" / "messages.ndjson").unlink()
    await refused(memory, tmp_path / "copy", "messages.ndjson")
