"""The files beside the transcripts: the history of prompts, the index of sessions, teams and tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final

from anyio import from_thread, to_thread

from quipu.kernel.base.clock import Clock
from quipu.kernel.base.lines import TOO_LONG
from quipu.kernel.db.arrays import Moments, Texts
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.transcripts.formats import side
from quipu.kinds.transcripts.formats.cleanup import Cleaner
from quipu.kinds.transcripts.formats.places import Sources, last_part
from quipu.kinds.transcripts.formats.side import Prompt, Task, Team
from quipu.kinds.transcripts.sync.model import Tally, Trouble
from quipu.kinds.transcripts.sync.store import SQL
from quipu.kinds.transcripts.sync.withheld import Forgotten, prompts_left, writing
from quipu.upkeep.erasure.tombstones import erased_sessions

_AT_ONCE: Final = 2_000
_HOMELESS: Final = "it belongs to no session that is known, and names no project."


class SideFiles:
    """Takes in the small files; each is read whole, and taking it in again changes nothing."""

    def __init__(
        self, database: Database, *, clock: Clock, redact: bool, space: str | None, began: datetime | None
    ) -> None:
        self._database = database
        self._clock = clock
        self._redact = redact
        self._space = space
        self._began = began

    async def take(
        self, sources: Sources, tallies: defaultdict[str, Tally], projects: Mapping[Path, str]
    ) -> list[Trouble]:
        """Take in what was found; what cannot be read is returned."""
        troubles: list[Trouble] = []
        homes = {path.stem: space for path, space in projects.items()}
        for path in sources.histories:
            await self._history(path, tallies, troubles)
        for path in sources.indexes:
            await self._index(path, homes, tallies, troubles)
        teams = await to_thread.run_sync(self._teams, sources, troubles)
        for team, tasks in teams:
            space = (
                self._space
                or homes.get(team.lead_session_id or "")
                or next(filter(None, (last_part(member.cwd) for member in team.members)), None)
            )
            if space is None:
                troubles.append(Trouble(team.id, _HOMELESS))
                continue
            await self._team(space, team, tasks, tallies)
        return troubles

    async def _history(self, path: Path, tallies: defaultdict[str, Tally], troubles: list[Trouble]) -> None:
        try:
            prompts, overlong = await to_thread.run_sync(self._prompts, path)
        except OSError as failed:
            troubles.append(Trouble(str(path), f"it cannot be read: {failed.strerror or failed}."))
            return
        if overlong:
            troubles.append(Trouble(str(path), f"{overlong:,} lines {TOO_LONG}, passed over."))
        for space, (several, cleaner) in prompts.items():
            for start in range(0, len(several), _AT_ONCE):
                new = await self._keep_prompts(space, several[start : start + _AT_ONCE])
                if new:
                    tallies[space].counts["prompts"] += new
            if space in tallies:
                _count(tallies[space], cleaner)

    async def _keep_prompts(self, space: str, prompts: Sequence[Prompt]) -> int:
        """Keep those that were not erased; how many are new."""
        with suppress(Forgotten):
            async with writing(self._database, space, began=self._began) as tx:
                if self._began is not None:
                    prompts = await prompts_left(tx, prompts, began=self._began)
                return await tx.execute(
                    SQL["insert_prompts"],
                    session=Texts([one.session for one in prompts]),
                    project=Texts([one.project_path for one in prompts]),
                    happened_at=Moments([one.happened_at for one in prompts]),
                    content=Texts([one.content for one in prompts]),
                )
        return 0

    def _prompts(self, path: Path) -> tuple[Mapping[str, tuple[Sequence[Prompt], Cleaner]], int]:
        """Return the clean prompts of a history, by space; and the number of lines too long to be read."""
        by_space: dict[str, tuple[list[Prompt], Cleaner]] = {}
        now = self._clock.now()
        overlong = 0
        for line in side.lines(path):
            overlong += line is None
            prompt = None if line is None else side.prompt(line, now=now)
            if prompt is not None and (space := self._space or last_part(prompt.project_path)):
                if space not in by_space:
                    marks = from_thread.run(self._database.marks, space)
                    by_space[space] = ([], Cleaner(secrets=self._redact, marks=marks))
                prompts, cleaner = by_space[space]
                prompts.append(prompt)
                cleaner.add(prompt, "session", "project_path", "content")
        for _, cleaner in by_space.values():
            cleaner.finish()
        return by_space, overlong

    async def _index(
        self,
        path: Path,
        homes: Mapping[str, str],
        tallies: defaultdict[str, Tally],
        troubles: list[Trouble],
    ) -> None:
        try:
            summaries = await to_thread.run_sync(side.index, path)
        except (OSError, ValueError) as failed:
            troubles.append(Trouble(str(path), f"it cannot be read: {failed}."))
            return
        by_space: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for session, summary in summaries.items():
            if space := self._space or homes.get(session):
                by_space[space][session] = summary
        for space, told in by_space.items():
            cleaned = [Prompt(None, "", self._clock.now(), text) for text in told.values()]
            cleaner = Cleaner(secrets=self._redact, marks=await self._database.marks(space))
            for one in cleaned:
                cleaner.add(one, "content")
            cleaner.finish()
            if space in tallies:
                _count(tallies[space], cleaner)
            texts = Texts([one.content for one in cleaned])
            with suppress(Forgotten):
                async with writing(self._database, space, began=self._began) as tx:
                    await tx.execute(SQL["indexed_summaries"], session=Texts(list(told)), text=texts)

    def _teams(self, sources: Sources, troubles: list[Trouble]) -> list[tuple[Team, list[Task]]]:
        """Return every team with its tasks; tasks without a team belong to the session of that name."""
        now = self._clock.now()
        teams: dict[str, tuple[Team, list[Task]]] = {}
        for path in sources.teams:
            try:
                teams[path.parent.name] = (side.team(path, now=now), [])
            except (OSError, ValueError) as failed:
                troubles.append(Trouble(str(path), f"it cannot be read: {failed}."))
        for path in sources.tasks:
            try:
                task = side.task(path, now=now)
            except (OSError, ValueError) as failed:
                troubles.append(Trouble(str(path), f"it cannot be read: {failed}."))
                continue
            name = task.team_id
            if name not in teams:
                teams[name] = (Team(id=name, lead_session_id=name), [])
            teams[name][1].append(task)
        return list(teams.values())

    async def _team(
        self, space: str, team: Team, tasks: Sequence[Task], tallies: defaultdict[str, Tally]
    ) -> None:
        cleaner = Cleaner(secrets=self._redact, marks=await self._database.marks(space))
        cleaner.add(team, "name", "description", "lead_session_id")
        for member in team.members:
            cleaner.add(member, "id", "name", "agent_type", "model", "prompt", "color", "cwd")
        for task in tasks:
            cleaner.add(task, "owner_name", "subject", "description", "status")
        cleaner.finish()
        teams, done = 0, 0
        with suppress(Forgotten):
            async with writing(self._database, space, began=self._began) as tx:
                lead = [team.lead_session_id] if team.lead_session_id and self._began else []
                if await erased_sessions(tx, lead):
                    return
                teams, done = await _write_team(tx, team, tasks)
        if teams or done:
            tallies[space].counts.update(teams=teams, tasks=done)
            _count(tallies[space], cleaner)


async def _write_team(tx: SpaceTransaction, team: Team, tasks: Sequence[Task]) -> tuple[int, int]:
    """Write a team with its members and tasks; whether it changed, and how many of its tasks."""
    changed = await tx.execute(SQL["upsert_team"], **asdict(team))
    for member in team.members:
        await tx.execute(SQL["upsert_member"], team_id=team.id, **asdict(member))
    done = [await tx.execute(SQL["upsert_task"], **{**asdict(task), "team_id": team.id}) for task in tasks]
    return changed, sum(done)


def _count(tally: Tally, cleaner: Cleaner) -> None:
    """Add what was cut out of a file that is read whole each time; it counts where anything of it is new."""
    tally.redacted.update(cleaner.redacted)
    tally.counts.update(cleaner.came_back)
