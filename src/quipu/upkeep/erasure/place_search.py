"""The search of a check: place by place, up to a limit, and on from where an earlier one stopped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quipu.errors import BadInput
from quipu.upkeep.erasure.files import FileFindings, files, look
from quipu.upkeep.erasure.limits import Limit, Reached
from quipu.upkeep.erasure.model import CheckedPlace
from quipu.upkeep.erasure.places import Holder

_BETWEEN = "|"


class PlaceSearch:
    """A search for strings in files. ``after`` is the last file that was searched whole, if it stopped.

    A search that is given such an ``after`` goes on behind it.
    """

    def __init__(self, strings: Sequence[bytes], limit: Limit, *, after: str | None = None) -> None:
        self._strings = strings
        self._limit = limit
        self._skip, _, self._file = (after or "").partition(_BETWEEN)
        self._why = ""
        self.after: str | None = None
        self.seen: list[str] = []

    @property
    def begins(self) -> bool:
        """True if it begins at the first place."""
        return not self._skip

    def stop(self, key: str, why: str) -> None:
        """Stop the search before a place, and note why."""
        self.after, self._why = f"{key}{_BETWEEN}", why

    def finish(self) -> None:
        """Refuse to end a search that was to go on at a place that no longer exists.

        Raises:
            BadInput: it was.
        """
        if self._skip:
            raise BadInput(
                f"there is no place {self._skip!r} to go on at.", field="after", hint="Search from the start."
            )

    def through(self, holder: Holder, *, may: bool) -> CheckedPlace | None:
        """Look through a place; None where it was searched before. ``may``: whether its files may be read."""
        if self._skip and self._skip != holder.key:
            return None
        self._skip = ""
        place = CheckedPlace(holder.place, holder.state, until=holder.until, note=holder.note)
        if not self._strings or holder.root is None:
            return place
        if not may:
            return replace(place, state="not reachable", note="it belongs to all spaces together")
        return self._searched(place, holder, holder.root.resolve())

    def export(self, number: int, path: Path, noted: Mapping[str, Mapping[str, Any]]) -> list[CheckedPlace]:
        """Look through a file or directory that was handed out, and recognise the exports in it.

        ``noted`` are exports by their digests.
        """
        key = f"export {number}"
        if self._skip and self._skip != key:
            return []
        self._skip = ""
        if not path.exists():
            return [CheckedPlace(f"export {path}", "gone", note="it is not there")]
        known: dict[str, CheckedPlace] = {}
        holder = Holder(key=key, place=f"export {path}", root=path)
        place = self._searched(CheckedPlace(holder.place), holder, path.resolve(), noted=noted, known=known)
        if place.found == 0 and not known and not place.note:
            place = replace(place, note="no export that was noted")
        return [place, *known.values()]

    def _searched(
        self,
        place: CheckedPlace,
        holder: Holder,
        root: Path,
        *,
        noted: Mapping[str, Mapping[str, Any]] | None = None,
        known: dict[str, CheckedPlace] | None = None,
    ) -> CheckedPlace:
        if self.after is not None:
            return replace(place, note=f"not searched: {self._why} was reached", whole=False)
        holding, unread, last = 0, list[str](), ""
        for path in self._rest(root, holder):
            name = "" if path == root else str(path.relative_to(root))
            try:
                seen = look(path, self._strings, self._limit, digests=noted is not None)
            except Reached as why:
                self.stop(holder.key, str(why))
                self.after = f"{holder.key}{_BETWEEN}{last}"
                return self._unfinished(place, holding, path, last=last)
            holding += seen.holds
            unread += [f"{name or path.name}: {why}" for why in seen.unread]
            if noted is not None and known is not None:
                self._recognise(path, seen, noted, known)
            last = name
        notes = [place.note, *unread[:3], *([f"{len(unread) - 3} more"] if len(unread) > 3 else ())]
        return replace(
            place,
            found=holding if self._strings else None,
            note="; ".join(one for one in notes if one),
            whole=not unread,
        )

    def _unfinished(self, place: CheckedPlace, holding: int, path: Path, *, last: str) -> CheckedPlace:
        size = path.stat().st_size if path.exists() else 0
        note = f"not searched to the end: {self._why} was reached at {path.name}"
        if not last:
            note += f"; that file alone has {size:,} bytes: allow for more"
        return replace(place, found=holding or None, note=note, whole=False)

    def _rest(self, root: Path, holder: Holder) -> list[Path]:
        """Return the files that are left to search."""
        every = list(files(root, without=frozenset(one.resolve() for one in holder.without)))
        after, self._file = self._file, ""
        if after:
            names = [str(path.relative_to(root)) for path in every]
            if after in names:
                return every[names.index(after) + 1 :]
        return every

    def _recognise(
        self,
        path: Path,
        seen: FileFindings,
        noted: Mapping[str, Mapping[str, Any]],
        known: dict[str, CheckedPlace],
    ) -> None:
        for sha256 in seen.sha256:
            if one := noted.get(sha256):
                id_ = str(one.get("id"))
                self.seen.append(id_)
                known[id_] = CheckedPlace(
                    f"export {id_} ({one.get('kind')}, {one.get('written_at')})",
                    found=int(seen.holds) if self._strings else None,
                    until=str(one.get("until", "")),
                    note=f"it is {path}",
                    whole=not seen.unread,
                )
