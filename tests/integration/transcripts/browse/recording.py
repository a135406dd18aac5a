"""Writes sessions of coding agents straight into the tables, a line at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@dataclass
class Recording:
    """A space that is being filled over one connection; each line is a minute after the one before."""

    conn: psycopg.Connection[Any]
    space: str
    minutes: float = 0.0
    numbers: dict[str, int] = field(default_factory=dict)
    said: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.conn.execute("set role quipu_app")
        self.conn.execute("select set_config('quipu.space', %s, false)", [self.space])
        self.conn.execute("insert into core.spaces (name) values (%s) on conflict do nothing", [self.space])
        self.number = self._one("select id from core.spaces where name = %s", [self.space])
        self.conn.execute("select set_config('quipu.space_id', %s, false)", [str(self.number)])

    def _one(self, query: str, values: Any) -> Any:
        row = self.conn.execute(query.encode(), values).fetchone()
        assert row is not None
        return row[0]

    def session(self, name: str, *, project: str = "/home/ana/boats", **details: Any) -> None:
        """A session without lines."""
        self.numbers[name] = self._one(
            "insert into core.sessions (space_id, name) values (%s, %s) returning id", [self.number, name]
        )
        columns = {"session_id": self.numbers[name], "project_path": project, **details}
        names = ", ".join(columns)
        places = ", ".join(["%s"] * len(columns))
        self.conn.execute(
            f"insert into transcripts.session_details ({names}) values ({places})".encode(),
            [*columns.values()],
        )

    def line(
        self,
        session: str,
        uuid: str,
        kind: str,
        text: str | None = None,
        *,
        nobody: bool = False,
        at: datetime | None = None,
        **details: Any,
    ) -> int:
        """A line; its text is a message of the record, unless ``nobody`` said it."""
        self.minutes += 1
        at = at or START + timedelta(minutes=self.minutes)
        number = self.numbers[session]
        message = None
        if text is not None and not nobody:
            self.said[session] = self.said.get(session, -1) + 1
            message = number << 24 | self.said[session]
            self.conn.execute(
                "insert into core.messages (space_id, id, session_id, external_id, role, happened_at,"
                " recorded_at,"
                " content) values (%s, %s, %s, %s, %s, %s, now(), %s)",
                [self.number, message, number, uuid, kind if kind == "user" else "assistant", at, text],
            )
            self.conn.execute(
                "insert into core.unindexed_messages (message_id, happened_at) values (%s, %s)", [message, at]
            )
        columns = {
            "session_id": number,
            "uuid": uuid,
            "type": kind,
            "happened_at": at,
            "message_id": message,
            "content_text": text if nobody else None,
            **details,
        }
        names = ", ".join(columns)
        places = ", ".join(["%s"] * len(columns))
        line = self._one(
            f"insert into transcripts.lines ({names}) values ({places}) returning id", [*columns.values()]
        )
        self.conn.execute(
            "update transcripts.session_details set first_line_at = least(first_line_at, %s),"
            " last_line_at = greatest(last_line_at, %s) where session_id = %s",
            [at, at, number],
        )
        return line

    def call(
        self, session: str, tool: str, given: dict[str, Any], answer: str | None, *, id: str, **details: Any
    ) -> None:
        """A line that calls a tool, and a second later the line with what it answered."""
        line = self.line(session, f"{session}-{id}-call", "assistant")
        at = START + timedelta(minutes=self.minutes)
        path = given.get("file_path")
        self.conn.execute(
            "insert into transcripts.tool_calls (id, line_id, session_id, tool_name, tool_input, path,"
            " happened_at)"
            " values (%s, %s, %s, %s, %s, %s, %s)",
            [id, line, self.numbers[session], tool, Jsonb(given), path, at],
        )
        if answer is None:
            return
        seconds = details.pop("seconds", 1)
        later = at + timedelta(seconds=seconds)
        line = self.line(session, f"{session}-{id}-result", "user", at=later)
        self.conn.execute(
            "insert into transcripts.tool_results (tool_call_id, line_id, session_id, content, is_error,"
            " happened_at)"
            " values (%s, %s, %s, %s, %s, %s)",
            [id, line, self.numbers[session], answer, details.get("is_error", False), later],
        )

    def response(
        self, line: int, session: str, id: str, model: str, *, tokens: int, day: datetime = START
    ) -> None:
        """What an answer of the model cost."""
        self.conn.execute(
            "insert into transcripts.responses (response_id, line_id, session_id, model, happened_at,"
            " input_tokens,"
            " output_tokens) values (%s, %s, %s, %s, %s, %s, %s)",
            [id, line, self.numbers[session], model, day, tokens, 10],
        )


def boats(conn: psycopg.Connection[Any], space: str = "boats") -> Recording:
    """Three sessions of two projects, one of a subagent, with tools of every kind."""
    one = Recording(conn, space)
    one.session("s-1", custom_title="Fix the login", git_branch="main")
    one.line("s-1", "u1", "user", "The fix-login branch fails: see src/app.py", is_prompt=True)
    asked = one.line("s-1", "a1", "assistant", "Let me look at it.", thinking="Probably the session cookie.")
    one.response(asked, "s-1", "r1", "opus", tokens=1000)
    one.call(
        "s-1",
        "Read",
        {"file_path": "/home/ana/boats/src/app.py"},
        "def login():\n" + "  pass\n" * 200,
        id="t1",
    )
    one.call(
        "s-1",
        "Bash",
        {"command": "pytest -x tests/test_login.py"},
        "E   KeyError: 'csrf_token'",
        id="t2",
        is_error=True,
        seconds=9,
    )
    one.call("s-1", "Edit", {"file_path": "/home/ana/boats/src/app.py", "old_string": "pass"}, "ok", id="t3")
    one.line("s-1", "a2", "assistant", "Fixed: the token was read before it was set. 50% faster, C++ too.")
    one.line(
        "s-1",
        "u2",
        "user",
        "Thanks! Look at the Café menu next (déjà vu), and the 船票 page.",
        is_prompt=True,
    )
    one.line("s-1", "m1", "user", "<command-name>/clear</command-name>", nobody=True, is_noise=True)
    one.session("agent-7", parent_session="s-1", agent_type="explore", agent_description="Find the cookie")
    one.line("agent-7", "g1", "user", "Find where the cookie is set.", is_prompt=True, is_sidechain=True)
    one.call("agent-7", "Grep", {"pattern": "set_cookie"}, "src/web.py:12: set_cookie(...)\n" * 20, id="t4")
    one.session("s-2", project="/home/ana/ferries", ai_title="Timetable")
    one.line("s-2", "u3", "user", "Write the timetable of the ferry.", is_prompt=True)
    written = one.line("s-2", "a3", "assistant", "The timetable is in data/times.csv now.")
    one.response(written, "s-2", "r2", "haiku", tokens=500, day=START + timedelta(days=1))
    one.call(
        "s-2",
        "Write",
        {"file_path": "/home/ana/ferries/data/times.csv", "content": "08:00;Lisbon"},
        "done",
        id="t5",
    )
    conn.execute("reset role")
    return one
