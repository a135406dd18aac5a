"""The pages of the kinds of memory in a browser: as-of, a chat, a loop, an edit with a conflict, a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from coding_sessions import World
from playwright.sync_api import Page, expect

from quipu import Memory

Sound = Callable[[Page], None]


@pytest.fixture
def scratch(request: pytest.FixtureRequest) -> str:
    """A space for one test."""
    return f"kinds {request.node.name}"


def test_the_slider_goes_back_to_what_was_known_then(
    page: Page, memory: Memory, scratch: str, sound: Sound
) -> None:
    for rooms in (2, 3):
        memory.ledger.set("rooms", rooms, space=scratch, user="ana", scope="cross_session")
    memory.ledger.assume("balcony", True, space=scratch, user="ana", scope="cross_session")
    page.goto(f"/ledger?space={quote(scratch)}")
    sound(page)
    page.get_by_label("Person").fill("ana")
    page.get_by_role("button", name="Show facts").click()
    row = page.get_by_role("row", name="rooms")
    expect(row).to_contain_text("3")
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_text("after change 1 of 3")).to_be_visible()
    expect(row).to_contain_text("2")
    sound(page)
    page.get_by_role("link", name="Now", exact=True).click()
    page.get_by_role("link", name="balcony").click()
    sound(page)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("status")).to_contain_text("known now, not assumed")
    assert memory.ledger.assumptions(space=scratch) == []


def test_a_session_is_read_like_a_chat(
    page: Page, memory: Memory, scratch: str, sound: Sound, tmp_path: Path
) -> None:
    world = World(tmp_path)
    session = world.session("/home/ana/garden")
    session.prompt("Always water the beds on Mondays.")
    session.says("I will do that.")
    session.write()
    memory.transcripts.sync([world.root], space=scratch)
    memory.lessons.extract(space=scratch)
    page.goto(f"/transcripts?space={quote(scratch)}")
    sound(page)
    page.get_by_label("Words").fill("beds Mondays")
    page.get_by_role("button", name="Search").click()
    sound(page)
    page.locator(".hit").first.get_by_role("link").click()
    expect(page.locator(".chat li.user")).to_contain_text("Always water the beds on Mondays.")
    sound(page)
    page.goto(f"/transcripts/lessons?space={quote(scratch)}")
    sound(page)


def test_a_loop_is_closed_and_an_episode_refreshed(
    page: Page, memory: Memory, scratch: str, sound: Sound
) -> None:
    said = [
        ("user", "The landlord wants to raise the rent by 300 euros. I am really angry about it!"),
        ("assistant", "Did he give a reason for it?"),
        ("user", "No. I will write him a letter on Friday. Can you remind me to call the tenants' union?"),
        ("assistant", "I will remind you to call the union."),
    ]
    messages = [{"role": role, "content": content} for role, content in said]
    memory.observe(messages, space=scratch, session="s", user="ana")
    memory.work()
    memory.episodes.condense(space=scratch)
    page.goto(f"/episodes?space={quote(scratch)}")
    sound(page)
    loop = page.locator("li.sheet", has_text="Why it is closed").first
    loop.get_by_label("Why it is closed").fill("She called them.")
    loop.get_by_role("button", name="Resolved").click()
    expect(page.get_by_role("status")).to_contain_text("It is resolved")
    page.get_by_label("State").select_option("closed")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("main")).to_contain_text("“She called them.”")
    sound(page)
    episode = memory.episodes.list(space=scratch)[0]
    page.goto(f"/episodes/{episode.id}?space={quote(scratch)}")
    page.get_by_role("button", name="Mark as useful").click()
    expect(page.get_by_role("status")).to_contain_text("The episode is fresh again.")
    expect(page.locator("circle.refresh")).to_have_count(1)
    sound(page)


def test_an_edit_that_came_too_late_shows_both(
    page: Page, memory: Memory, scratch: str, sound: Sound
) -> None:
    kept = memory.longterm.add("Ana plays the cello", space=scratch, category="preference", user="ana")
    page.goto(f"/longterm?space={quote(scratch)}")
    sound(page)
    page.get_by_role("link", name="Ana plays the cello").click()
    sound(page)
    memory.longterm.edit(kept.id, space=scratch, summary="Ana plays the viola")
    page.get_by_label("In one sentence").fill("Ana plays the violin")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("You saw version 1; it is now at version 2")
    expect(page.locator("blockquote")).to_contain_text("Ana plays the viola")
    expect(page.get_by_label("In one sentence")).to_have_value("Ana plays the violin")
    sound(page)
    page.get_by_role("button", name="Save my version").click()
    expect(page.get_by_role("status")).to_contain_text("the earlier version is kept")
    assert memory.longterm.get(kept.id, space=scratch).summary == "Ana plays the violin"
    page.goto(f"/longterm?space={quote(scratch)}&user=ana")
    page.get_by_role("link", name="Archive all of these").click()
    sound(page)
    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_role("status")).to_contain_text("Archived: 1.")
    assert memory.longterm.get(kept.id, space=scratch).archived


def test_tables_are_sorted_filtered_and_followed(
    page: Page, memory: Memory, scratch: str, sound: Sound
) -> None:
    for name, columns in (("owners", ""), ("pets", ", owner_id int references owners (id)")):
        memory.tables.create_table(
            name,
            f"create table {name} (id serial primary key, name text not null{columns})",
            description=f"The {name} of the house.",
            embed_fields=["name"],
            space=scratch,
        )
    memory.tables.insert("owners", {"name": "Ben"}, space=scratch)
    memory.tables.insert(
        "pets", [{"name": one, "owner_id": 1} for one in ("Rex", "Mio", "Ada")], space=scratch
    )
    page.goto(f"/tables?space={quote(scratch)}")
    sound(page)
    page.get_by_role("link", name="pets").click()
    page.get_by_role("link", name="name", exact=True).click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Ada")
    page.get_by_role("link", name="name", exact=True).click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Rex")
    sound(page)
    page.get_by_label("Column").select_option("name")
    page.get_by_label("Holds").fill("mi")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("row")).to_have_count(2)
    page.get_by_role("link", name="Look at 2").click()
    expect(page.get_by_role("table")).to_contain_text("384")
    sound(page)
    page.get_by_role("link", name="refers to owners").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("Ben")
    page.get_by_label("By meaning").fill("Ben")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit").first).to_contain_text("Ben")
    sound(page)
