"""Statements in German and Spanish: read by data alone."""

from __future__ import annotations

import pytest

from quipu.kinds.longterm.evaluation.foreign import kept as told_by
from quipu.kinds.longterm.evaluation.foreign import tongue_of
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput


async def evaluated(*texts: str, known: str | None = None, category: str = "identity") -> Evaluation:
    memory = {"id": "m1", "category": category, "importance": "high", "summary": known}
    asked = {
        "recent_conversation": [{"role": "user", "content": text} for text in texts],
        "existing_memories": [memory] if known else [],
    }
    return await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked))


@pytest.mark.parametrize(
    ("text", "summaries"),
    [
        (
            "Ich wohne seit drei Jahren in Graz und arbeite als Lehrer.",
            ["Der Nutzer wohnt in Graz.", "Der Nutzer arbeitet als Lehrer."],
        ),
        (
            "Meine Schwester Ute wohnt in Kiel, sie ist Hebamme.",
            [
                "Die Schwester des Nutzers (Ute) wohnt in Kiel.",
                "Die Schwester des Nutzers (Ute) ist Hebamme.",
            ],
        ),
        (
            "Ich bin übrigens allergisch gegen Nüsse, bitte merk dir das.",
            ["Der Nutzer ist allergisch gegen Nüsse."],
        ),
        (
            "Mi hermano Luis vive en Sevilla y es panadero.",
            ["El hermano del usuario (Luis) vive en Sevilla.", "El hermano del usuario (Luis) es panadero."],
        ),
        ("Soy alérgica a la penicilina, que no se te olvide.", ["El usuario es alérgico a la penicilina."]),
        (
            "Me gusta mucho el cine mudo y no como carne.",
            ["Al usuario le gusta el cine mudo.", "El usuario no come carne."],
        ),
    ],
)
async def test_plain_statements_are_kept_as_sentences_of_their_language(
    text: str, summaries: list[str]
) -> None:
    assert [one.summary for one in (await evaluated(text)).inclusions] == summaries


@pytest.mark.parametrize(
    "text",
    [
        "Wenn ich mal im Lotto gewinne, wohne ich in der Uckermark.",
        'Mein Chef sagt immer: "Ich bin Veganer und ich wohne in Köln."',
        "Weißt du, ob ich in Köln wohne?",
        "Si fuera rica, yo vivo en París y ya está.",
        "Mi jefe dice que yo vivo en las nubes.",
        "¿Tú crees que vivo en Madrid o en Toledo?",
        "Meine Chefin meinte nur: „Ich bin 68 Jahre alt und ich wohne in Kiel.“",
        "Mein Nachbar dazu: »Ich habe eine Katze, ich bin Rentner.«",
        "Schau mal, was da lag.\n\nLiebe Ute,\nich habe eine Katze und wohne in Celle.\nDeine Hanne",
    ],
)
async def test_suppositions_questions_and_what_others_said_are_not_kept(text: str) -> None:
    assert (await evaluated(text)).inclusions == ()


async def test_a_new_value_takes_the_place_of_the_old_one() -> None:
    (edit,) = (await evaluated("Wir wohnen jetzt in Bremen.", known="Der Nutzer wohnt in Kassel.")).edits
    assert edit.summary == "Der Nutzer wohnt in Bremen."
    (deletion,) = (
        await evaluated(
            "Den Octavia haben wir verkauft.",
            known="Der Nutzer fährt einen Octavia.",
            category="personal_data",
        )
    ).deletions
    assert deletion.id == "m1"


@pytest.mark.parametrize(
    ("text", "known", "category"),
    [
        (
            "Schule fällt aus, wir schlafen noch.",
            "Der Nutzer arbeitet bei der Schule am See.",
            "professional_profile",
        ),
        ("Hemos vendido el coche rojo y ya está.", "Al usuario le gusta el coche de vapor.", "preference"),
    ],
)
async def test_what_is_over_takes_nothing_of_another_sort_along(text: str, known: str, category: str) -> None:
    assert (await evaluated(text, known=known, category=category)).deletions == ()


def test_a_summary_is_read_back_as_what_it_tells() -> None:
    (told,) = told_by("Die Schwester des Nutzers (Ute) wohnt in Kiel.")
    assert (told.slot, told.value, told.single) == ("schwester/home", "Kiel", True)


@pytest.mark.parametrize("text", ["I live in Bonn, my sister in Die.", "ok", "", "42", "这里没有字母"])
def test_other_languages_are_left_alone(text: str) -> None:
    assert tongue_of(text) is None
