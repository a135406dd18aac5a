"""Place of snapshots: a file for each, and a manifest beside it.

    <directory>/<database>/<number of the space>/memory_20260314_150000.sql
                                                 memory_20260314_150000.json      the manifest
                                                 memory_20260314_150000.vectors   of the index

Vectors that did not change since the last snapshot are one file with several names.

The name of a space is in no path: names are often people. A manifest is written last, so a snapshot that has
one is whole.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Final, cast

from psycopg import conninfo

from quipu.errors import BadInput, NotFound
from quipu.kernel.config import Settings
from quipu.upkeep.snapshots.model import Snapshot, Sum
from quipu.upkeep.snapshots.rights import plain, read

_FORMAT: Final = 1
_ABANDONED_SECONDS: Final = 86_400
_ODD: Final = re.compile(r"[^A-Za-z0-9._-]+")


_FORM: Final = "%Y%m%d_%H%M%S"
_NAME: Final = re.compile(r"(memory(?:_[a-z0-9_]+)?)_([0-9]{8}_[0-9]{6})\.sql")


@dataclass(frozen=True, slots=True)
class Shelf:
    """The snapshots of one database."""

    root: Path

    @classmethod
    def of(cls, settings: Settings, url: str) -> Shelf:
        """Return the shelf of the settings: QUIPU_SNAPSHOT_DIRECTORY, or ``snapshots`` in the home."""
        place = settings.snapshot_directory or settings.home / "snapshots"
        parameters = conninfo.conninfo_to_dict(url)
        parts = [parameters.get("dbname") or "quipu"]
        if settings.database_url is not None:
            parts = [parameters.get("host") or "local", parameters.get("port") or "5432", *parts]
        return cls(place / "-".join(_ODD.sub("_", str(part)).strip("._") or "_" for part in parts))

    def room(self, space_id: int) -> Path:
        """Return the directory of a space, made if it is missing; nobody else may look in."""
        place = self.root / str(space_id)
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return place

    def free_name(self, space_id: int, schema: str, taken_at: datetime) -> str:
        """Return a name for a new snapshot."""
        return name_of(schema, taken_at, taken={path.name for path in self._place(space_id).glob("*.sql")})

    def all(self, space_id: int, space: str) -> list[Snapshot]:
        """Return the whole snapshots of a space, newest first."""
        snapshots = (_read(path, space) for path in self._place(space_id).glob("*.json"))
        whole = [one for one in snapshots if one is not None]
        return sorted(whole, key=lambda one: (one.taken_at, one.name), reverse=True)

    def find(self, space_id: int, space: str, name: str) -> Snapshot:
        """Return a snapshot by its name.

        Raises:
            BadInput: that is no name of a snapshot.
            NotFound: there is none of that name in the space.
        """
        snapshot = _read((self._place(space_id) / check_name(name)).with_suffix(".json"), space)
        if snapshot is None:
            raise NotFound(f"There is no snapshot {name!r}.", hint="The list of snapshots shows them.")
        return snapshot

    def path(self, space_id: int, name: str) -> Path:
        """Return the file of a snapshot."""
        return self._place(space_id) / check_name(name)

    def keep(self, snapshot: Snapshot) -> None:
        """Write the manifest of a snapshot whose files are there."""
        path = self.path(snapshot.space_id, snapshot.name).with_suffix(".json")
        text = json.dumps({"format": _FORMAT, **_plain(snapshot)}, indent=1)
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8") as file:
            part.chmod(0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    def keep_once(self, vectors: Path, snapshot: Snapshot, space: str) -> None:
        """Link the vectors of a new snapshot to those of the schema's last one if the two are equal."""
        kept = self.all(snapshot.space_id, space)
        last = next((one for one in kept if one.schema == snapshot.schema), None)
        if (
            last is not None
            and last.vectors_sha256 == snapshot.vectors_sha256
            and (old := self.vectors(last))
        ):
            linked = vectors.with_suffix(".link.part")
            with suppress(OSError):  # where the file system has no links, the file is kept twice
                linked.hardlink_to(old)
                linked.replace(vectors)

    def sweep(self, space_id: int) -> None:
        """Remove what was never finished, a day after it was begun."""
        whole = {path.stem for path in self._place(space_id).glob("*.json")}
        for path in self._place(space_id).glob("*"):
            unfinished = path.suffix == ".part" or path.stem not in whole
            if unfinished and time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink(missing_ok=True)

    def delete(self, snapshot: Snapshot) -> None:
        """Remove its files, the manifest first."""
        path = self.path(snapshot.space_id, snapshot.name)
        for suffix in (".json", ".vectors", ".sql"):
            path.with_suffix(suffix).unlink(missing_ok=True)
        with suppress(OSError):  # others lie there, or somebody else removed the last one
            path.parent.rmdir()

    def check(self, snapshot: Snapshot) -> Path:
        """Return the file of a snapshot, checked to be as it was written.

        Raises:
            BadInput: it is missing, or was changed.
        """
        path = self.path(snapshot.space_id, snapshot.name)
        if not path.is_file() or digest(path) != snapshot.sha256:
            raise BadInput(
                f"the file of {snapshot.name} is not what was written.",
                field="name",
                hint="Restore another one. What a file holds can be imported.",
            )
        return path

    def vectors(self, snapshot: Snapshot) -> Path | None:
        """Return the file of its vectors, if there is one that is as it was written."""
        path = self.path(snapshot.space_id, snapshot.name).with_suffix(".vectors")
        whole = snapshot.vectors_sha256 is not None and path.is_file()
        return path if whole and digest(path) == snapshot.vectors_sha256 else None

    def _place(self, space_id: int) -> Path:
        return self.root / str(space_id)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def hash_of(space: str) -> str:
    """Return the SHA-256 of the name of a space."""
    return sha256(space.encode()).hexdigest()


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    values = asdict(replace(snapshot, rights=None))
    del values["tier"]
    rights = None if snapshot.rights is None else plain(snapshot.rights)
    return {**values, "taken_at": snapshot.taken_at.isoformat(), "rights": rights}


