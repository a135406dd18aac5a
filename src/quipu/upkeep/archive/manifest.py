"""The manifest of an archive: what it is, of which space and moment, and which files it has. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quipu.errors import BadInput

FORMAT: Final = "quipu-archive"
VERSION: Final = "1.0"
MANIFEST: Final = "manifest.json"
CHECKSUMS: Final = "CHECKSUMS"
MOST_MANIFEST_BYTES: Final = 16 * 1024 * 1024

_MAJOR: Final = int(VERSION.partition(".")[0])
_SUM: Final = re.compile(r"([0-9a-f]{64})  ([^\n]+)")
_NAME: Final = r"^((tables/)?[a-z][a-z0-9_.]{0,80}\.(ndjson|sql)|vectors/[0-9]{1,5}\.(npy|ids))$"


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ArchivedFile(_Strict):
    """A file of an archive: its name, the kind of its records, how many, and the fields that each has."""

    name: str = Field(pattern=_NAME)
    kind: str
    records: int = Field(ge=0)
    bytes: int = Field(ge=0)
    fields: Sequence[str] = ()


class ArchivedSchema(_Strict):
    """A schema of agents' tables: its dump, and what agents may do there."""

    name: str
    file: str
    description: str | None = None
    rows: int = Field(default=0, ge=0)
    grants: Mapping[str, str] = {}


class ArchivedVectors(_Strict):
    """Vectors of one model: their file, and that with the SHA-256 of the text of each."""

    file: str
    ids: str
    model: str
    digest: str
    dimensions: int = Field(ge=1, le=4_000)


class Manifest(_Strict):
    """Description of an archive: its format, its space and moment, and its files."""

    format: str
    version: str = Field(pattern=r"^\d{1,4}\.\d{1,4}$")
    generator: str
    space: str = Field(min_length=1, max_length=512)
    languages: Sequence[str] = ()
    taken_at: str
    user: str | None = None
    with_others: bool = False
    left_out: Mapping[str, str] = {}
    files: Sequence[ArchivedFile]
    schemas: Sequence[ArchivedSchema] = ()
    vectors: ArchivedVectors | None = None

    @property
    def moment(self) -> datetime:
        """The moment that the archive shows."""
        return datetime.fromisoformat(self.taken_at)

    @property
    def records(self) -> int:
        """The number of records in all files."""
        return sum(one.records for one in self.files)


def parse(data: bytes) -> Manifest:
    """Return the manifest that the bytes hold.

    Raises:
        BadInput: they are none, or one of a newer format.
    """
    try:
        version = _Claim.model_validate_json(data)
        if version.format != FORMAT:
            raise BadInput(f"{MANIFEST}: the format is {version.format!r}, and not {FORMAT!r}.", field="path")
        if int(version.version.partition(".")[0]) > _MAJOR:
            raise BadInput(
                f"{MANIFEST}: the archive has version {version.version}; {VERSION} is the newest known here.",
                field="path",
                hint="Install a newer Quipu, and take it in with that.",
            )
        found = Manifest.model_validate_json(data)
        moment = found.moment
    except (ValidationError, ValueError, RecursionError) as error:
        raise BadInput(f"{MANIFEST}: {_reason(error)}", field="path") from error
    names = [one.name for one in found.files]
    if len(set(names)) < len(names):
        raise BadInput(f"{MANIFEST}: it names a file twice.", field="path")
    if moment.tzinfo is None:
        raise BadInput(f"{MANIFEST}: taken_at has no zone.", field="path")
    return found


def checksums(data: bytes) -> dict[str, str]:
    """Return the SHA-256 of each file, by its name, from the text of CHECKSUMS.

    Raises:
        BadInput: a line is not in the form of sha256sum, or names a file twice.
    """
    found: dict[str, str] = {}
    *lines, end = data.decode("utf-8", "replace").split("\n")
    for number, line in enumerate([*lines, *filter(None, [end])], start=1):
        match = _SUM.fullmatch(line)
        if match is None or match[2] in found or line == end:
            raise BadInput(f"{CHECKSUMS}, line {number}: it is no sum of a file.", field="path")
        found[match[2]] = match[1]
    return found


def counted(manifest: Manifest) -> dict[str, int]:
    """Return the number of records of each kind, and of rows of agents' tables."""
    found: dict[str, int] = {}
    for one in manifest.files:
        found[one.kind] = found.get(one.kind, 0) + one.records
    return found


class _Claim(BaseModel):
    """Format and version, which every manifest has."""

    model_config = ConfigDict(strict=True, extra="ignore")

    format: str
    version: str = Field(pattern=r"^\d{1,4}\.\d{1,4}$")


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first: Mapping[str, Any] = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return f"{place}: {first['msg']}." if place else f"{first['msg']}."
    return f"{error}."
