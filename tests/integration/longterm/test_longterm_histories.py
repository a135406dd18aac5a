"""Random histories: what is live, archived and remembered of it is what the plainest model says."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict
from quipu.kinds.longterm.longterm import AsyncLongterm
from quipu.kinds.longterm.model import Importance

pytestmark = pytest.mark.anyio

SPACES = count()
SUMMARIES = ["Likes tea", "LIKES tea", "Likes milk", "Lives in Lisbon"]
IMPORTANCES: list[Importance] = ["low", "medium", "high"]
USERS = ["ana", None]

# Every live memory has an entry of its owner, nothing else has one, and no two say the same.
MISFITS = """
select m.id::text from longterm.long_term_memory m
left join core.recall_entries e on e.space_id = m.space_id and e.id = m.entry_id and e.kind = 5
left join core.recall_names n on n.space_id = e.space_id and n.id = e.owner
where m.archived <> (m.entry_id is null) or not m.archived and (
    e.id is null or e.source_id <> m.id::text or n.name is distinct from m.user_name)
union all
select e.id::text from core.recall_entries e
where e.kind = 5 and not exists (
    select from longterm.long_term_memory m where m.space_id = e.space_id and m.entry_id = e.id)
"""


@dataclass
class Modelled:
    """A memory in the plainest form: its versions, the last of which holds."""

    user: str | None
    versions: list[tuple[str, Importance]]
    archived: bool = False
    stated: int = 1
    acts: list[str] = field(default_factory=list)

    @property
    def form(self) -> str:
        return " ".join(self.versions[-1][0].lower().split())


steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "edit", "archive", "revive", "revert"]),
        st.integers(0, 5),
        st.sampled_from(SUMMARIES),
        st.sampled_from(IMPORTANCES),
        st.sampled_from(USERS),
    ),
    max_size=12,
)


@given(history=steps)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_what_stands_is_what_the_model_says(
    mind: AsyncMemory, address: str, history: list[tuple[str, int, str, Importance, str | None]]
) -> None:
    space, longterm = f"history {next(SPACES)}", mind.longterm
    model: dict[str, Modelled] = {}
    for act, which, summary, importance, user in history:
        if act == "add":
            await _add(longterm, model, summary, importance, user, space=space)
        elif model:
            await _change(longterm, model, list(model)[which % len(model)], act, summary, space=space)
    await _agree(longterm, model, space=space)
    with psycopg.connect(address) as conn:
        assert conn.execute(MISFITS.encode()).fetchall() == []


async def _add(
    longterm: AsyncLongterm,
    model: dict[str, Modelled],
    summary: str,
    importance: Importance,
    user: str | None,
    *,
    space: str,
) -> None:
    made = await longterm.add(summary, space=space, importance=importance, user=user)
    form = " ".join(summary.lower().split())
    same = [id_ for id_, one in model.items() if (one.user, one.form) == (user, form)]
    live = [id_ for id_ in same if not model[id_].archived]
    if not same:
        assert made.id not in model
        model[made.id] = Modelled(user, [(summary, importance)])
        return
    assert made.id in (live or same)
    one = model[made.id]
    if one.archived:
        one.archived = False
        one.acts.append("revive")
    one.stated += 1
    said, before = one.versions[-1]
    if IMPORTANCES.index(importance) > IMPORTANCES.index(before):
        one.versions.append((said, importance))
        one.acts.append("restate")


async def _change(
    longterm: AsyncLongterm, model: dict[str, Modelled], id_: str, act: str, summary: str, *, space: str
) -> None:
    one = model[id_]
    if act == "archive":
        await longterm.archive(id_, space=space)
        one.acts += [] if one.archived else ["archive"]
        one.archived = True
    elif act == "revive":
        if one.archived and _taken(model, id_, one.form):
            with pytest.raises(Conflict):
                await longterm.unarchive(id_, space=space)
            return
        await longterm.unarchive(id_, space=space)
        one.acts += ["revive"] if one.archived else []
        one.archived = False
    else:
        await _reword(longterm, model, id_, act, summary, space=space)


async def _reword(
    longterm: AsyncLongterm, model: dict[str, Modelled], id_: str, act: str, summary: str, *, space: str
) -> None:
    one, version = model[id_], len(model[id_].versions)
    to = (summary, one.versions[-1][1]) if act == "edit" else one.versions[0]

    async def change() -> None:
        if act == "edit":
            await longterm.edit(id_, space=space, summary=summary, expected_version=version)
        else:
            await longterm.revert(id_, space=space, to=1)

    if one.archived:
        with pytest.raises(BadInput, match="archived"):
            await change()
    elif (act == "revert" and version == 1) or (act == "edit" and to == one.versions[-1]):
        await change()  # it reads so already
    elif _taken(model, id_, " ".join(to[0].lower().split())):
        with pytest.raises(Conflict):
            await change()
    else:
        await change()
        one.versions.append(to)
        one.acts.append(act)


def _taken(model: dict[str, Modelled], id_: str, form: str) -> bool:
    return any(
        other != id_ and not one.archived and (one.user, one.form) == (model[id_].user, form)
        for other, one in model.items()
    )


async def _agree(longterm: AsyncLongterm, model: dict[str, Modelled], *, space: str) -> None:
    listed = {one.id: one for one in await longterm.list(space=space, state="all")}
    assert listed.keys() == model.keys()
    for id_, one in model.items():
        kept = listed[id_]
        assert (kept.summary, kept.importance) == one.versions[-1]
        assert (kept.version, kept.archived, kept.stated_count, kept.user) == (
            len(one.versions),
            one.archived,
            one.stated,
            one.user,
        )
        before = await longterm.history(id_, space=space)
        assert [change.act for change in reversed(before)] == one.acts
        said = {change.version: (change.summary, change.importance) for change in before}
        assert said == {n: one.versions[n - 1] for n in said}
        assert set(range(1, kept.version)) <= said.keys()
