"""Rooms of the memory of which every command is derived: their help, and examples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import click

from quipu.interfaces.cli.derived import command, derived

_HELP: Final[Mapping[str, str]] = {
    "aliases": """\
Say which other names people have, list and erase them.

Some are learnt from plain statements such as "everyone calls him Bo". A question may use either name.
""",
    "beliefs": """\
Look up and settle what people said of themselves: facts and traits.

A correction replaces a value; another value without one is a conflict. ID is the id of a belief (or of a
conflict) or its first digits, at least four.
""",
    "corrections": """\
Mark what was derived from messages as wrong, so that no reader makes it of the same words again.

ID is the id of a long-term memory, a belief, a loop, a lesson or a standing rule, or its first digits, at
least four.
""",
    "databases": """\
Show in which databases the spaces of a directory (QUIPU_DIRECTORY_URL) lie, add one, keep new spaces out
of one, and move a space. Without a directory all spaces are in one database, and none of this is needed.
""",
    "documents": """\
Keep JSON values, notes and files at a path under a key, with their versions.

A path is names with slashes between them: notes/work. VALUE is JSON, or a text. What is deleted comes back
with `quipu documents revert`; what is erased does not.
""",
    "episodes": """\
Look up and tend episodes: conversations condensed, which fade unless they are used.

Workers make episodes when a conversation rests: `quipu worker`. ID is the id of an episode or its first
digits, at least four. Salience, freshness and activation are those of now.
""",
    "evidence": """\
Show recommendations and their evidence: "show me the reviews".

ID is the number of a recommendation. A theme may be written as "wait time", too.
""",
    "imports": """\
Show what was imported, where each record came from, and undo an import.

`quipu import` brings it. ID is the id of an import; `quipu imports list` shows them. What is undone may be
imported again.
""",
    "ledger": """\
Set, correct and take back facts and assumptions, and see what was believed when.

Every write is an event that is never changed. VALUE is JSON, a text, or NAME=VALUE pairs of an object.
""",
    "lessons": """\
Look up and correct lessons: what lasts of recorded sessions, or is written by hand.

`quipu lessons extract` draws them from sessions. ID is the id of a lesson or its first digits, at least
four. Confidence falls with time, and rises where a lesson is used or confirmed.
""",
    "loops": """\
Find and close what was asked, promised, given to do or waited for.

Workers find loops in conversations, and close them when a later exchange resolves them. ID is the id of a
loop or its first digits, at least four.
""",
    "rules": """\
Find, add and end standing rules: what an assistant is told to do from now on.

They are found in what users say, as it is taken in. ID is the id of a rule or its first digits, at least
four.
""",
    "settings": """\
See and change what can be set, in the whole database or in a space.

QUIPU_* in the environment comes first, then what is set for the space, then what is set for all, then the
default. Every process of the database follows a change within a second.
""",
}
_EXAMPLES: Final[Mapping[str, str]] = {
    "aliases": """\
  quipu aliases add Kate Emi
  quipu aliases list
  quipu aliases erase Kate Emi --yes
""",
    "beliefs": """\
  quipu beliefs list --user ana
  quipu beliefs history 4f1c2a
  quipu beliefs conflicts
  quipu beliefs resolve 81d0 rival
  quipu beliefs correct 4f1c2a Lisbon
""",
    "corrections": """\
  quipu corrections add 4f1c2a --reason 'That was a joke.'
  quipu corrections list --kind belief
  quipu corrections counts
  quipu corrections remove 4f1c2a
""",
    "databases": """\
  quipu databases add east-2 postgresql://quipu@db2.example/quipu
  quipu databases list
  quipu databases move ana --to east-2
  quipu databases drain east-1
""",
    "documents": """\
  quipu documents put notes/work todo '{"title": "Invoices", "done": false}'
  quipu documents get notes/work todo
  quipu documents list notes --filter '{"value.done": false}'
  quipu documents search 'what do I have to pay?' --path notes
  quipu documents history notes/work todo
  quipu documents revert notes/work todo --to 1
""",
    "episodes": """\
  quipu episodes list --order activation
  quipu episodes curve 4f1c2a
  quipu episodes search 'what did we plan for May?'
  quipu episodes rebuild --session monday
""",
    "evidence": """\
  quipu evidence list --session s-1
  quipu evidence get 12
  quipu evidence sources 12 --theme wait_time
  quipu evidence search "wait time" --place p1
  quipu evidence themes
""",
    "imports": """\
  quipu imports list
  quipu imports records 7d0c2a4e-8a55-4c55-9b43-3f1f0c1f3f3a
  quipu imports undo 7d0c2a4e-8a55-4c55-9b43-3f1f0c1f3f3a --yes
""",
    "ledger": """\
  quipu ledger open-session --session s-1 --user ana
  quipu ledger assume baseline.scope value=all --session s-1
  quipu ledger correct baseline.scope value=single locationLabel=Lisbon --session s-1
  quipu ledger set ui.response_depth value=verbose --user ana
  quipu ledger set favourite-boat 'the green one' --user ana
  quipu ledger state --session s-1 --as-of 2026-05-01T10:00Z
""",
    "lessons": """\
  quipu lessons extract --since 2026-05-01
  quipu lessons list --category preferences
  quipu lessons search 'which port'
  quipu lessons edit 4f1c2a 'The API runs on port 9090.'
  quipu lessons prune
""",
    "loops": """\
  quipu loops list --user ana
  quipu loops remind --user ana
  quipu loops close 4f1c2a --evidence 'Sent on Monday.'
  quipu loops reopen 4f1c2a
""",
    "rules": """\
  quipu rules list --user ana
  quipu rules add 'Always answer in metric units.' --user ana
  quipu rules archive 4f1c2a
""",
    "settings": """\
  quipu settings list --kind episodes
  quipu settings get memory_snapshot_retention_days
  quipu settings set memory_snapshot_retention_days 60
  quipu settings set episode_decay_per_hour 0.01 --space ana
  quipu settings reset episode_decay_per_hour --space ana
""",
}
_NOTES: Final[Mapping[str, Mapping[str, str]]] = {
    "settings": {"list": "One in full: quipu settings get NAME"},
}


@cache
def room(name: str) -> click.Command:
    """Return the commands of a room, or the command of the memory itself that has this name."""
    if (single := command(name)) is not None:
        return single
    epilog = f"\b\nExamples:\n{_EXAMPLES[name]}"
    return derived(name, help=_HELP[name], epilog=epilog, notes=_NOTES.get(name, {}))
