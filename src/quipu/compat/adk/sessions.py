"""Sessions of ADK: events are messages, states are documents that only one of several writers changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4
from weakref import WeakValueDictionary

from quipu.compat.adk.events import PAGE, Place, message_of, plain
from quipu.compat.face import AsyncFace
from quipu.errors import NotFound, Outdated, QuipuError

if TYPE_CHECKING:
    from quipu import AsyncMemory, Memory

_actions: Any = import_module("google.adk.events.event_actions")
_errors: Any = import_module("google.adk.errors.already_exists_error")
_events: Any = import_module("google.adk.events")
_missing: Any = import_module("google.adk.errors.session_not_found_error")
_session: Any = import_module("google.adk.sessions.session")
_sessions: Any = import_module("google.adk.sessions.base_session_service")
_stale: Any = import_module("google.adk.errors")

_APP: Final = "app:"
_USER: Final = "user:"
_TEMPORARY: Final = "temp:"
_AS_IT_IS: Final[Mapping[str, Any]] = {"index": False, "verbatim": True}
_OUTDATED: Final = "The session has been modified in storage since it was read: read it again, then append."


@dataclass(frozen=True, slots=True)
class _Split:
    """State of an app, a user and a session, without what is only for one run."""

    app: dict[str, Any]
    user: dict[str, Any]
    session: dict[str, Any]


class QuipuSessionService(AsyncFace, _sessions.BaseSessionService):
    """Sessions of ADK: their events are messages of a space, and are recalled as others are.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database, as with
    ``Memory()``. What the service opened itself it closes (``close``, or ``async with``).

    Secrets are cut out of events, unless ``verbatim``. States are kept letter for letter.
    """

    def __init__(
        self,
        memory: Memory | AsyncMemory | str | None = None,
        *,
        space: str = "default",
        verbatim: bool | None = None,
    ) -> None:
        super().__init__(memory, space=space)
        self._verbatim = verbatim
        self._locks: WeakValueDictionary[tuple[int, str], asyncio.Lock] = WeakValueDictionary()

    async def create_session(
        self,
        *,
        app_name: str,
        user_id: str,
        state: dict[str, Any] | None = None,
        session_id: str | None = None,
    ) -> Any:
        """Begin a session; what of its state begins with ``app:`` or ``user:`` is shared.

        Raises:
            AlreadyExistsError: The user has a session with that id in the app.
        """
        id_ = (session_id or "").strip() or str(uuid4())
        place, given = Place(app_name, user_id, id_), _split(_plain_state(state or {}))
        value = {"state": given.session, "last_event": None, "updated_at": None}
        try:
            document = await self._put(place, value, 0)
        except Outdated as error:
            raise _errors.AlreadyExistsError(f"Session with id {id_} already exists.") from error
        await self._share(place, given)
        _, app, user = await self._states(place)
        return _session_of(place, document, app=app, user=user)

    async def get_session(self, *, app_name: str, user_id: str, session_id: str, config: Any = None) -> Any:
        """Return a session with its events, the last ones if ``config`` says so; None if there is none."""
        place = Place(app_name, user_id, session_id.strip())
        document, app, user = await self._states(place)
        if document is None:
            return None
        session = _session_of(place, document, app=app, user=user)
        most = None if config is None else config.num_recent_events
        if most != 0:
            messages = await self._do("messages", place.conversation, limit=most)
            session.events = [_event(one.item) for one in messages if one.item is not None]
        if config is not None and config.after_timestamp is not None:
            session.events = _since(session.events, config.after_timestamp)
        return session

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> Any:
        """List the sessions of a user, or of all users, the one that changed last at the end; no events."""
        place = Place(app_name, user_id or "", "")
        users = {one.key: one.value for one in await self._listed(place.users)}
        (app,) = await self._do("documents.batch", [{"do": "get", **place.app}])
        below = place.sessions if user_id is None else [*place.sessions, user_id]
        sessions = [
            _session_of(
                Place(app_name, document.path[-1], document.key),
                document,
                app=_value(app.document),
                user=users.get(document.path[-1], {}),
            )
            for document in await self._listed(below)
        ]
        sessions.sort(key=lambda one: (one.last_update_time, one.user_id, one.id))
        return _sessions.ListSessionsResponse(sessions=sessions)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Take a session with its events away; shared state stays."""
        place = Place(app_name, user_id, session_id.strip())
        try:
            await self._do("documents.delete", **place.session)
        except NotFound:
            return
        await self._do("clear", place.conversation)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state that all sessions of a user share in an app, without ``user:``."""
        return (await self._states(Place(app_name, user_id, "-")))[2]

    async def append_event(self, session: Any, event: Any) -> Any:
        """Add an event at the end of a session, and what it changes of the state.

        Raises:
            SessionNotFoundError: There is no such session.
            StaleSessionError: It has got other events since it was read.
        """
        if event.partial:
            return event
        place = Place(session.app_name, session.user_id, session.id)
        loop = id(asyncio.get_running_loop())
        lock = self._locks.setdefault((loop, place.conversation), asyncio.Lock())
        async with lock:
            return await self._append(place, session, event)

    async def _append(self, place: Place, session: Any, event: Any) -> Any:
        document, _, _ = await self._states(place)
        if document is None:
            raise _missing.SessionNotFoundError(f"Session {session.id} not found.")
        if any(one.id == event.id and one == event for one in session.events):
            return event
        if document.value["last_event"] == event.id:  # it came, and the answer was lost
            await self._observe(place, event)
        else:
            _refuse_stale(session, document)
            self._apply_temp_state(session, event)
            event = self._trim_temp_delta_state(event)
            document = await self._written(place, document, event)
        session._storage_update_marker = _marker(document)
        session.last_update_time = _updated_at(document)
        return self._commit_event_to_session(session, event)

    async def _written(self, place: Place, before: Any, event: Any) -> Any:
        """Write an event with what it changes; the session first, which only one of several writers can."""
        changed = _split(_plain_state(event.actions.state_delta))
        value = {
            "state": {**before.value["state"], **changed.session},
            "last_event": event.id,
            "updated_at": event.timestamp,
        }
        try:
            after = await self._put(place, value, before.version)
        except (Outdated, NotFound) as error:
            raise _stale.StaleSessionError(_OUTDATED) from error
        try:
            await self._observe(place, event)
        except QuipuError:
            await self._put(place, before.value, after.version)
            raise
        await self._share(place, changed)
        return after

    async def _put(self, place: Place, value: Mapping[str, Any], version: int) -> Any:
        return await self._do(
            "documents.put",
            **place.session,
            value=value,
            metadata={"app_id": place.app_name},
            user=place.user_id,
            expected_version=version,
            **_AS_IT_IS,
        )

    async def _observe(self, place: Place, event: Any) -> None:
        await self._do("observe", [message_of(place, event)], verbatim=self._verbatim)

    async def _share(self, place: Place, changed: _Split) -> None:
        """Change what sessions share."""
        for at, delta, user in ((place.app, changed.app, None), (place.user, changed.user, place.user_id)):
            while delta:
                (found,) = await self._do("documents.batch", [{"do": "get", **at}])
                version = 0 if found.document is None else found.document.version
                value = {**_value(found.document), **delta}
                try:
                    await self._do(
                        "documents.put", **at, value=value, user=user, expected_version=version, **_AS_IT_IS
                    )
                except (Outdated, NotFound):
                    continue
                break

    async def _states(self, place: Place) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Return the document of a session, and the states of its app and its user."""
        gets = [{"do": "get", **at} for at in (place.session, place.app, place.user)]
        session, app, user = await self._do("documents.batch", gets)
        return session.document, _value(app.document), _value(user.document)

    async def _listed(self, path: Sequence[str]) -> list[Any]:
        every: list[Any] = []
        while len(every) % PAGE == 0:
            page = await self._do("documents.list", path, order="key", limit=PAGE, offset=len(every))
            every += page
            if not page:
                break
        return every


