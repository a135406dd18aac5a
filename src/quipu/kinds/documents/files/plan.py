"""Plan of a sync: which files are written, renamed, removed, and which say what they said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

Address = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDocument:
    """A document that stands where files are kept.

    ``file`` and ``sha256`` are those of its file, None for one that was written otherwise.
    """

    file: str | None
    sha256: str | None
    user: str | None
    redacted: int
    verbatim: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file that was found: its name from the directory on, and the SHA-256 of its bytes."""

    file: str
    sha256: str


@dataclass(slots=True, kw_only=True)
class Plan:
    """Addresses by what is to be done with them; ``renamed`` has the old one before the new one."""

    written: list[Address] = field(default_factory=list[Address])
    unchanged: int = 0
    renamed: list[tuple[Address, Address]] = field(default_factory=list[tuple[Address, Address]])
    removed: list[Address] = field(default_factory=list[Address])
    taken: list[Address] = field(default_factory=list[Address])


def plan(
    found: Mapping[Address, Found],
    standing: Mapping[Address, FileDocument],
    *,
    kept: Sequence[Address],
    user: str | None,
    verbatim: bool,
) -> Plan:
    """Compare files with the documents that stand.

    ``kept`` are addresses whose file is there and cannot be read. ``taken`` of the answer are those at which
    a document stands that was not written of a file. A document whose file is gone, while a new one has the
    same bytes, is renamed.
    """
    done = Plan()
    fresh: list[Address] = []
    for at, one in found.items():
        there = standing.get(at)
        if there is None:
            fresh.append(at)
        elif there.file is None:
            done.taken.append(at)
        elif one.sha256 != there.sha256 or user != there.user or _differs(there, verbatim=verbatim):
            done.written.append(at)
        else:
            done.unchanged += 1
    still = {*found, *kept}
    gone = [at for at, there in standing.items() if there.file is not None and at not in still]
    by_digest: dict[str | None, list[Address]] = {}
    for at in gone:
        by_digest.setdefault(standing[at].sha256, []).append(at)
    for at in fresh:
        before = by_digest.get(found[at].sha256)
        if not before:
            done.written.append(at)
            continue
        was = next((one for one in before if one[1] == at[1]), before[0])
        before.remove(was)
        done.renamed.append((was, at))
        if (
            user != standing[was].user
            or _suffix(was) != _suffix(at)
            or _differs(standing[was], verbatim=verbatim)
        ):
            done.written.append(at)  # it is read in another way now
    done.removed = [at for left in by_digest.values() for at in left]
    return done


def _differs(there: FileDocument, *, verbatim: bool) -> bool:
    """Return True if secrets are treated in another way now."""
    return there.redacted > 0 if verbatim else there.verbatim


def _suffix(at: Address) -> str:
    return PurePath(at[1]).suffix.lower()
