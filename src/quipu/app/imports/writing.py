"""Writing what a source has: each kind where it belongs, with its origin, in the same transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import uuid4

from quipu.app.imports.filing import Filing, moment_text
from quipu.app.imports.found import Filed, Found, Said, Stated, ToDo, kind_of
from quipu.app.imports.origins import SQL, Known, Origins, Tallied
from quipu.app.imports.parcels import Parcel, People, Seen, digest, raw_of, source_id, storable
from quipu.app.imports.stating import Stating
from quipu.app.imports.successions import Successions
from quipu.errors import QuipuError
from quipu.kernel.db.database import SpaceTransaction
from quipu.record.model import PreparedMessage
from quipu.upkeep.erasure import tombstones

_UNHEARD: Final = "unindexed_text"
_NO_TIME: Final = "What has no time is of when it is brought."
_CHANGED: Final = "changed here since it came"
_TAKEN_OUT: Final = "taken out here since it came"
_Of = TypeVar("_Of", bound=Found)


class Writer:
    """Writes the records of one import into a space."""

    def __init__(self, origins: Origins, people: People, *, erased_too: bool) -> None:
        self._origins = origins
        self._means, self._place, self._account = origins.means, origins.place, origins.account
        self._people = people
        self._erased_too = erased_too
        self._said: dict[str, tuple[str, Any]] = {}
        self._began: datetime | None = None
        self.written = Tallied()
        self._stating = Stating(origins, self.written)
        self._filing = Filing(origins, self.written)
        self._successions = Successions(origins)

    async def preview(self, parcel: Parcel, seen: Seen) -> None:
        """Count what is new in a parcel; nothing is written."""
        fresh, changed = await self._sorted(parcel, seen)
        self.written.changed += len(changed)
        for one in fresh:
            seen.see(one, now=self._means.clock.now())

    async def write(self, parcel: Parcel, seen: Seen) -> None:
        """Write what is new in a parcel, and what changed."""
        if self._began is None:
            self._began = await tombstones.clock(self._means.database)
        fresh, changed = await self._sorted(parcel, seen)
        if not self._erased_too:
            fresh = await self._unerased(fresh, self._began)
        for one in fresh:
            seen.see(one, now=self._means.clock.now())
        tasks = _all(ToDo, fresh)
        await self._say([*_all(Said, fresh), *map(self._task, tasks)])
        await self._stating.state(_all(Stated, fresh))
        await self._filing.file(_all(Filed, fresh), new=True)
        await self._open(tasks)
        for one, known in changed:
            await self._change(one, known)
        self._successions.note(_all(Stated, [*fresh, *(one for one, _ in changed)]))

    async def end(self) -> None:
        """Link words with those that they replace, and note that all is there, if anything came."""
        await self._successions.link()
        told = {
            "dropped": self._account.dropped,
            "left_out": self._account.left_out,
            "assumed": list(self._account.assumed),
            "unreadable": self._account.unreadable,
        }
        values = {"id": self._place.id, "version": self._account.version, "told": json.dumps(told)}
        async with self._means.database.write(self._place.space) as tx:
            await tx.execute(SQL["end"], **values, now=self._means.clock.now())

    async def _sorted(
        self, parcel: Parcel, seen: Seen
    ) -> tuple[list[Found], list[tuple[Stated | Filed, Known]]]:
        """Return new records, and those that came otherwise than they are; of one told twice the last."""
        found: dict[tuple[str, str], Found] = {}
        for one in parcel:
            seen.meet(one)
            if not isinstance(one, Filed) and one.time is None and getattr(one, "valid_from", None) is None:
                self._account.assume(_NO_TIME)
            joined = self._people.join(storable(one), session=self._place.source)
            found[kind_of(joined), source_id(joined)] = joined
        self.written.known += len(parcel) - len(found)
        async with self._means.database.snapshot_read(self._place.space) as tx:
            known = await self._origins.known(tx, list(found.values()))
            differ = {
                key: one
                for key, one in found.items()
                if isinstance(one, Stated | Filed) and key in known and known[key].digest != digest(one)
            }
            here = await self._origins.changed_here(tx, list(differ.values()))
        for gone in here.values():
            self._account.leave_out(_TAKEN_OUT if gone else _CHANGED)
        fresh = [one for key, one in found.items() if key not in known]
        changed = [(one, known[key]) for key, one in differ.items() if key not in here]
        self.written.known += len(found) - len(fresh) - len(differ)
        return fresh, changed

    async def _unerased(self, found: list[Found], began: datetime) -> list[Found]:
        """Return records without those that were forgotten; messages are looked at where they are stored."""
        others = [one for one in found if not isinstance(one, Said)]
        gone = await self._origins.erased(others, began=began) if others else set[int]()
        self.written.withheld += len(gone)
        left_out = {id(others[place]) for place in gone}
        return [one for one in found if id(one) not in left_out]

    async def _say(self, said: Sequence[Said]) -> None:
        spoken = [one for one in said if one.content.strip() or one.item is not None]
        if len(said) > len(spoken):
            self._account.leave_out("messages without words", len(said) - len(spoken))
        if not spoken:
            return
        secrets = self._means.settings.redact
        self._said = {source_id(one): (digest(one), raw_of(one, secrets=secrets)) for one in spoken}
        report = await self._means.record.take(
            map(_line, spoken), space=self._place.space, erased_too=self._erased_too, stored=self._stored
        )
        self.written.records["message"] += report.imported
        self.written.known += report.duplicates + report.echoes
        self.written.withheld += report.withheld
        self.written.redacted.update(report.redacted)
        for one in report.refused:
            where = "message" if one.line is None else f"message {source_id(spoken[one.line - 1])}"
            self._account.refuse(where, one.reason if one.field is None else f"{one.field}: {one.reason}")

    async def _stored(self, tx: SpaceTransaction, stored: Sequence[PreparedMessage]) -> None:
        """Note where messages came from, in the transaction that stores them."""
        origins: list[dict[str, Any]] = []
        for message in (one.message for one in stored):
            id_ = f"{message.session}/{message.id}"
            made, raw = self._said[id_]
            origin = {"source_id": id_, "session": message.session, "id": message.id}
            origins.append({**origin, "digest": made, "raw": raw})
        await self._origins.begin(tx)
        await self._origins.note(tx, "note_messages", origins)

    def _task(self, one: ToDo) -> Said:
        """Return the message that a loop rests on."""
        session = one.session or f"{self._place.source} tasks"
        return Said(id=one.id, session=session, content=one.text, user=one.user, time=one.time, raw=one.raw)

    async def _open(self, tasks: Sequence[ToDo]) -> None:
        if not tasks:
            return
        made = {str(uuid4()): one for one in tasks}
        loops = [
            {"id": id_, "source_id": source_id(self._task(one)), "due": moment_text(one.due)}
            for id_, one in made.items()
        ]
        source, given = self._place.source, json.dumps(loops)
        async with self._means.database.write(self._place.space) as tx:
            ids = [id_ for (id_,) in await tx.rows(SQL["bring_loops"], source=source, loops=given)]
            await tx.execute(SQL["bring_loop_messages"], ids=ids)
            await self._origins.begin(tx)
            origins = [self._origins.origin(made[id_], id_) for id_ in ids]
            await self._origins.note(tx, "note_origins", origins)
        self.written.records["loop"] += len(ids)

    async def _change(self, one: Stated | Filed, known: Known) -> None:
        """Have a record that came say what it says at the source by now."""
        try:
            if isinstance(one, Filed):
                await self._filing.file([one], new=False)
            else:
                await self._stating.restate(one, known)
        except QuipuError as error:
            self._account.refuse(f"{kind_of(one)} {source_id(one)}", str(error))
        else:
            self.written.changed += 1


def _all(kind: type[_Of], found: Iterable[Found]) -> list[_Of]:
    return [one for one in found if isinstance(one, kind)]


def _line(one: Said) -> dict[str, object]:
    """Return a message as the record takes it; what is not to be heard stands where no text is looked for."""
    content, item = one.content, one.item
    if not one.heard:
        words = [{"type": _UNHEARD, "text": content}] if content else []
        more = {} if item is None else {"item": item}
        content, item = "", {"role": one.role, "content": words, **more}
    return {
        "id": one.id,
        "session": one.session,
        "role": one.role,
        "content": content,
        "speaker": one.speaker,
        "user": one.user,
        "time": one.time,
        "item": item,
        "metadata": one.metadata,
    }
