"""The measurement of a language model: beside the rules, on a server that speaks as one, and without any."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from language_server import KEY, LanguageServer, Reply, refused, said

TALK = {
    "user": "ana",
    "sessions": [
        {
            "started": "2026-03-01T10:00:00Z",
            "messages": [
                {"id": "m1", "role": "user", "text": "I moved to Lisbon in May."},
                {"id": "m2", "role": "assistant", "text": "How do you like it?"},
                {"id": "m3", "role": "user", "text": "The trams squeak like my oboe."},
            ],
        }
    ],
    "facts": [
        {"id": "lisbon", "says": "lives in Lisbon", "from": ["m1"], "words": [["lisbon"]]},
        {"id": "oboe", "says": "has an oboe", "from": ["m3"], "words": [["oboe"]]},
    ],
    "traps": [],
}
OBOE = {"category": "preference", "importance": "low", "summary": "The user has an oboe.", "turn": 2}


def answer(body: dict[str, Any]) -> Reply:
    """As a model that reads long-term memory and nothing else."""
    shape = body["response_format"]["json_schema"]["schema"]["properties"]
    return said(json.dumps({"inclusions": [OBOE]})) if "inclusions" in shape else refused(404, "no")


@pytest.fixture
def bench(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(repository / "bench"))
    import with_model  # noqa: PLC0415 - a program beside the package

    path = tmp_path / "tune" / "talk.json"
    path.parent.mkdir()
    path.write_text(json.dumps(TALK), "utf-8")
    monkeypatch.setattr(with_model, "_conversations", lambda *chosen: [path])
    for name in ("QUIPU_LLM_BASE_URL", "QUIPU_LLM_MODEL", "QUIPU_LLM_API_KEY", "QUIPU_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("QUIPU_HOME", str(tmp_path / "home"))
    yield with_model
    sys.modules.pop("with_model")


def test_without_a_model_it_says_so_and_measures_nothing(
    bench: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert bench.main([]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("No language model is named, so nothing was measured: quipu llm use")
    assert not (tmp_path / "home").exists()


def test_a_model_is_measured_beside_the_rules(
    bench: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
    with LanguageServer(takes=answer) as server:
        monkeypatch.setenv("QUIPU_LLM_BASE_URL", server.url)
        monkeypatch.setenv("QUIPU_LLM_MODEL", "m")
        monkeypatch.setenv("QUIPU_LLM_API_KEY", KEY)
        assert bench.main([]) == 0
    rules, model = (
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in capsys.readouterr().out.splitlines()
        if "the rules │" in line or "│ m " in line
    )
    assert rules[:3] == ["tune", "talk", "the rules"]
    assert rules[-3] == "0"
    assert (model[2], model[-3]) == ("m", "100")
    assert server.requests
