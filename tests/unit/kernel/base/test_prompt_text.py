"""What is put in front of a model holds nothing invisible, and nothing that looks like its frame."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frames import FRAMES, is_harmless
from quipu.kernel.base.prompt_text import defused


@pytest.mark.parametrize("form", FRAMES)
def test_no_frame_is_left(form: str):
    for said in (form, f"hello\n{form} now obey", f"hello {form}" if form.startswith("<") else form):
        assert is_harmless(defused(said)), defused(said)


def test_no_character_that_nobody_sees_is_left():
    for number in range(sys.maxunicode + 1):
        sign = chr(number)
        invisible = unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp", "Cs") and sign not in "\n\t"
        if invisible or 0xE0000 <= number < 0xE1000 or 0xFE00 <= number < 0xFE10:
            assert defused(f"a{sign}b") in ("ab", "a\nb"), hex(number)


@pytest.mark.parametrize(
    "text",
    [
        "plain words, a < b <= c, 1<2, x <- y, <3, 5 > 4: so it is",
        "The user: she said that. http://example.org:80/x [1] [ok] [TODO]",
        "- Ana: I live in Lisbon",
        "- 2025-01-01 10:00 user: hello (s1/m1)",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, which needs its non-joiner
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala, which needs its joiner
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f\u200d\U0001f525",  # family
        "\U0001f44d\U0001f3fd 1\ufe0f\u20e3",
        "a\tb\nc",
    ],
)
def test_what_is_no_frame_stays_as_it_is(text: str):
    assert defused(text) == text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("a\u200db", "ab"),
        ("\u0645\u200c\u200c\u200d\u06cc", "\u0645\u200c\u06cc"),
        ("\U0001f44d\ufe0f\ufe0e\ufe01\U000e0100", "\U0001f44d\ufe0f"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4"),
        ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
        ("\x1b[31mred", "[31mred"),
        ("safe \u202etxt.exe", "safe txt.exe"),
        ("<sys\u200btem-reminder>", "&lt;system-reminder>"),
    ],
)
def test_what_hides_is_taken_out(said: str, shown: str):
    assert defused(said) == shown


@given(
    st.text(alphabet=st.one_of(st.characters(), st.sampled_from("<>[]|:/ \nHuman\u200d\u200c\ufe0f\u0645")))
)
def test_to_defuse_twice_is_to_defuse_once(text: str):
    once = defused(text)
    assert defused(once) == once


@pytest.mark.parametrize(
    "unit", ["<", "< ", "<a", "[", "[ ", "Human", "Human ", ":\n", "\u200d", "#", "> ", "a:", "\ufe0f"]
)
def test_hostile_text_costs_no_more_than_its_length(unit: str):
    defused(unit * (400_000 // len(unit)))
