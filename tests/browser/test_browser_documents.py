"""The pages of documents in a browser: walked by path, edited, compared, deleted and brought back, erased."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page, expect

from quipu import Memory

Sound = Callable[[Page], None]
SPACE = "shelf"


def test_a_document_is_walked_to_edited_and_taken_away(page: Page, memory: Memory, sound: Sound) -> None:
    space = f"{SPACE} {page.viewport_size}"
    put, at = memory.documents.put, {"path": "handbook/boats", "key": "mooring.md"}
    body = "# Mooring\n\nTie her to the north pier.\n\n## Winter\n\n" + "A long line about ropes. " * 30
    put(**at, space=space, body=body, metadata={"topic": "boats"}, actor="planner", user="ana")
    put(
        "handbook/boats",
        "crew.json",
        {"skipper": "Ana", "crew": ["Bo", "Cy"]},
        space=space,
        ttl_seconds=9_000,
    )
    put(["handbook", "w/ slash"], "x" * 300, space=space, body="y" * 3_000)
    page.goto(f"/documents?space={quote(space)}")
    sound(page)
    page.get_by_role("link", name="handbook", exact=True).click()
    page.get_by_role("link", name="w/ slash", exact=True).click()
    sound(page)
    page.get_by_role("navigation", name="Path").get_by_role("link", name="handbook").click()
    page.get_by_role("link", name="boats", exact=True).click()
    page.get_by_role("link", name="mooring.md").click()
    expect(page.get_by_role("table", name="Passages")).to_contain_text("Winter")
    sound(page)
    page.get_by_role("button", name="Edit").click()
    sound(page)
    memory.documents.put(**at, space=space, body=body.replace("north", "south"), actor="harbour")
    page.get_by_label("Text").fill(body.replace("north", "west"))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("You saw version 1; it is now at version 2")
    sound(page)
    page.get_by_role("button", name="Save my version").click()
    expect(page.get_by_role("status")).to_contain_text("the earlier version is kept")
    page.get_by_role("button", name="What changed with version 3").click()
    expect(page.locator("ins")).to_have_text("+ Tie her to the west pier.")
    expect(page.locator("del")).to_have_text("− Tie her to the south pier.")
    sound(page)
    page.get_by_label("From version").fill("1")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("del").first).to_have_text("− Tie her to the north pier.")
    page.get_by_role("link", name="Back to the document").click()
    page.get_by_role("button", name="Revert to version 1").click()
    expect(page.get_by_role("status")).to_contain_text("What version 1 said is back.")
    assert memory.documents.get(**at, space=space).body == body
    page.get_by_role("button", name="Redact version 2").click()
    sound(page)
    page.get_by_role("button", name="Redact").click()
    expect(page.locator("main")).to_contain_text("Its content was taken out.")
    page.get_by_role("button", name="Delete").click()
    sound(page)
    page.get_by_role("button", name="Bring back").click()
    expect(page.get_by_role("status")).to_contain_text("is back")
    page.get_by_label("Key", exact=True).fill("berth.md")
    page.get_by_role("button", name="Move").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("berth.md")
    page.goto(f"/recall?space={quote(space)}&q=north+pier")
    page.get_by_role("link", name="Open").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("berth.md")
    page.get_by_role("button", name="Erase").click()
    sound(page)
    page.get_by_role("button", name="Erase").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Forgotten")
    sound(page)


def test_a_document_is_written_by_hand_and_found(page: Page, memory: Memory, sound: Sound) -> None:
    space = f"{SPACE} by hand {page.viewport_size}"
    memory.documents.put("notes", "first", 1, space=space)
    page.goto(f"/documents?space={quote(space)}&path=notes")
    page.get_by_label("Key").fill("todo.md")
    page.get_by_label("Text").fill("# Shopping\n\nBuy a new anchor.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("The document is saved.")
    assert memory.documents.get("notes", "todo.md", space=space).body == "# Shopping\n\nBuy a new anchor."
    page.get_by_role("navigation", name="Path").get_by_role("link", name="notes").click()
    page.get_by_label("Question").fill("Which anchor?")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".hit").first).to_contain_text("Shopping")
    expect(page.locator(".hit").first).to_contain_text("line 1")
    sound(page)
