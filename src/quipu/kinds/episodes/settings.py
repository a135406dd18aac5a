"""Settings of episodes, open loops and beliefs."""

from __future__ import annotations

from typing import Any, Final

from quipu.kernel.base.setting import TEXT, Setting, decimal, whole

EPISODE_DECAY: Final = Setting(
    name="episode_decay_per_hour",
    meaning="How fast an episode that weighs nothing fades; 0 is not at all.",
    form=decimal(0, 10),
    default=0.05,
    unit="per hour",
)

EPISODE_BOOST: Final = Setting(
    name="episode_boost",
    meaning="How much of what is left to the ceiling a use adds to an episode's salience.",
    form=decimal(0, 1),
    default=0.2,
)

USES_APART_MINUTES: Final = Setting(
    name="episode_uses_apart_minutes",
    meaning="Uses of an episode that follow each other sooner count as one.",
    form=decimal(0, 10_080),
    default=10.0,
    unit="minutes",
)

IDLE_MINUTES: Final = Setting(
    name="conversation_idle_minutes",
    meaning="Silence after which a conversation of some length is condensed.",
    form=decimal(1, 525_600),
    default=30.0,
    unit="minutes",
)

RESTED_MINUTES: Final = Setting(
    name="conversation_rested_minutes",
    meaning="Silence after which a conversation is condensed, however short it is.",
    form=decimal(1, 525_600),
    default=240.0,
    unit="minutes",
)

LOOP_HALF_LIFE_DAYS: Final = Setting(
    name="loop_half_life_days",
    meaning="Days in which an open loop without a date becomes half as urgent.",
    form=decimal(0.1, 36_500),
    default=14.0,
    unit="days",
)

LOOP_REMINDERS: Final = Setting(
    name="loop_reminders",
    meaning="Open loops that a prompt tells of, at most.",
    form=whole(0, 100),
    default=5,
    unit="loops",
)

CONFLICT_DAYS: Final = Setting(
    name="conflict_days",
    meaning="Days of silence after which a conflict of beliefs is settled by what stands.",
    form=whole(1, 36_500),
    default=60,
    unit="days",
)

PROMPT_MEMORY_TOKENS: Final = Setting(
    name="prompt_memory_tokens",
    meaning="Tokens of recalled memory that a worker puts before a prompt, at most.",
    form=whole(1, 100_000),
    default=1_200,
    unit="tokens",
)

PROMPT_HISTORY: Final = Setting(
    name="prompt_history",
    meaning="Earlier messages of the conversation that go with a prompt, at most.",
    form=whole(1, 1_000),
    default=30,
    unit="messages",
)

AGENT: Final[Setting[str | None]] = Setting(
    name="agent",
    meaning="Who answers prompts: 'module:function'; a language model does if not given.",
    form=TEXT,
    default=None,
    stored=False,
)

SETTINGS: Final[tuple[Setting[Any], ...]] = (
    EPISODE_DECAY,
    EPISODE_BOOST,
    USES_APART_MINUTES,
    IDLE_MINUTES,
    RESTED_MINUTES,
    LOOP_HALF_LIFE_DAYS,
    LOOP_REMINDERS,
    CONFLICT_DAYS,
    PROMPT_MEMORY_TOKENS,
    PROMPT_HISTORY,
    AGENT,
)
