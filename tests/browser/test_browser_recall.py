"""Recall in a browser: ask, why, wrong, forget; with and without scripts."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from browser_seed import SPACE
from playwright.sync_api import Browser, Page, expect

from quipu import Memory


def test_asking_shows_answers_and_why_without_leaving_the_page(
    page: Page, sound: Callable[[Page], None]
) -> None:
    page.goto(f"/recall?space={SPACE}")
    page.get_by_label("Question").fill("Who repairs the violin?")
    page.get_by_role("button", name="Ask").click()
    hit = page.locator(".hit", has_text="Very much. My violin")
    expect(hit).to_be_visible()
    assert "q=Who%20repairs" in page.url
    hit.get_by_role("link", name="Why").click()
    expect(hit.get_by_role("table")).to_contain_text("has words of the question")
    assert "/recall/why" not in page.url
    sound(page)


def test_it_works_without_scripts(browser: Browser, signed_in: tuple[str, object]) -> None:
    base, state = signed_in
    context = browser.new_context(base_url=base, storage_state=state, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"/recall?space={SPACE}")
    page.get_by_label("Question").fill("Who repairs the violin?")
    page.get_by_role("button", name="Ask").click()
    page.locator(".hit", has_text="Very much. My violin").get_by_role("link", name="Why").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Why this was found")
    page.get_by_role("link", name="Back to the answers").click()
    expect(page.locator(".hit").first).to_be_visible()
    context.close()


@pytest.fixture
def scratch(memory: Memory, request: pytest.FixtureRequest) -> str:
    """A space for one test."""
    return f"scratch {request.node.name}"


def test_a_wrong_memory_is_corrected(
    page: Page, memory: Memory, scratch: str, sound: Callable[[Page], None]
) -> None:
    memory.longterm.add("Ana plays the cello", space=scratch, category="preference", user="ana")
    page.goto(f"/recall?space={quote(scratch)}")
    page.get_by_label("Question").fill("What does Ana play?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("link", name="Wrong").click()
    sound(page)
    page.get_by_label("The correct statement, in one sentence").fill("Ana plays the violin")
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_role("status")).to_contain_text("The memory is corrected")
    expect(page.locator(".hit")).to_contain_text("Ana plays the violin")
    assert memory.longterm.list(space=scratch)[0].version == 2


def test_what_was_said_is_forgotten_after_a_preview(
    page: Page, memory: Memory, scratch: str, sound: Callable[[Page], None]
) -> None:
    memory.observe([{"id": "secret", "content": "The key lies under the mat."}], space=scratch, session="s")
    page.goto(f"/recall?space={quote(scratch)}")
    page.get_by_label("Question").fill("Where is the key?")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("link", name="Forget").click()
    expect(page.get_by_role("table")).to_contain_text("messages")
    sound(page)
    assert memory.recall("Where is the key?", space=scratch)
    page.get_by_role("button", name="Forget").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Forgotten")
    expect(page.locator("main")).to_contain_text("Receipt")
    sound(page)
    assert memory.recall("Where is the key?", space=scratch) == []
