"""Events of ADK as messages, and where sessions, states and memories stand in a space."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Place:
    """A session of a user in an app, and where it stands in a space."""

    app_name: str
    user_id: str
    session_id: str

    @property
    def conversation(self) -> str:
        """Name of the session of messages; a slash in an id is escaped."""
        ids = (self.app_name, self.user_id, self.session_id)
        return "/".join(one.replace("%", "%25").replace("/", "%2F") for one in ids)

    @property
    def sessions(self) -> list[str]:
        """Path of the sessions of all users."""
        return ["adk", self.app_name, "sessions"]

    @property
    def users(self) -> list[str]:
        """Path of the states of users."""
        return ["adk", self.app_name, "users"]

    @property
    def memories(self) -> list[str]:
        """Path of what was added to memory otherwise than as an event."""
        return ["adk", self.app_name, "memories", self.user_id]

    @property
    def session(self) -> dict[str, Any]:
        """Path and key of the session's document."""
        return {"path": [*self.sessions, self.user_id], "key": self.session_id}

    @property
    def user(self) -> dict[str, Any]:
        """Path and key of the user's state."""
        return {"path": self.users, "key": self.user_id}

    @property
    def app(self) -> dict[str, Any]:
        """Path and key of the app's state."""
        return {"path": ["adk", self.app_name], "key": "state"}


def message_of(place: Place, event: Any, metadata: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Return an event as a message."""
    agent = None if event.author == "user" else event.author
    known = {"app_id": place.app_name, "agent_id": agent, "run_id": event.invocation_id}
    now = datetime.now(UTC).timestamp()
    returned = bool(event.content) and bool(event.get_function_responses())
    return {
        "id": event.id,
        "session": place.conversation,
        "user": place.user_id,
        "role": "user" if agent is None else "tool" if returned else "assistant",
        "content": text_of(event.content),
        "item": plain(event),
        "metadata": {**(metadata or {}), **{name: value for name, value in known.items() if value}},
        "time": datetime.fromtimestamp(min(max(event.timestamp, 0.0), now), UTC),
    }


def text_of(content: Any) -> str:
    """Return the words of a content; thoughts are nobody's words."""
    parts = (content.parts if content else None) or ()
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def plain(model: Any) -> dict[str, Any]:
    """Return a model of ADK as JSON."""
    return json.loads(model.model_dump_json(exclude_none=True))
