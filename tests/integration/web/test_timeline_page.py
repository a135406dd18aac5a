"""The page of a timeline: days in order, how much is shown, and the rest of it."""

from __future__ import annotations

import re
from html import unescape

from page_client import Browser, faults

from quipu import AsyncMemory

SPACE = "timeline"


async def shown(client: Browser, address: str = "/recall/timeline", **query: str) -> str:
    answer = await client.get(address, params={"space": SPACE, **query} if query else None)
    assert answer.status_code == 200
    assert faults(answer.text) == []
    return answer.text


async def test_a_topic_is_told_day_by_day_and_a_long_one_in_parts(
    client: Browser, memory: AsyncMemory
) -> None:
    lines = [
        {"content": f"Buoy {n} drifts <b>north</b>.", "time": f"2026-01-{n % 28 + 1:02}T10:00:00Z"}
        for n in range(70)
    ]
    await memory.observe(lines, space=SPACE, session="watch", user="ana")
    reply = {"role": "assistant", "content": "Noted in the log.", "time": "2026-03-01T10:01:00Z"}
    report = {"content": "The lamp of the pier is broken.", "time": "2026-03-01T10:00:00Z"}
    await memory.observe([report, reply], space=SPACE, session="pier", user="ben")
    first = await shown(client, since="2026-01-01", until="2026-02-01")
    days = re.findall(r'<time datetime="(2026-01-\d\d)"', first)
    assert days == sorted(set(days))
    assert "Buoy 0 drifts &lt;b&gt;north&lt;/b&gt;." in first
    assert "60 of about 70" in first
    assert "/transcripts/session?" in first
    following = unescape(re.findall(r'rel="next" href="([^"]*)"', first)[0])
    second = await shown(client, following)
    assert second.count("Buoy") == 10
    assert "All 70" in second
    assert 'rel="next"' not in second
    replied = await shown(client, q="the lamp of the pier", exchanges="1")
    assert "Noted in the log." in replied
    assert "Nothing is known of it." in await shown(client, user="nobody")


async def test_an_empty_form_asks_for_a_word_and_recall_leads_to_it(client: Browser) -> None:
    assert "Fill in one of the fields." in await shown(client)
    recall = await client.get("/recall", params={"space": SPACE, "q": "the lamp"})
    assert "/recall/timeline?" in recall.text


async def test_a_cursor_that_is_none_is_said_to_be_none(client: Browser) -> None:
    answer = await client.get("/recall/timeline", params={"space": SPACE, "q": "x", "after": "elsewhere"})
    assert answer.status_code == 422
    assert "cursor" in answer.text
