"""The places that can hold what was erased: those that the notes to a receipt name, and what is there now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.place import find_place
from quipu.upkeep.backup.bases import listing, put_aside
from quipu.upkeep.erasure.model import CheckedPlace, State
from quipu.upkeep.snapshots.model import Snapshot
from quipu.upkeep.snapshots.shelf import Shelf

# What ends a place.
PAGES: Final = "their space is written to again; quipu forget --rewrite RECEIPT rewrites the tables"
LOG: Final = "its segments are recycled and written over, after the next checkpoints"
ARCHIVE: Final = "newer bases are taken and the older removed (quipu backup base --keep)"
BASE: Final = "it is removed (quipu backup base --keep)"
ASIDE: Final = "you remove the directory that a restore put aside"
SNAPSHOT: Final = "the retention of snapshots is over, or it is deleted (quipu snapshots erase)"
EXPORT: Final = "whoever has the file deletes it"

_COMPRESSED: Final = "a long value that PostgreSQL compressed is not found as bytes"
_LOG: Final = "write-ahead log"
_ARCHIVE: Final = "archived log"
_PAGES: Final = "data files"
_ELSEWHERE: Final = "give a copy that you can reach with --export"
_NO_NOTE: Final = "the receipt has no note: the process ended before it was written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """A place of files. ``key`` names it where a search goes on, ``root`` is None where no file can be read.

    ``own``: it belongs to one space alone. ``without`` are directories in it that are places of their own.
    """

    key: str
    place: str
    root: Path | None = None
    state: State = "there"
    until: str = ""
    note: str = ""
    own: bool = False
    without: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class Notes:
    """Content of the notes to a receipt.

    ``segment`` is that of the log at the erasure, empty if unknown; ``rewritten`` is the time at which the
    tables were rewritten, if they were.
    """

    noted: bool
    segment: str
    snapshots: Mapping[str, str]
    bases: Sequence[str]
    aside: Sequence[str]
    exports: Sequence[Mapping[str, Any]]
    rewritten: str

    @classmethod
    def of(cls, documents: Sequence[Mapping[str, Any]]) -> Notes:
        """Read signed documents: a receipt and its notes, the last one if there are several of a kind."""
        remains = _last(documents, "remains")
        rewritten = _last(documents, "rewritten")
        backups = _mapping(remains.get("backups"))
        return cls(
            noted=bool(remains),
            segment=str(_mapping((rewritten or remains).get("log")).get("segment", "")),
            snapshots={
                str(one.get("sha256")): str(one.get("taken_at")) for one in _items(remains.get("snapshots"))
            },
            bases=[str(one.get("name")) for one in _items(backups.get("bases"))],
            aside=[str(one.get("name")) for one in _items(backups.get("aside"))],
            exports=_items(remains.get("exports")),
            rewritten=str(rewritten.get("at", "")) if rewritten.get("clean") else "",
        )


def of_snapshots(notes: Notes, shelf: Shelf, space_id: int, kept: Iterable[Snapshot]) -> list[Holder]:
    """Return the snapshots of a space, and what else lies in their directory."""
    holders: list[Holder] = []
    there: set[str] = set()
    for one in kept:
        there.add(one.sha256)
        path = shelf.path(space_id, one.name)
        later = notes.noted and one.sha256 not in notes.snapshots
        holders.append(
            Holder(
                key=f"snapshot {one.name}",
                place=f"snapshot {one.name} (SHA-256 {one.sha256})",
                root=path if path.exists() else None,
                state="there" if path.exists() else "gone",
                until=SNAPSHOT,
                note="taken after the erasure" if later else "",
                own=True,
            )
        )
    holders += [
        Holder(
            key=f"snapshot {sha256}",
            place=f"snapshot of {taken_at} (SHA-256 {sha256})",
            state="gone",
            own=True,
        )
        for sha256, taken_at in notes.snapshots.items()
        if sha256 not in there
    ]
    room = shelf.root / str(space_id)
    if room.is_dir():
        paths = frozenset(one.root for one in holders if one.root is not None)
        rest = "other files of snapshots"
        holders.append(Holder(key=rest, place=rest, root=room, until=SNAPSHOT, own=True, without=paths))
    return holders


def of_embedded(notes: Notes, settings: Settings, snapshots: Path) -> list[Holder]:
    """Return the files of the embedded database: its log and data, the bases, and the rest of its home."""
    place, backups = find_place(settings), listing(settings)
    log = place.data / "pg_wal"
    archive, shelves = backups.log.directory, backups.directory
    segments = sorted(path.name for path in log.glob("?" * 24) if path.is_file())
    archived = sorted(path.name[:24] for path in archive.glob("?" * 24 + "*")) if archive.is_dir() else []
    cleaned = f"rewritten at {notes.rewritten}" if notes.rewritten else ""
    pages = Holder(
        key=_PAGES,
        place=_PAGES,
        root=place.data,
        until="" if cleaned else PAGES,
        note=cleaned or _COMPRESSED,
        without=frozenset({log}),
    )
    holders = [_log(notes, _LOG, segments, root=log, until=LOG), pages]
    holders.append(_log(notes, _ARCHIVE, archived, root=archive if archived else None, until=ARCHIVE))
    there = {name: shelves / name for name in backups.names}
    holders += _directories(notes.bases, there, "base backup", until=BASE)
    aside = {name: place.state / name for name in put_aside(settings)}
    holders += _directories(notes.aside, aside, "put aside by a restore", until=ASIDE)
    known = {place.data, archive, shelves, snapshots, *there.values(), *aside.values()}
    rest = "other files of the home"
    for key, root in {rest: place.home, f"{rest} (server)": place.state}.items():
        if root.is_dir() and not (key != rest and root.is_relative_to(place.home)):
            holders.append(Holder(key=key, place=key, root=root, without=frozenset(known)))
    unfinished = frozenset({*there.values(), archive})
    if shelves.is_dir():
        key = "other files of the backups"
        holders.append(Holder(key=key, place=key, root=shelves, until=BASE, without=unfinished))
    return holders


def of_server(notes: Notes, segments: Sequence[str] | None) -> list[Holder]:
    """Describe the files of a separate server: those of its log by name, if it lists them."""
    if segments is None:
        log = Holder(key=_LOG, place=_LOG, state="not reachable", until=LOG, note="the server tells nothing")
    else:
        log = _log(notes, _LOG, segments, root=None, until=LOG)
        log = log if log.state == "gone" else _unreachable(log)
    cleaned = f"rewritten at {notes.rewritten}" if notes.rewritten else ""
    pages = Holder(
        key=_PAGES,
        place=_PAGES,
        state="gone" if cleaned else "not reachable",
        until="" if cleaned else PAGES,
        note=cleaned or _ELSEWHERE,
    )
    key = "archived log, base backups and replicas"
    return [log, pages, Holder(key=key, place=key, state="not reachable", note=_ELSEWHERE)]


def unreached(notes: Notes, seen: Iterable[str]) -> list[CheckedPlace]:
    """Return exports that the receipt names and that are not among the given files."""
    files = set(seen)
    places = [
        CheckedPlace(
            f"export {one.get('id')} ({one.get('kind')}, {one.get('written_at')})",
            "not reachable",
            until=str(one.get("until", "")),
            note="give the file with --export",
        )
        for one in notes.exports
        if str(one.get("id")) not in files
    ]
    if not notes.noted:
        places.append(CheckedPlace("what was copied before the erasure", "not reachable", note=_NO_NOTE))
    return places


def _log(notes: Notes, place: str, segments: Sequence[str], *, root: Path | None, until: str) -> Holder:
    """Describe a log: does it still have segments written up to the erasure?"""
    before = [name for name in segments if not notes.segment or name[8:24] <= notes.segment[8:24]]
    count = f"{len(before)} of {len(segments)} segments are of before"
    if notes.rewritten:
        count = f"{count} the tables were rewritten"
    return Holder(
        key=place,
        place=place,
        root=root,
        state="there" if before or (root is not None and segments) else "gone",
        until=until if before else "",
        note=count if segments else "",
    )


def _unreachable(one: Holder) -> Holder:
    return Holder(
        key=one.key, place=one.place, state="not reachable", until=one.until, note=f"{one.note}; {_ELSEWHERE}"
    )


def _directories(noted: Sequence[str], there: Mapping[str, Path], what: str, *, until: str) -> list[Holder]:
    holders = [
        Holder(key=f"{what} {name}", place=f"{what} {name}", root=path, until=until, note=_COMPRESSED)
        for name, path in there.items()
    ]
    gone = [name for name in noted if name not in there]
    return holders + [Holder(key=f"{what} {name}", place=f"{what} {name}", state="gone") for name in gone]


def _last(documents: Sequence[Mapping[str, Any]], type_: str) -> Mapping[str, Any]:
    matching: list[Mapping[str, Any]] = [one for one in documents if one.get("type") == type_]
    return matching[-1] if matching else {}


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _items(value: object) -> list[Mapping[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [_mapping(one) for one in items]
