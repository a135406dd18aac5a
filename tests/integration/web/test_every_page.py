"""Each page of the navigation: there, small, ours alone, and closed to strangers."""

from __future__ import annotations

import pytest
from page_client import SPACE, Browser, faults

from quipu.interfaces.web.files import address
from quipu.interfaces.web.navigation import MEMORY, SYSTEM, NavigationEntry

ENTRIES = [*MEMORY, *SYSTEM]
MOST_BYTES = 100_000


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
async def test_a_page_is_whole_and_takes_nothing_from_elsewhere(
    client: Browser, entry: NavigationEntry
) -> None:
    answer = await client.get(entry.path, params={"space": SPACE})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert len(answer.content) < MOST_BYTES
    assert faults(answer.text) == []
    assert answer.text.count("<h1") == 1
    assert f'aria-current="page">{entry.name}</a>' in answer.text


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
async def test_a_page_of_a_space_that_is_not_there_is_empty_and_not_an_error(
    client: Browser, entry: NavigationEntry
) -> None:
    assert (await client.get(entry.path, params={"space": "nowhere"})).status_code == 200


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
async def test_strangers_are_told_how_to_sign_in_and_nothing_else(
    stranger: Browser, entry: NavigationEntry
) -> None:
    answer = await stranger.get(entry.path, params={"space": SPACE})
    assert (answer.status_code, answer.headers["location"]) == (303, "/signin")
    assert "quipu serve" in (await stranger.get("/signin")).text
    assert answer.text == ""


async def test_the_files_of_the_pages_are_kept_by_browsers(stranger: Browser) -> None:
    for name, media in (
        ("style.css", "text/css"),
        ("htmx.min.js", "text/javascript"),
        ("icon.svg", "image/svg"),
    ):
        answer = await stranger.get(address(name))
        assert answer.headers["content-type"].startswith(media)
        assert "immutable" in answer.headers["cache-control"]
        assert "immutable" not in (await stranger.get(f"/static/{name}")).headers["cache-control"]
    assert (await stranger.get("/static/../pages.py")).status_code == 404
    assert (await stranger.get("/static/pages.py")).status_code == 404


async def test_a_form_without_its_token_changes_nothing(client: Browser) -> None:
    for token in ({}, {"csrf_token": "guessed"}):
        answer = await client.post("/theme", data={"theme": "dark", **token})
        assert answer.status_code == 403
        assert "did not come from a page of yours" in answer.text
        assert "set-cookie" not in answer.headers


async def test_the_colours_are_kept_and_the_reader_stays_where_they_are(client: Browser) -> None:
    assert 'data-theme="auto"' in (await client.get("/", params={"space": SPACE})).text
    chosen = await client.submit("/theme", {"theme": "dark", "back": "/recall?space=x"})
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/recall?space=x")
    assert 'data-theme="dark"' in (await client.get("/recall")).text


async def test_nobody_is_sent_elsewhere_by_a_form(client: Browser) -> None:
    for elsewhere in ("https://example.org/", "//example.org", "/\\example.org"):
        answer = await client.submit("/theme", {"theme": "dark", "back": elsewhere})
        assert answer.headers["location"] == "/"


async def test_what_went_wrong_is_a_page(client: Browser) -> None:
    answer = await client.get("/no/such/page")
    assert answer.status_code == 404
    assert "Something went wrong" in answer.text
    assert faults(answer.text) == []
