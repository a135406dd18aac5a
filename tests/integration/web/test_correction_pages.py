"""The button "Wrong" on the pages of derived memories, the words beside it, and taking it back."""

from __future__ import annotations

import re
from html import unescape

import pytest
from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory
from quipu.kinds.transcripts.extract.extractor import RulesExtractor

pytestmark = pytest.mark.anyio

SPACE = "corrections <pages>"
HOME = "I live in Lisbon"
TEXTS = (
    f"{HOME}.\n\n{HOSTILE}",
    "I'll send the contract to Tom by Friday.",
    "The API runs on port 8080.",
)


@pytest.fixture(scope="module")
async def told(memory: AsyncMemory) -> AsyncMemory:
    """With a memory, a belief, a loop and a lesson, each of a message of its own."""
    for place, text in enumerate(TEXTS):
        said = [{"id": f"m{place}", "content": text}, {"role": "assistant", "content": "Noted."}]
        await memory.observe(said, space=SPACE, session=f"s{place}", user="ana")
    await memory.work()
    await memory.lessons.extract(space=SPACE, session="s2", extractor=RulesExtractor())
    return memory


async def seen(client: Browser, path: str) -> str:
    answer = await client.get(path, params={"space": SPACE})
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    return answer.text


async def pressed(client: Browser, page: str, kind: str) -> str:
    """Press the one button of a page that marks or takes back; return the page that it leads to."""
    (form,) = re.findall(r'<form[^>]*action="([^"]*/corrections/[^"]*)"', page)
    answer = await client.submit(unescape(form), {} if "/remove" in form else {"kind": kind})
    assert answer.status_code == 303, answer.text
    return (await client.get(answer.headers["location"])).text


async def place(memory: AsyncMemory, kind: str) -> str:
    if kind == "longterm":
        return f"/longterm/{(await memory.longterm.list(space=SPACE, state='all'))[0].id}"
    if kind == "lesson":
        return f"/transcripts/lessons/{(await memory.lessons.list(space=SPACE, state='all'))[0].id}"
    return f"/episodes/beliefs/{(await memory.beliefs.list(space=SPACE, key='home', state='all'))[0].id}"


@pytest.mark.parametrize(
    ("kind", "words"),
    [("longterm", HOME), ("belief", HOME), ("lesson", "port 8080")],
)
async def test_a_page_shows_the_words_marks_it_as_wrong_and_takes_that_back(
    client: Browser, told: AsyncMemory, kind: str, words: str
) -> None:
    page = await seen(client, await place(told, kind))
    assert re.search(rf'said-by">[^<]*{words}', page.partition("Sources</h2>")[2])
    assert 'href="/transcripts/session' in page
    page = await pressed(client, page, kind)
    assert ">Wrong</button>" not in page
    assert "Marked as wrong" in page
    listed = await seen(client, "/corrections")
    assert "By rule" in listed
    assert f'<span class="tag">{kind}</span>' in listed
    page = await pressed(client, page, kind)
    assert ">Wrong</button>" in page
    assert await told.corrections.list(space=SPACE) == []


async def test_a_loop_is_marked_on_the_page_of_loops(client: Browser, told: AsyncMemory) -> None:
    page = await seen(client, "/episodes/loops")
    assert "send the contract" in page
    await pressed(client, page, "loop")
    assert await told.loops.list(space=SPACE) == []
    answer = await client.get("/episodes/loops", params={"space": SPACE, "state": "closed"})
    assert "Marked as wrong" in answer.text
    await pressed(client, answer.text, "loop")
    assert len(await told.loops.list(space=SPACE)) == 1


async def test_beliefs_are_listed_and_opened(client: Browser, told: AsyncMemory) -> None:
    listed = await seen(client, "/episodes/beliefs")
    here = await place(told, "belief")
    assert f'href="{here}?' in listed
    assert "home: Lisbon" in await seen(client, here)


async def test_what_a_person_wrote_has_no_such_button(client: Browser, told: AsyncMemory) -> None:
    kept = await told.longterm.add("Likes tea.", space=SPACE)
    page = await seen(client, f"/longterm/{kept.id}")
    assert ">Wrong</button>" not in page
    refused = await client.submit(f"/corrections/{kept.id}?space={SPACE}", {"kind": "longterm"})
    assert refused.status_code == 422
    await told.longterm.archive(kept.id, space=SPACE)


async def test_wrong_on_the_page_of_recall_keeps_a_correction(client: Browser, told: AsyncMemory) -> None:
    hits = await told.recall("Where does Ana live?", space=SPACE, kinds=["longterm"])
    asked = {"space": SPACE, "q": "Where does Ana live?", "kind": "longterm"}
    answer = await client.get("/recall/wrong", params={**asked, "hit": f"longterm:{hits[0].id}"})
    assert answer.status_code == 200, answer.text
    form = unescape(re.findall(r'<form method="post" action="(/recall/wrong[^"]*)"', answer.text)[0])
    assert (await client.submit(form, {"act": "take-back"})).status_code == 303
    (one, *_) = [one for one in await told.corrections.list(space=SPACE) if one.kind == "longterm"]
    assert "Lisbon" in one.text
    await told.corrections.remove(one.id, space=SPACE)
