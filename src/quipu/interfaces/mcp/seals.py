"""The seal on a preview: without it nothing is destroyed, and it is only good for what was previewed."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from quipu.errors import Conflict
from quipu.kernel.base.clock import Clock, SystemClock

_GOOD_FOR: Final = timedelta(minutes=15)
_CHARACTERS: Final = 32


class Seals:
    """Makes and checks seals with a key of this process.

    A seal is the hexadecimal time until which it is good, and an HMAC of that time, of whose memory it is,
    and of what the preview said. Nothing is kept: another process, or this one started again, does not take
    it.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._key = secrets.token_bytes(32)

    def seal(self, act: str, what: Mapping[str, object]) -> str:
        """The seal of an act as it was previewed, good for 15 minutes."""
        until = int((self._clock.now() + _GOOD_FOR).timestamp())
        return f"{until:x}-{self._sign(until, act, what)}"

    def check(self, seal: str, act: str, what: Mapping[str, object]) -> None:
        """Nothing, where the seal is of this act and of what it would do now.

        Raises:
            Conflict: it is of something else, too old, or what the act would do changed meanwhile.
        """
        until, _, signed = seal.partition("-")
        try:
            ends = datetime.fromtimestamp(int(until, 16), tz=self._clock.now().tzinfo)
            good = hmac.compare_digest(signed.encode(), self._sign(int(until, 16), act, what).encode())
        except (ValueError, OverflowError, OSError):
            good, ends = False, self._clock.now()
        if not good or ends < self._clock.now():
            raise Conflict(
                "it is not of this preview, is older than 15 minutes, or what would go has changed.",
                field="token",
                hint="Nothing was changed. Call again without a token and show the new preview.",
            )

    def _sign(self, until: int, act: str, what: Mapping[str, object]) -> str:
        said = json.dumps([until, act, what], sort_keys=True, default=str).encode()
        return hmac.digest(self._key, said, "sha256").hex()[:_CHARACTERS]
