"""Standing rules as a caller meets them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Final
from uuid import uuid4

from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base import scope as names
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import (
    MOST_PASSED_OVER,
    STATES,
    After,
    Confirm,
    Example,
    Id,
    Limit,
    ListState,
    Offset,
    OnlyUser,
    Space,
)
from quipu.kernel.base.scope import check_name, optional_name, own_user, reads_only
from quipu.kernel.base.text import clean
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.redact import redact
from quipu.record.ids import behind
from quipu.record.standing import store
from quipu.record.standing.model import Draft, RuleSource, StandingRule

_LONGEST: Final = 400
_LONGEST_SCOPE: Final = 200


class AsyncRules:
    """Find, add and end standing rules: what an assistant is told to do from now on.

    They are found in what users say to an assistant, as it is taken in.
    """

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings

    @reads_only
    async def list(
        self,
        *,
        space: Space,
        user: OnlyUser = None,
        state: Annotated[ListState, Doc("Rules in force, ended ones, or all.")] = "live",
        limit: Limit = 50,
        offset: Offset = 0,
        after: After = None,
    ) -> Sequence[StandingRule]:
        """List rules, those in force first, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        wanted = names.one_of("state", state, STATES)
        user = optional_name("user", user)
        names.whole("limit", limit)
        names.whole("offset", offset, least=0, most=MOST_PASSED_OVER)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await store.listed(
                tx,
                archived=None if wanted == "all" else wanted == "archived",
                user=user,
                after=None if after is None else await behind(store.rule(tx, after)),
                limit=limit,
                offset=offset,
            )

    @reads_only
    async def get(self, id: Id, *, space: Space) -> StandingRule:
        """Show a rule, where it was said, and what ended it.

        Raises:
            NotFound: There is no such rule.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            return await store.rule(tx, id)

    async def add(
        self,
        text: Annotated[str, Doc("The rule, in one sentence."), Example("Always answer in metric units.")],
        *,
        space: Space,
        user: Annotated[
            str | None, Doc("Whose rule it is; without one, that of the whole space."), Example("ana")
        ] = None,
        scope: Annotated[
            str | None,
            Doc("Words of the requests for which it holds; without them, it holds for all."),
            Example("recipes"),
        ] = None,
    ) -> StandingRule:
        """Add a rule by hand, and return it.

        It ends no other rule: `archive` does.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        told = self._words("text", text, longest=_LONGEST)
        about = "" if scope is None else self._words("scope", scope, longest=_LONGEST_SCOPE)
        owner, now = own_user(optional_name("user", user)), self._clock.now()
        draft = Draft(
            id=uuid4(), user=owner, text=told, scope=about, message=None, made_by="person", since=now
        )
        async with self._database.write(check_name("space", space)) as tx:
            await store.add(tx, draft, now=now)
            return await store.rule(tx, draft.id)

    async def archive(self, id: Id, *, space: Space) -> StandingRule:
        """End a rule: it stays as history, and is shown to no agent.

        A rule that has ended stays as it is. `unarchive` puts it in force again.

        Raises:
            NotFound: There is no such rule.
        """

        async def change(tx: SpaceTransaction, one: StandingRule) -> None:
            await store.end(tx, [one.id], at=self._clock.now(), ended_by="person", message=None)

        return await self._changed(id, change, space=space)

    async def unarchive(self, id: Id, *, space: Space) -> StandingRule:
        """Put a rule that has ended in force again.

        Raises:
            NotFound: There is no such rule.
        """
        return await self._changed(id, lambda tx, one: store.begin_again(tx, one.id), space=space)

    async def erase(self, id: Id, *, space: Space, confirm: Confirm = False) -> StandingRule:
        """Delete a rule for good.

        The message that it was said in stays, and no rule is made of it again.

        Raises:
            NotFound: There is no such rule.
        """
        if not confirm:
            return await self.get(id, space=space)
        return await self._changed(id, lambda tx, one: store.erase(tx, one.id), space=space, again=False)

    @reads_only
    async def sources(self, id: Id, *, space: Space) -> Sequence[RuleSource]:
        """Show the messages that a rule was said in and ended by, the latest first.

        A rule that was added by hand has none.

        Raises:
            NotFound: There is no such rule.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            one = await store.rule(tx, id)
            return [] if tx is None else await store.sources(tx, one.id)

    async def _changed(
        self,
        id: Id,
        change: Callable[[SpaceTransaction, StandingRule], Awaitable[None]],
        *,
        space: str,
        again: bool = True,
    ) -> StandingRule:
        """Change a rule, and return it as it is then; as it was, where it is gone (not ``again``)."""
        async with self._database.write(check_name("space", space)) as tx:
            one = await store.rule(tx, id)
            await change(tx, one)
            return await store.rule(tx, one.id) if again else one

    def _words(self, field: str, value: object, *, longest: int) -> str:
        """Return words on one line that can be kept.

        Raises:
            BadInput: they are no text, blank, too long or hold a secret.
        """
        if not isinstance(value, str) or not value.strip():
            raise BadInput("say something.", field=field)
        text = " ".join(clean(value).text.split())
        if len(text) > longest:
            raise BadInput(f"it has {len(text):,} characters; {longest:,} are the most.", field=field)
        if self._settings.redact and redact(text).counts:
            raise BadInput("it holds a secret.", field=field, hint="Leave it out.")
        return text
