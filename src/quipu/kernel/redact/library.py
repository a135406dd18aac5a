"""The detectors of detect-secrets for services that our own rules do not know.

The library takes a quarter of a second to import and its patterns were made for short lines of code. So each
detector has a gate, a cheap sign without which it cannot find anything: the library is loaded at the first
text that has one, and sees only a window around it. Ordinary prose never reaches it, and a text of many
megabytes costs linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Final, Protocol, cast

from quipu.kernel.redact import values
from quipu.kernel.redact.model import Secret, Source


class Detector(Protocol):
    """What we use of a plugin of detect-secrets."""

    def analyze_string(self, string: str) -> Iterator[str]:
        """Every secret in the string."""
        ...


@dataclass(frozen=True, slots=True)
class Plugin:
    """A plugin of the library, asked about the surroundings of what its gate matches.

    With words, the gate is a name that a text has or has not; without, it is the form of the secret itself,
    which is looked for in the long runs of the text.
    """

    module: str
    name: str
    kind: str
    gate: re.Pattern[str]
    words: tuple[str, ...]

    def passes(self, source: Source) -> bool:
        """Whether the detector may find something in that text."""
        if self.words:
            return any(word in source.lower for word in self.words)
        return self.gate.search(source.runs) is not None


def _plugin(name: str, kind: str, *, form: str = "", words: str = "") -> Plugin:
    module, _, detector = name.partition(".")
    gate = re.compile(form) if form else re.compile(words.replace(" ", "|"), re.IGNORECASE)
    return Plugin(module, detector, kind, gate, tuple(words.split()))


PLUGINS: Final = (
    _plugin("artifactory.ArtifactoryDetector", "artifactory-token", form=r"\bA(?:KC|P[0-9A-F])\w{8}"),
    _plugin("cloudant.CloudantDetector", "cloudant-key", words="cloudant"),
    _plugin("discord.DiscordBotTokenDetector", "discord-token", form=r"\b[MNO][\w-]{23,25}\.[\w-]{6}\."),
    _plugin("ibm_cloud_iam.IbmCloudIamDetector", "ibm-key", words="ibm"),
    _plugin("ibm_cos_hmac.IbmCosHmacDetector", "ibm-key", words="ibm cos_"),
    _plugin("mailchimp.MailchimpDetector", "mailchimp-key", form=r"\b\w{32}-us\d"),
    _plugin("softlayer.SoftlayerDetector", "softlayer-key", words="softlayer"),
    _plugin("square_oauth.SquareOAuthDetector", "square-token", form=r"sq0csp"),
    _plugin("telegram_token.TelegramBotTokenDetector", "telegram-token", form=r"\b\d{8,10}:[\w-]{35}"),
)
_BEFORE_CHARACTERS: Final = 64
_WINDOW_CHARACTERS: Final = 256
_LEAST_CHARACTERS: Final = 11


def find(source: Source) -> Iterator[Secret]:
    """Every secret that a detector of the library sees and that looks drawn by a machine."""
    if not source.runs:
        return
    for plugin in PLUGINS:
        if plugin.passes(source):
            for start, window in _windows(source.text, plugin.gate):
                for value in set(_detector(plugin.module, plugin.name).analyze_string(window)):
                    if _looks_drawn(value):
                        yield from _places(window, value, start, plugin.kind)


def tells(plugin: Plugin, text: str, position: int) -> bool:
    """Whether the detector sees a secret around a match of its gate."""
    window = text[max(0, position - _BEFORE_CHARACTERS) : position + _WINDOW_CHARACTERS]
    return any(map(_looks_drawn, _detector(plugin.module, plugin.name).analyze_string(window)))


def _looks_drawn(value: str) -> bool:
    return len(value) >= _LEAST_CHARACTERS and values.is_secret(value, subject="token", grade="literal")


def _windows(text: str, gate: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The surroundings of every match of the gate that is not already well inside the last window."""
    seen_until = 0
    for match in gate.finditer(text):
        if match.start() >= seen_until:
            start = max(0, match.start() - _BEFORE_CHARACTERS)
            seen_until = match.start() + _WINDOW_CHARACTERS - _BEFORE_CHARACTERS
            yield start, text[start : match.start() + _WINDOW_CHARACTERS]


def _places(window: str, value: str, offset: int, kind: str) -> Iterator[Secret]:
    position = window.find(value)
    while position >= 0:
        yield Secret(offset + position, offset + position + len(value), kind)
        position = window.find(value, position + len(value))


@cache
def _detector(module: str, name: str) -> Detector:
    """The detector, imported when it is first needed: most processes never do."""
    plugin = import_module(f"detect_secrets.plugins.{module}")
    return cast("Detector", getattr(plugin, name)())
