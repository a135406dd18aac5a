"""Conversations to condense."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

THEN = datetime(2025, 3, 3, 9, tzinfo=UTC)

TRIP = (
    "Hi! I want to plan a trip to Lisbon in May.",
    "Great, when do you want to go?",
    "On 14 May. I decided to take the night train from Madrid.",
    "Noted: the night train from Madrid on 14 May.",
    "I'm so happy, it will be wonderful!",
    "I'll send you a list of hotels tomorrow.",
    "Thanks, that works. Bye!",
    "Goodbye!",
)
BUILD = (
    "Hello, the build fails with an error in the parser.",
    "Which version of the compiler do you use?",
    "Version 14. I am really annoyed, it crashed three times today.",
    "Set the flag --legacy in build.toml.",
    "That fixed it, thank you!",
    "You're welcome.",
)
GARDEN = (
    "Hey there, my tomatoes in the garden have yellow leaves.",
    "How often do you water them?",
    "Every day. I must not use any chemicals.",
    "Then water them twice a week, and add compost.",
    "I will try compost from Saturday on.",
    "Let me know how it goes.",
)


def told(
    texts: Sequence[str],
    *,
    session: str,
    at: datetime = THEN,
    user: str = "ana",
    apart: timedelta = timedelta(minutes=1),
) -> Iterator[dict[str, object]]:
    """Texts as messages of a user and an assistant in turn, one a minute."""
    for place, text in enumerate(texts):
        yield {
            "id": f"{session}-{place}",
            "session": session,
            "role": "user" if place % 2 == 0 else "assistant",
            "user": user,
            "content": text,
            "time": (at + place * apart).isoformat(),
        }
