"""The page of recall: ask, why, wrong, forget."""

from __future__ import annotations

import re
from html import unescape

from page_client import SPACE, Browser, faults

from quipu import AsyncMemory


def links(html: str, word: str) -> list[str]:
    """Where the links lead that say ``word``."""
    return [unescape(href) for href in re.findall(rf'href="([^"]*)"[^>]*>{word}<', html)]


async def asked(client: Browser, question: str, space: str = SPACE, **more: str) -> str:
    answer = await client.get("/recall", params={"space": space, "q": question, **more})
    assert answer.status_code == 200
    assert faults(answer.text) == []
    return answer.text


async def test_answers_show_their_parts_and_where_they_are_from(client: Browser) -> None:
    page = await asked(client, "Where did Ana move?")
    assert "I moved to Lisbon in May." in page
    assert '<svg class="parts" role="img" aria-label="Score ' in page
    assert re.search(r"words 0\.\d\d", page)
    assert "Ana in <q>s &#34;1&#34; &lt;b&gt;</q>" in page


async def test_hostile_words_come_back_as_words(client: Browser) -> None:
    page = await asked(client, "alert quoted Lisbon")
    assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in page
    assert "{{ 7*7 }}" in page


async def test_a_question_that_nothing_answers_says_so(client: Browser) -> None:
    assert "Nothing is known of this." in await asked(client, "Where did Ana move?", kind="ledger")


async def test_why_explains_a_hit_with_what_stood_around_it(client: Browser) -> None:
    why = links(await asked(client, "Where did Ana move?"), "Why")[0]
    page = (await client.get(why)).text
    assert faults(page) == []
    assert "has words of the question" in page
    assert "How do you like Lisbon?" in page


async def test_what_came_back_once_and_does_no_more_is_not_found(client: Browser) -> None:
    gone = await client.get("/recall/why", params={"space": SPACE, "q": "Lisbon", "hit": "message:1"})
    assert gone.status_code == 404


async def test_a_fault_in_the_question_is_shown_as_a_page(client: Browser) -> None:
    wrong = await client.get("/recall", params={"space": SPACE, "q": "x", "since": "yesteryear"})
    assert wrong.status_code == 422
    assert "since" in wrong.text
    assert (await client.get("/recall", params={"space": SPACE, "limit": "many"})).status_code == 422


async def test_a_wrong_memory_is_put_right_or_taken_back(client: Browser, memory: AsyncMemory) -> None:
    await memory.longterm.add("Ana plays the cello", space="wrongs", category="preference", user="ana")
    page = await asked(client, "What does Ana play?", "wrongs")
    wrong = links(page, "Wrong")[0]
    shown = (await client.get(wrong)).text
    assert "This memory is wrong" in shown
    assert (await client.post(wrong, data={"csrf_token": "guessed", "act": "take-back"})).status_code == 403
    form = {"act": "correct", "right": "Ana plays the violin"}
    done = await client.submit(wrong, form)
    assert done.status_code == 303
    page = (await client.get(done.headers["location"])).text
    assert "The memory is corrected" in page
    assert "Ana plays the violin" in page
    assert "The memory is corrected" not in (await client.get(done.headers["location"])).text
    form = {"act": "take-back"}
    assert (await client.submit(links(page, "Wrong")[0], form)).status_code == 303
    assert "Nothing is known of this." in await asked(client, "What does Ana play?", "wrongs")


async def test_a_wrong_fact_is_corrected_under_its_key(client: Browser, memory: AsyncMemory) -> None:
    await memory.ledger.set("rooms", 3, space="facts", user="ana", scope="cross_session")
    page = await asked(client, "How many rooms?", "facts")
    form = {"act": "correct", "right": "4"}
    assert (await client.submit(links(page, "Wrong")[0], form)).status_code == 303
    assert (await memory.ledger.state(space="facts", user="ana"))["rooms"].value == 4
    page = await asked(client, "How many rooms?", "facts")
    assert (await client.submit(links(page, "Wrong")[0], form | {"act": "take-back"})).status_code == 303
    assert (await memory.ledger.state(space="facts", user="ana"))["rooms"].value == 3


async def test_what_was_said_can_only_be_forgotten(client: Browser, memory: AsyncMemory) -> None:
    said = [{"id": "x1", "content": "The harbour closes at nine."}]
    await memory.observe(said, space="to forget", session="s")
    page = await asked(client, "When does the harbour close?", "to forget")
    assert links(page, "Wrong") == []
    forget = links(page, "Forget")[0]
    preview = (await client.get(forget)).text
    assert "<code>messages</code>" in preview
    assert "Forget the message" in preview
    assert "harbour" in await asked(client, "When does the harbour close?", "to forget")
    unsure = await client.submit(forget)
    assert unsure.status_code == 303
    shown = re.search(r'name="token" value="([^"]+)"', preview)
    assert shown is not None
    for token in ("", "0" * 32):
        unseen = await client.submit(forget, {"confirmed": "yes", "token": token})
        assert f'value="{shown[1]}"' in unseen.text
    assert "harbour" in await asked(client, "When does the harbour close?", "to forget")
    done = await client.submit(forget, {"confirmed": "yes", "token": shown[1]})
    assert done.status_code == 200
    assert re.search(r"Receipt</dt><dd><code>[\w-]{8,}", done.text)
    assert "Nothing is known of this." in await asked(client, "When does the harbour close?", "to forget")


async def test_a_wrong_lesson_is_corrected_and_archived(client: Browser, memory: AsyncMemory) -> None:
    lesson = await memory.lessons.add("The tests need a running database.", space="lessons", project="boats")
    page = await asked(client, "What do the tests need?", "lessons")
    form = {"act": "correct", "right": "The tests need no running database."}
    await client.submit(links(page, "Wrong")[0], form)
    assert (await memory.lessons.get(lesson.id, space="lessons")).fact == form["right"]
    page = await asked(client, "What do the tests need?", "lessons")
    await client.submit(links(page, "Wrong")[0], {"act": "take-back"})
    assert (await memory.lessons.get(lesson.id, space="lessons")).state == "archived"


async def test_wrong_episodes_are_put_away_and_wrong_beliefs_corrected(
    client: Browser, memory: AsyncMemory
) -> None:
    said = [
        {"id": "1", "role": "user", "speaker": "Ana", "user": "ana", "content": "I live in Lisbon now."},
        {"id": "2", "role": "assistant", "content": "Good to know that you live in Lisbon."},
    ]
    await memory.observe(said, space="told", session="s")
    await memory.work()
    await memory.episodes.condense(space="told")
    [belief] = await memory.beliefs.list(space="told")
    page = await asked(client, "Is the home of Ana in Lisbon?", "told", kind="episodes")
    tags = re.findall(r"<span>(belief|episode)\b", page)
    wrong = dict(zip(tags, links(page, "Wrong"), strict=True))
    await client.submit(wrong["belief"], {"act": "correct", "right": "Porto"})
    values = [one.value for one in await memory.beliefs.list(space="told")]
    assert belief.value not in values
    assert "Porto" in values
    await client.submit(wrong["episode"], {"act": "take-back"})
    assert await memory.episodes.list(space="told") == []
