"""Program of a hook: it asks the local service, prints the answer for the agent, and fails open.

    python -I -S client.py session-start|prompt|stop|session-end [--home DIR] [--space NAME]
                           [--budget-tokens N] [--agent-writes yes]

It is called at every prompt, so it is a file of its own that imports a few modules of the standard library
and nothing of ours: 25 ms instead of 900. Whatever goes wrong, it ends with exit code 0, prints nothing, and
leaves a line in ``hooks.log`` in the home; a timer ends it where it would wait. What is to be synced is
written down before the service is asked, so that no session is lost where there is no service.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import struct
import sys
import time
import zlib

# Seconds after which a hook has ended, whatever happens. A session may wait for the service to start.
LIMIT_SECONDS = {"session-start": 5.0, "prompt": 1.0, "stop": 0.5, "session-end": 0.5}
BROKEN_SECONDS = 60  # so long nobody waits for a service that could not open its memory
MOST_BYTES = 1 << 20
_MOST_INPUT = 16 << 20
_LONGEST_SOCKET_PATH = 100  # Linux takes 107 bytes, macOS 103
_LOG_BYTES = 256 << 10
_RETRY_SECONDS = 0.02
_EVENT_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
_NOBODY = (FileNotFoundError, ConnectionError, EOFError)


class Refused(Exception):
    """Signal that something there is not ours: another user's directory, or another user's service."""


def home_directory(home: str | None) -> str:
    """Return the home as an absolute path: the given one, ``QUIPU_HOME``, or ``~/.quipu``."""
    return os.path.abspath(os.path.expanduser(home or os.environ.get("QUIPU_HOME") or "~/.quipu"))


def space_of(project: object) -> str | None:
    """Return the space of a project: the name of its directory, as a sync calls it; None without one."""
    parts = project.replace("\\", "/").split("/") if isinstance(project, str) else []
    return next((part for part in reversed(parts) if part), None)


def run_directory(home: str) -> str:
    """Return the directory of a home's socket; elsewhere if its path would be too long for one."""
    beside = os.path.join(home, "run")
    if len(os.fsencode(os.path.join(beside, "hooks.sock"))) <= _LONGEST_SOCKET_PATH:
        return beside
    return os.path.join("/tmp", f"quipu-{os.geteuid()}-{zlib.crc32(os.fsencode(home)):08x}")


def make_run_directory(home: str) -> str:
    """Return the directory of a home's socket, made if it is missing.

    Raises Refused if somebody else made it or it is open to others.
    """
    path = run_directory(home)
    os.makedirs(home, 0o711 if os.geteuid() == 0 else 0o700, exist_ok=True)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        check_directory(path)
    return path


def check_directory(path: str) -> None:
    """Raise Refused unless the directory is ours alone."""
    info = os.lstat(path)
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid() or info.st_mode & 0o077:
        raise Refused(f"{path} is not a directory of ours that is closed to all others")


def peer_uid(connection: socket.socket) -> int:
    """Return the user on the other end of a Unix socket, as the system says."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", credentials)[1]
    credentials = connection.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: struct xucred of BSD and macOS
    return struct.unpack_from("2I", credentials)[1]


def code_state() -> str:
    """Return a mark of the installed version: a service of another version gives way."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    info = os.stat(os.path.join(package, "__init__.py"))
    return f"{package}:{info.st_mtime_ns}:{info.st_size}"


def settings_state(home: str) -> str:
    """Return the settings of environment and home as one number, which tells what a service works on."""
    ours = sorted(item for item in os.environ.items() if item[0].startswith("QUIPU_"))
    left_out = ("QUIPU_HOME", "QUIPU_SPACE", "QUIPU_DEBUG")
    parts = [home, *("=".join(item) for item in ours if item[0] not in left_out)]
    return f"{zlib.crc32(os.fsencode(chr(0).join(parts))):08x}"


def converse(home: str, request: dict[str, object], seconds: float) -> dict[str, object]:
    """Return the answer of a home's service.

    Raises FileNotFoundError or ConnectionError if there is none, EOFError if it ended meanwhile, Refused if
    it is not ours, TimeoutError.
    """
    check_directory(run_directory(home))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(max(seconds, 0.001))
        connection.connect(os.path.join(run_directory(home), "hooks.sock"))
        if peer_uid(connection) != os.geteuid():
            raise Refused("the service at the socket belongs to another user")
        states = {"code": code_state(), "settings": settings_state(home), "seconds": seconds}
        connection.sendall(json.dumps({**request, **states}).encode() + b"\n")
        received = bytearray()
        while part := connection.recv(1 << 16):
            received += part
            if len(received) > MOST_BYTES:
                raise Refused("the service says more than anybody asked")
    if not received.endswith(b"\n"):
        raise EOFError("the service ended before it had answered")
    return json.loads(received)


