"""An archive in another format: made of its files, in a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from quipu.upkeep.archive.formats.archived import ArchivedRecords
from quipu.upkeep.archive.formats.cogx import write_cogx
from quipu.upkeep.archive.formats.folder import GrowingFolder
from quipu.upkeep.archive.formats.markdown import write_markdown
from quipu.upkeep.archive.formats.mem import write_mem
from quipu.upkeep.archive.manifest import Manifest, counted

ArchiveFormat = Literal["quipu", "markdown", "mem", "cogx"]
OtherFormat = Literal["markdown", "mem", "cogx"]

_WRITERS: Final[Mapping[OtherFormat, Callable[[ArchivedRecords, GrowingFolder], None]]] = {
    "markdown": write_markdown,
    "mem": write_mem,
    "cogx": write_cogx,
}


@dataclass(frozen=True, slots=True)
class Converted:
    """An archive in another format: its files, and what it has and has not of each kind of record."""

    files: Sequence[str]
    bytes: int
    records: Mapping[str, int]
    left_out: Mapping[str, int]


def convert(archive: Path, manifest: Manifest, folder: Path, *, into: OtherFormat) -> Converted:
    """Write an archive that lies in a folder into another folder, in another format."""
    with GrowingFolder(folder) as made:
        _WRITERS[into](ArchivedRecords(archive, manifest), made)
        files = made.sums()
    left = {kind: count - made.written[kind] for kind, count in counted(manifest).items()}
    return Converted(
        files=[one.name for one in files],
        bytes=sum(one.bytes for one in files),
        records=dict(made.written),
        left_out={kind: count for kind, count in left.items() if count},
    )
