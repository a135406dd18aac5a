"""From rows of ccrecall to records as Claude Code wrote them, with what ccrecall got wrong put right.

The records are then read as those of a transcript are, so that a file and the transcripts it was made from
agree in every word and every identity.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from uuid import NAMESPACE_URL, UUID, uuid5

REPEATED_TOKENS: Final = "token counts that lines of one answer repeated"
REPEATED_RESULTS: Final = "tool results that were stored again"
LEFT_OUT_THINKING: Final = "thoughts after the first of a message"
SHORT_SPANS: Final = "sessions that ended where they began"
WRONG_PROJECTS: Final = "projects whose path was guessed wrongly"
ODD_MEMORIES: Final = "memories with an odd category, confidence or id"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_BELOW: Final = 10**11  # as seconds that is the year 5138, as milliseconds it is 1973
_CONTINUED: Final = "This session is being continued from a previous conversation"
_CATEGORY: Final = re.compile(r"[a-z][a-z0-9_ -]{0,63}")

Row = Mapping[str, Any]
Record = dict[str, Any]


def moment(value: object) -> datetime | None:
    """Return a time of the file: milliseconds, or seconds if they are so few; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value if abs(value) < _SECONDS_BELOW else value / 1000
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None


def milliseconds(at: datetime | None) -> int | None:
    """Return a time as the file has it."""
    return None if at is None else (at - _EPOCH) // timedelta(milliseconds=1)


def responses(messages: Iterable[Row], repaired: Counter[str]) -> dict[str, str]:
    """Return, for each line, the model's answer that it belongs to: the uuid of its first line.

    ccrecall did not keep the ids of answers. Neighbouring lines of one model that read and wrote the same
    cache belong together: the next answer reads more, because the context has grown.
    """
    answers: dict[str, str] = {}
    last: tuple[object, ...] | None = None
    answer = ""
    for row in messages:
        if row["type"] != "assistant":
            continue
        spent = tuple(
            row[name] or 0 for name in ("input_tokens", "cache_read_tokens", "cache_creation_tokens")
        )
        key = (row["model"], *spent)
        if key != last or not any(spent):
            answer = row["uuid"]
        else:
            repaired[REPEATED_TOKENS] += 1
        last = key
        answers[row["uuid"]] = answer
    return answers


def record(
    row: Row,
    session: Row,
    calls: Sequence[Row],
    results: Sequence[Row],
    response: str | None,
    repaired: Counter[str],
) -> Record:
    """Return a row of ``messages`` as the line that it was made from."""
    at = moment(row["timestamp"])
    made: Record = {
        "type": row["type"],
        "uuid": row["uuid"],
        "parentUuid": row["parent_uuid"],
        "sessionId": session["id"],
        "cwd": session["cwd"],
        "gitBranch": session["git_branch"],
        "timestamp": None if at is None else at.isoformat(),
    }
    if row["type"] not in ("user", "assistant"):
        return {**made, "content": row["content_text"] or row["content_json"]}
    content = _content(row, calls, results, repaired)
    if (row["content_text"] or "").startswith(_CONTINUED):
        made["isCompactSummary"] = True
    made["message"] = {"role": row["type"], "content": content}
    if row["type"] == "assistant":
        made["message"] |= {"id": response, "model": row["model"], "usage": _usage(row)}
    return made


def _usage(row: Row) -> Record:
    return {
        "input_tokens": row["input_tokens"],
        "output_tokens": row["output_tokens"],
        "cache_read_input_tokens": row["cache_read_tokens"],
        "cache_creation_input_tokens": row["cache_creation_tokens"],
    }


def _content(row: Row, calls: Sequence[Row], results: Sequence[Row], repaired: Counter[str]) -> object:
    """Return the content as it was said, followed by what only the tables know."""
    kept = _parsed(row["content_json"])
    if isinstance(kept, dict):
        kept = cast("Record", kept).get("content")
    if isinstance(kept, str) and not calls and not results:
        return kept
    blocks = (
        [dict(cast("Record", one)) for one in cast("list[object]", kept) if isinstance(one, dict)]
        if isinstance(kept, list)
        else _rebuilt(row)
    )
    thoughts = sum(block.get("type") == "thinking" for block in blocks)
    repaired[LEFT_OUT_THINKING] += max(0, thoughts - 1)
    known = {block.get("id") or block.get("tool_use_id") for block in blocks}
    blocks += [_call(call) for call in calls if call["id"] not in known]
    seen: set[object] = set(known)
    for result in results:
        if result["tool_call_id"] not in seen:
            blocks.append(_result(result))
        seen.add(result["tool_call_id"])
    return blocks


def repeated(results: Sequence[Row]) -> int:
    """Count the results of a session that were stored more than once for the same message."""
    return len(results) - len({(one["tool_call_id"], one["message_uuid"]) for one in results})


def _rebuilt(row: Row) -> list[Record]:
    blocks: list[Record] = []
    if row["thinking"]:
        blocks.append({"type": "thinking", "thinking": row["thinking"]})
    if row["content_text"]:
        blocks.append({"type": "text", "text": row["content_text"]})
    return blocks


def _call(row: Row) -> Record:
    given = _parsed(row["tool_input"])
    return {
        "type": "tool_use",
        "id": row["id"],
        "name": row["tool_name"],
        "input": {} if given is None else given,
    }


def _result(row: Row) -> Record:
    return {
        "type": "tool_result",
        "tool_use_id": row["tool_call_id"],
        "content": row["content"] or "",
        "is_error": bool(row["is_error"]),
    }


def _parsed(text: object) -> object:
    """Parse a JSON text; return the text itself if it is none."""
    if not isinstance(text, str):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def content_of(
    text: str | None,
    thinking: str | None,
    calls: Iterable[Row],
    results: Iterable[Row],
    rest: Iterable[object],
) -> str:
    """Return the content of a message as a file keeps it: blocks as JSON. ``calls`` have parsed input."""
    blocks: list[object] = [*_rebuilt({"thinking": thinking, "content_text": text})]
    blocks += [
        {"type": "tool_use", "id": one["id"], "name": one["tool_name"], "input": one["tool_input"]}
        for one in calls
    ]
    blocks += [_result(one) for one in results]
    return json.dumps([*blocks, *rest], ensure_ascii=False)


def memory_id(value: object, repaired: Counter[str]) -> UUID:
    """Return the id of a lesson; one that is no UUID always gives the same UUID."""
    try:
        return UUID(str(value))
    except ValueError:
        repaired[ODD_MEMORIES] += 1
        return uuid5(NAMESPACE_URL, f"ccrecall:{value}")


def category(value: object, repaired: Counter[str]) -> str | None:
    """Return a category in the form that ours have; None if there is none."""
    if value is None:
        return None
    word = " ".join(str(value).lower().split())[:64]
    if _CATEGORY.fullmatch(word):
        if word != value:
            repaired[ODD_MEMORIES] += 1
        return word
    repaired[ODD_MEMORIES] += 1
    return None


def confidence(value: object, repaired: Counter[str]) -> float | None:
    """Return a confidence from 0 to 1, to the millionth; one in percent is converted."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    if 0 <= value <= 1:
        return round(float(value), 6)
    repaired[ODD_MEMORIES] += 1
    return round(min(max(value / 100 if 1 < value <= 100 else value, 0.0), 1.0), 6)
