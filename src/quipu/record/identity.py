"""Ids for messages that come without one."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from dataclasses import replace

from quipu.record.model import Incoming


def fresh(message: Incoming) -> Incoming:
    """Return the message with an id of its own: said now, it is not the same as anything said before."""
    return message if message.id is not None else replace(message, id=uuid.uuid4().hex)


class Derived:
    """Ids made from what a recorded message says, so that importing a file twice changes nothing.

    The second message of one import that says exactly the same gets a number; so does the third.
    """

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def give(self, message: Incoming) -> Incoming:
        """Return the message with an id."""
        if message.id is not None:
            return message
        time = message.time.isoformat() if message.time else ""
        said = (message.session or "", message.role, message.speaker or "", time, message.content)
        digest = hashlib.blake2b("\0".join(said).encode("utf-8", "replace"), digest_size=12).digest()
        self._seen[digest] += 1
        count = self._seen[digest]
        return replace(message, id=digest.hex() if count == 1 else f"{digest.hex()}-{count}")