def start_service(home: str) -> None:
    """Start the service apart from us: in a session of its own, with none of our pipes, nobody's child."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            log = os.open(os.path.join(run_directory(home), "service.log"), _FRESH, 0o600)
            os.dup2(os.open(os.devnull, os.O_RDWR), 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.closerange(3, 1024)
            os.chdir("/")
            os.execv(
                sys.executable, [sys.executable, "-P", "-m", "quipu.interfaces.hooks.daemon", "--home", home]
            )
    finally:
        os._exit(0)


_FRESH = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def ask(home: str, request: dict[str, object], until: float, *, wait: bool = True) -> dict[str, object]:
    """Return the service's answer, starting one if there is none; {} if none came by ``until``.

    Without ``wait`` it is {} if there is none: it starts and finds what was written down.
    """
    started = False
    while (left := until - time.monotonic()) > 0:
        try:
            reply = converse(home, request, left)
            if not reply.get("leaving"):
                return reply
        except _NOBODY:
            pass
        except TimeoutError:
            break
        if _is_broken(home):
            raise Refused("the service could not open its memory a moment ago; see the line before")
        if not started:
            start_service(home)
            started = True
        if not wait:
            return {}
        time.sleep(_RETRY_SECONDS)
    note(home, f"no answer in {LIMIT_SECONDS.get(str(request['do']), 0.5)} s")
    return {}


def _is_broken(home: str) -> bool:
    try:  # a time of the future is one of a clock that was set back: it says nothing
        return (
            0 <= time.time() - os.stat(os.path.join(run_directory(home), "broken")).st_mtime < BROKEN_SECONDS
        )
    except OSError:
        return False


def write_down(home: str, transcript: str, space: str | None) -> None:
    """Keep what is to be synced, until the service has done it."""
    folder = os.path.join(make_run_directory(home), "pending")
    os.makedirs(folder, 0o700, exist_ok=True)
    name = f"{zlib.crc32(os.fsencode(transcript)):08x}"
    path = os.path.join(folder, f".{name}-{os.getpid()}")
    with open(os.open(path, _FRESH, 0o600), "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump({"path": transcript, "space": space}, file)
    os.replace(path, os.path.join(folder, name))


def note(home: str, text: str) -> None:
    """Leave one line in the log of a home; where even that fails there is nobody to tell."""
    try:
        path = os.path.join(home, "hooks.log")
        if os.path.exists(path) and os.path.getsize(path) > _LOG_BYTES:
            os.replace(path, f"{path}.1")
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        line = f"{when} {' '.join(text.split())[:500]}\n".encode("utf-8", "replace")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as file:
            file.write(line)
    except OSError:
        return


def answer(event: str, home: str, event_input: dict[str, object], options: dict[str, str]) -> str:
    """Return the output of the hook: text for the agent in its format, or nothing."""
    until = time.monotonic() + LIMIT_SECONDS[event] * 0.95
    if event in ("stop", "session-end"):
        transcript = event_input.get("transcript_path")
        if isinstance(transcript, str) and transcript:
            write_down(home, os.path.abspath(os.path.expanduser(transcript)), options.get("space"))
            ask(home, {"do": "sync"}, until, wait=False)
        return ""
    make_run_directory(home)
    request: dict[str, object] = {
        "do": event,
        "project": os.environ.get("CLAUDE_PROJECT_DIR") or event_input.get("cwd"),
        "session": event_input.get("session_id"),
        "prompt": event_input.get("prompt"),
        **options,
    }
    reply = ask(home, request, until)
    if error := reply.get("error"):
        note(home, f"{event}: {error}")
    if not (text := reply.get("text")):
        return ""
    output = {"hookEventName": _EVENT_NAMES[event], "additionalContext": text}
    return json.dumps({"hookSpecificOutput": output, "suppressOutput": True})


def main(arguments: list[str]) -> None:
    """Run one hook. It never raises, and never takes longer than its limit."""
    options = {name.lstrip("-"): value for name, value in zip(arguments[1::2], arguments[2::2], strict=False)}
    event, home = arguments[0], home_directory(options.pop("home", None))

    def fail_open(*why: object) -> None:
        note(home, f"{event}: {why[1]!r}" if len(why) == 3 else f"{event}: stopped at its limit")
        os._exit(0)

    sys.excepthook = fail_open
    signal.signal(signal.SIGALRM, fail_open)
    signal.setitimer(signal.ITIMER_REAL, LIMIT_SECONDS[event])
    event_input = json.loads(sys.stdin.buffer.read(_MOST_INPUT))
    if printed := answer(event, home, event_input, options):
        os.write(1, printed.encode() + b"\n")
    os._exit(0)  # nothing is left to be done, and taking the interpreter apart takes its time


if __name__ == "__main__":
    main(sys.argv[1:])
