import hashlib
import random
import re
import string
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[3] / "fixtures" / "redaction"
ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + "234567",
    "hex": "0123456789abcdef",
    "digits": string.digits,
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "_-",
}


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    text: str
    secrets: tuple[str, ...]
    held_out: bool

    @property
    def frame(self) -> list[str]:
        """What stands around the secrets and must stay."""
        return re.split("|".join(map(re.escape, self.secrets)), self.text) if self.secrets else [self.text]


def draw(source: random.Random, match: re.Match[str]) -> str:
    """Random characters, some of every kind that the alphabet has, as those of a real key are."""
    alphabet, length = ALPHABETS[match[1]], int(match[2])
    kinds = [
        set(alphabet) & set(kind) for kind in (string.ascii_lowercase, string.ascii_uppercase, string.digits)
    ]
    drawn = [source.choice(sorted(kind)) for kind in kinds if kind][:length]
    drawn += source.choices(alphabet, k=length - len(drawn))
    source.shuffle(drawn)
    if drawn and not drawn[-1].isalnum():
        drawn[-1] = "k"
    return "".join(drawn)


def read_corpus(file: str) -> list[Case]:
    cases = []
    for block in re.split(r"^## ", (CORPUS / file).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, body = block.partition("\n")
        source = random.Random(name)
        body = re.sub(r"\{([a-z0-9]+):(\d+)\}", partial(draw, source), body.rstrip("\n"))
        secrets = tuple(found.replace("|", "") for found in re.findall("«(.*?)»", body, re.DOTALL))
        text = re.sub("«(.*?)»", lambda match: match[1].replace("|", ""), body, flags=re.DOTALL)
        cases.append(Case(name, text, secrets, bool(hashlib.sha256(name.encode()).digest()[0] & 128)))
    return cases


@pytest.fixture(scope="session")
def positives() -> list[Case]:
    return read_corpus("positives.txt")


@pytest.fixture(scope="session")
def negatives() -> list[Case]:
    return read_corpus("negatives.txt")
