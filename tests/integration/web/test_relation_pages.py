"""The page of what replaces what: shown, said, taken back, and said again."""

from __future__ import annotations

import re
from html import unescape

from page_client import Browser, faults

from quipu import AsyncMemory

SPACE = "changes"
SAID = [
    {"id": "m 1", "content": "I live in Hamburg.", "time": "2026-01-05"},
    {"id": "m2", "content": "I moved to <b>Lisbon</b>.", "time": "2026-05-04"},
]
HERE = {"space": SPACE, "message": "m 1", "session": "s/1"}


async def shown(client: Browser, **more: str) -> str:
    answer = await client.get("/recall/relations", params={**HERE, **more})
    assert answer.status_code == 200
    assert faults(answer.text) == []
    return answer.text


def action(page: str, act: str) -> str:
    return unescape(re.findall(rf'action="(/recall/relations/{act}\?[^"]*)"', page)[0])


def hidden(page: str) -> dict[str, str]:
    """The fields of the last act of the page, which names a link."""
    form = re.findall(r'class="act">(.*?)</form>', page, re.DOTALL)[-1]
    found = re.findall(r'name="(other|other_session|newer)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in found}


async def test_a_hit_leads_to_what_replaces_it_and_a_form_says_so(
    client: Browser, memory: AsyncMemory
) -> None:
    await memory.observe(SAID, space=SPACE, session="s/1")
    page = (await client.get("/recall", params={"space": SPACE, "q": "Who lives in Hamburg?"})).text
    addresses = map(unescape, re.findall(r'href="(/recall/relations[^"]*)"', page))
    address = next((one for one in addresses if "message=m+1" in one), "")
    assert address
    empty = (await client.get(address)).text
    assert "nothing replaces it" in empty
    form = {"newer": "other", "other": "m2", "reason": "moved"}
    assert (await client.post(action(empty, "relate"), data=form)).status_code == 403  # without its token
    done = await client.submit(action(empty, "relate"), form)
    assert done.status_code == 303
    page = (await client.get(done.headers["location"])).text
    assert "The link is saved." in page
    assert "I moved to &lt;b&gt;Lisbon&lt;/b&gt;." in page
    assert "replaces: moved" in page
    assert "Said by a person" in page
    assert hidden(page) == {"other": "m2", "other_session": "s/1", "newer": "other"}
    assert hidden(await shown(client, message="m2")) == {
        "other": "m 1",
        "other_session": "s/1",
        "newer": "it",
    }
    await client.submit(action(page, "unrelate"), hidden(page))
    page = await shown(client)
    assert "removed by a person" in page
    (link,) = await memory.relations("m 1", space=SPACE)
    assert link.removed_by == "person"
    await client.submit(action(page, "relate"), hidden(page))
    (link,) = await memory.relations("m 1", space=SPACE)
    assert link.removed_at is None


async def test_messages_of_one_id_in_two_sessions_are_told_apart(
    client: Browser, memory: AsyncMemory
) -> None:
    for session, one in (("a", SAID[0]), ("b", SAID[1])):
        await memory.observe([{**one, "id": "same"}], space="twice", session=session)
    await memory.relate("same", "same", space="twice", newer_session="b", older_session="a")
    older = await shown(client, space="twice", message="same", session="a")
    assert hidden(older) == {"other": "same", "other_session": "b", "newer": "other"}
    newer = await shown(client, space="twice", message="same", session="b")
    assert hidden(newer) == {"other": "same", "other_session": "a", "newer": "it"}


async def test_what_cannot_be_is_a_page_that_says_why(client: Browser, memory: AsyncMemory) -> None:
    await memory.observe(SAID, space="refused", session="s/1")
    here = {**HERE, "space": "refused"}
    unknown = await client.get("/recall/relations", params={**here, "message": "m9"})
    assert unknown.status_code == 404
    address = action((await client.get("/recall/relations", params=here)).text, "relate")
    turned = await client.submit(address, {"newer": "it", "other": "m2"})
    assert turned.status_code == 422
    assert "later than the newer one" in turned.text
    assert (await client.submit(address, {"newer": "it", "other": "m9"})).status_code == 404
    assert await memory.relations("m2", space="refused") == []