def _read(path: Path, space: str) -> Snapshot | None:
    """Return the snapshot of a manifest; None if this version knows none of that space there."""
    try:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        if document.pop("format") != _FORMAT or document["name"] != path.with_suffix(".sql").name:
            return None
        if document["space_hash"] != hash_of(space):  # of another database that had the directory before
            return None
        sums = cast("Mapping[str, Mapping[str, Any]]", document.pop("sums"))
        taken_at = datetime.fromisoformat(document.pop("taken_at"))
        rights = document.pop("rights", None)
        return Snapshot(
            **document,
            taken_at=taken_at,
            sums={name: Sum(**one) for name, one in sums.items()},
            rights=None if rights is None else read(rights),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def name_of(schema: str, taken_at: datetime, *, taken: Collection[str] = ()) -> str:
    """Return the name of a snapshot; of the next free second if others have that name."""
    first = "memory" if schema == "memory" else f"memory_{schema}"
    second = taken_at.astimezone(UTC)
    while (name := f"{first}_{second.strftime(_FORM)}.sql") in taken:
        second += timedelta(seconds=1)
    return name


def check_name(value: object) -> str:
    """Return a name of a snapshot.

    Raises:
        BadInput: it is none. So no name leads out of the directory of snapshots.
    """
    if isinstance(value, str) and (match := _NAME.fullmatch(value)) is not None:
        try:
            datetime.strptime(match[2], _FORM).replace(tzinfo=UTC)
        except ValueError:
            pass
        else:
            return value
    raise BadInput(
        f"{value!r} is no name of a snapshot.",
        field="name",
        hint="They look like memory_20260314_150000.sql; the list of snapshots shows them.",
    )
