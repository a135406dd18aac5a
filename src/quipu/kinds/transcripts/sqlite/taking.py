"""One import of a file of ccrecall: what went where, and what was new of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.reading.places import Transcript
from quipu.kinds.transcripts.sqlite import importing, rules, store
from quipu.kinds.transcripts.sqlite.cleaning import Cleaning
from quipu.kinds.transcripts.sqlite.model import Imported
from quipu.kinds.transcripts.sqlite.reading import Session
from quipu.kinds.transcripts.syncing.withholding import Forgotten, pass_over, writing
from quipu.record.service import Progress
from quipu.upkeep.erasure.tombstones import erased_sessions

Row = Mapping[str, Any]

_TEAMS = ("teams", "team_members", "team_tasks")


class Taking:
    """One import as far as it has come."""

    def __init__(
        self,
        database: Database,
        file: Transcript,
        cleaning: Cleaning,
        progress: Progress | None,
        *,
        began: datetime | None,
    ) -> None:
        """Prepare an import that ``began`` then; None takes in what was erased, too."""
        self.cleaning = cleaning
        self.new: Counter[str] = Counter()
        self.known = self.withheld = self._inserted = 0
        self.began = began
        self.united: dict[UUID, UUID] = {}
        self._database, self._file, self._progress = database, file, progress
        self._spaces: dict[str, str] = {}
        self._sessions: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        self._came_back: Counter[str] = Counter()

    def space_of(self, session: str | None, *, default: str | None) -> str:
        """Return the space of a session of the file; without one, the only space there is."""
        if session is not None and session in self._spaces:
            return self._spaces[session]
        return default or (next(iter(self._sessions)) if len(self._sessions) == 1 else "default")

    async def session(self, session: Session, *, now: datetime) -> None:
        """Take a session in."""
        self._spaces[session.name] = session.space
        self._sessions[session.space] += 1
        self.cleaning.redacted.update(session.reading.redacted)
        self._passed.update(session.reading.passed)
        self._came_back.update(session.reading.came_back)
        self._inserted += session.reading.inserted
        try:
            async with self._database.write(session.space) as tx:
                new = await importing.keep(tx, session, self._file, now=now, began=self.began)
        except Forgotten:
            batch = importing.batch(session, self._file)
            withheld = await pass_over(self._database, batch, session.space, now=now)
            new = Counter(known=0, withheld=withheld)
        self.known += new.pop("known")
        self.withheld += new.pop("withheld")
        self.new.update(new)
        if self._progress is not None:
            self._progress(session.reading.lines)

    async def summaries(self) -> None:
        """Give sessions the summaries that the file had for them."""
        for space in self._sessions:
            with suppress(Forgotten):
                async with writing(self._database, space, began=self.began) as tx:
                    await importing.attach_summaries(tx)

    async def teams(self, side: Mapping[str, list[Row]], *, default: str | None) -> None:
        """Take teams in, each to the space of the session that leads it."""
        by_space: defaultdict[str, defaultdict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        closed = await self._led_by_erased(side["teams"], default=default)
        leads = {row["id"]: row["lead_session_id"] for row in side["teams"]}
        for table in _TEAMS:
            for row in side[table]:
                team = row["id"] if table == "teams" else row["team_id"]
                if team not in leads:
                    self._passed[f"{table} without their team"] += 1
                    continue
                if team in closed:
                    self.withheld += 1
                    continue
                by_space[self.space_of(leads[team], default=default)][table].append(row)
        for space, tables in by_space.items():
            with suppress(Forgotten):
                async with writing(self._database, space, began=self.began) as tx:
                    self.new.update(await importing.keep_teams(tx, tables, self.cleaning))

    async def _led_by_erased(self, teams: Sequence[Row], *, default: str | None) -> set[object]:
        """Return the teams that were erased with the session that led them."""
        by_space: defaultdict[str, list[str]] = defaultdict(list)
        for row in teams:
            by_space[self.space_of(row["lead_session_id"], default=default)].append(row["lead_session_id"])
        gone = [await self.erased(space, sessions) for space, sessions in by_space.items()]
        return {row["id"] for row in teams if any(row["lead_session_id"] in one for one in gone)}

    async def erased(self, space: str, sessions: Sequence[str | None]) -> set[str]:
        """Return the sessions that were erased and are not there again."""
        names = [name for name in sessions if name]
        if self.began is None or not names:
            return set()
        with suppress(Forgotten):
            async with writing(self._database, space, began=self.began) as tx:
                return await erased_sessions(tx, names)
        return set(names)

    async def sources(self, side: Mapping[str, list[Row]], *, default: str | None) -> None:
        """Note where memories come from, and which sessions were looked through."""
        by_space: defaultdict[str, list[tuple[str, Row]]] = defaultdict(list)
        for row in side["memory_sources"]:
            memory = rules.memory_id(row["memory_id"], Counter())
            told = {
                "memory": self.united.get(memory, memory),
                "session": row["session_id"],
                "turn": max(int(row["turn_index"] or 0), 0),
                "extracted_at": rules.moment(row["extracted_at"]),
            }
            by_space[self.space_of(row["session_id"], default=default)].append(("keep_source", told))
        for row in side["extracted"]:
            at = rules.moment(row["extraction_attempted_at"])
            status = "done" if row["memories_extracted"] else "failed"
            told = {"session": row["id"], "status": status, "attempted_at": at}
            by_space[self.space_of(row["id"], default=default)].append(("keep_extracted", told))
        for space, writes in by_space.items():
            with suppress(Forgotten):
                async with writing(self._database, space, began=self.began) as tx:
                    for query, values in writes:
                        await store.run(tx, query, values)

    def imported(self, mended: Counter[str]) -> Imported:
        """Return the account of the import."""
        return Imported(
            spaces=dict(self._sessions),
            new={table: count for table, count in self.new.items() if count},
            known=self.known,
            withheld=self.withheld,
            mended={what: count for what, count in mended.items() if count},
            passed=dict(self._passed),
            redacted=dict(self.cleaning.redacted),
            cut_characters=self._came_back["cut_characters"],
            foreign_characters=self._came_back["foreign_characters"],
            unmatched_marks=self._came_back["unmatched_marks"],
            inserted_characters=self._inserted,
        )
