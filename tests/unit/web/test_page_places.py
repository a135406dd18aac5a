"""What a hit tells of is shown by a page that is there."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from starlette.routing import Match

from quipu.interfaces.web import navigation
from quipu.interfaces.web.navigation import NavigationEntry
from quipu.interfaces.web.pages import pages
from quipu.recall.model import Hit, Source

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ROLES = {"message": "user", "ledger": "explicit", "episodes": "episode"}


def hit(kind: str) -> Hit:
    source = Source("an-id", "a session", role=ROLES.get(kind, ""), user="ana")
    return Hit(kind, "1", "text", 0.5, {}, NOW, NOW, source)


def leads_somewhere(path: str) -> bool:
    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    return any(route.matches(scope)[0] is Match.FULL for route in pages().routes)


@pytest.mark.parametrize(
    "kind", ["message", "ledger", "lesson", "episodes", "longterm", "document", "tables"]
)
def test_a_place_is_a_page_that_is_there(kind: str) -> None:
    found = navigation.place(hit(kind))
    assert found is None or leads_somewhere(found[0])


def test_without_the_page_of_a_kind_there_is_no_link_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        navigation, "MEMORY", (NavigationEntry("Overview", "/"), NavigationEntry("Long-term", "/longterm"))
    )
    assert navigation.place(hit("longterm")) == ("/longterm/an-id", {})
    assert navigation.place(hit("lesson")) is None
    assert navigation.place(hit("tables")) is None
