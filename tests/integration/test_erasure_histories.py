"""Whatever people said together: what is erased stands in no derived text, unless others said it too."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

import psycopg
import pytest
from everywhere import found
from long_form import sized

from quipu import AsyncMemory
from quipu.errors import NotFound
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio

SPACE = "village"
AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
PEOPLE = ("anselmq", "brunhildq", "corneliq")
SESSIONS = ("market", "mill", "well")
FORMS = (
    "I live in {0}.",
    "I prefer {0}.",
    "My sister works in {0}, and I promise to call her on Friday.",
    "Remind me to write to the office of {0} on Monday.",
    "Always use the mirror of our company for all the packages that you install in the shop {0} repository on"
    " the large build machine behind the old blue door of the second house.",
    "Never push to the branch {0}.",
    "No, that is wrong: my favourite colour is {0}.",
    "Let us plan the {0} {0} festival, the {0} festival will be large.",
    "I decided to rent the {0} van, because the {0} van was cheap, and I was happy with it.",
)
ASSISTANT = ("Noted: {0}.", "I will see to {0} and tell you.", "The answer about {0} is yes.")


@dataclass(frozen=True)
class Said:
    """A message, with the word that is unique to it or to a few."""

    id: str
    session: str
    user: str | None
    word: str
    text: str


def history(random: Random) -> list[Said]:
    """Turns of three people and an assistant in shared sessions; some words are said again by others."""
    said: list[Said] = []
    words = [f"{''.join(random.sample('bdfgklmnprstvz', 5))}{n}q" for n in range(14)]
    for n in range(28):
        word, session = random.choice(words), random.choice(SESSIONS)
        user = random.choice((*PEOPLE, None))
        text = random.choice(FORMS if user else ASSISTANT).format(word)
        said.append(Said(f"m{n}", session, user, word, text))
    return said


async def tell(memory: AsyncMemory, said: list[Said]) -> None:
    for n, one in enumerate(said):
        message = {"id": one.id, "content": one.text, "time": AT + timedelta(minutes=7 * n)}
        who = {"role": "assistant"} if one.user is None else {"role": "user", "speaker": one.user}
        await memory.observe(
            [message | who | ({"user": one.user} if one.user else {})],
            space=SPACE,
            session=one.session,
            index="later" if n % 3 else "now",
        )


async def derive(memory: AsyncMemory) -> None:
    """Run the worker to its end, and whatever else makes texts of texts."""
    await memory.work()
    for session in SESSIONS:
        with suppress(NotFound):  # the session was erased
            await memory.lessons.extract(space=SPACE, session=session)
    await memory.episodes.condense(space=SPACE)
    await memory.work()
    await memory.recall("festival", space=SPACE)


def unsaid(settings: Settings, words: set[str]) -> set[str]:
    """The words that no remaining message says."""
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url) as conn:
        texts = " ".join(row[0] for row in conn.execute("select content from core.messages"))
    return {word for word in words if word not in texts}


@pytest.mark.parametrize("kind", ["user", "session", "message"])
@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(1, long=4)))
async def test_no_derived_text_says_what_only_erased_messages_said(
    memory: AsyncMemory, settings: Settings, kind: str, seed: int
) -> None:
    random = Random(f"{kind}{seed}")
    said = history(random)
    await tell(memory, said)
    await derive(memory)
    one = random.choice([one for one in said if one.user])
    what = {"user": one.user} if kind == "user" else {"session": one.session}
    erased = {
        "user": [other for other in said if other.user == one.user],
        "session": [other for other in said if other.session == one.session],
        "message": [other for other in said if other.id == one.id],
    }[kind]
    if kind == "message":
        what |= {"message": one.id}
    await memory.forget(space=SPACE, confirm=True, **what)
    gone = unsaid(settings, {other.word for other in erased})
    assert found(settings.database_url or "", gone) == set()
    await derive(memory)
    assert found(settings.database_url or "", gone) == set()
