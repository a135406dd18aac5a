"""Signing in and looking around, in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser_seed import SPACE
from playwright.sync_api import Browser, Page, expect
from served_site import Site

from quipu.interfaces.web.navigation import MEMORY, SYSTEM

PATHS = [entry.path for entry in (*MEMORY, *SYSTEM)]


def test_a_link_signs_in_once(browser: Browser, site: Site, signed_in: tuple[str, object]) -> None:
    link = site.link()
    first, second = browser.new_context(), browser.new_context()
    page = first.new_page()
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Overview of")
    page = second.new_page()
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    page.goto(f"{signed_in[0]}/recall")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    first.close()
    second.close()


@pytest.mark.parametrize("path", PATHS)
def test_a_page_is_sound_in_light_and_dark(page: Page, sound: Callable[[Page], None], path: str) -> None:
    page.goto(f"{path}?space={SPACE}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    sound(page)
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.url.endswith(f"{path}?space={SPACE}")
    sound(page)
    page.get_by_role("button", name="Auto").click()


def test_the_keyboard_reaches_the_content_first(page: Page) -> None:
    page.goto(f"/recall?space={SPACE}&q=violin")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_another_space_is_chosen_in_the_head(page: Page) -> None:
    page.goto(f"/?space={SPACE}")
    page.get_by_label("Space").select_option("harbour")
    page.get_by_role("button", name="Go").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview of harbour")