def _session_of(place: Place, document: Any, *, app: Mapping[str, Any], user: Mapping[str, Any]) -> Any:
    """Return a session without events."""
    state = {
        **document.value["state"],
        **{_APP + name: value for name, value in app.items()},
        **{_USER + name: value for name, value in user.items()},
    }
    session = _session.Session(
        id=place.session_id,
        app_name=place.app_name,
        user_id=place.user_id,
        state=state,
        last_update_time=_updated_at(document),
    )
    session._storage_update_marker = _marker(document)
    return session


def _marker(document: Any) -> str:
    return f"{document.id}:{document.version}"


def _updated_at(document: Any) -> float:
    """Return the time of the last event; without one, when the session began."""
    time = document.value["updated_at"]
    return document.created_at.timestamp() if time is None else time


def _refuse_stale(session: Any, document: Any) -> None:
    """Refuse a session that is not as it stands; one that was made by hand is known by its last event.

    Raises:
        StaleSessionError: It has got other events since it was read.
    """
    known = session._storage_update_marker
    last = session.events[-1].id if session.events else None
    if known != _marker(document) if known else last != document.value["last_event"]:
        raise _stale.StaleSessionError(_OUTDATED)


def _value(document: Any) -> dict[str, Any]:
    return {} if document is None else document.value


def _split(state: Mapping[str, Any]) -> _Split:
    kept = {name: value for name, value in state.items() if not name.startswith(_TEMPORARY)}
    app = {name.removeprefix(_APP): value for name, value in kept.items() if name.startswith(_APP)}
    user = {name.removeprefix(_USER): value for name, value in kept.items() if name.startswith(_USER)}
    own = {name: value for name, value in kept.items() if not name.startswith((_APP, _USER))}
    return _Split(app, user, own)


def _plain_state(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state as JSON; what has no form in it as ADK writes it down."""
    return plain(_actions.EventActions(state_delta=state)).get("state_delta", {})


def _event(item: Mapping[str, Any]) -> Any:
    return _events.Event.model_validate(item)


def _since(events: Sequence[Any], moment: float) -> list[Any]:
    """Return the last events that are all from a moment on."""
    return list(takewhile(lambda one: one.timestamp >= moment, reversed(events)))[::-1]
