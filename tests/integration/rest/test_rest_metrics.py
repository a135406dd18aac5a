"""What /metrics tells, and that the dashboard and the alerts of ``deploy/`` ask for nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from quipu import AsyncMemory
from quipu.interfaces.serving.gauges import state
from quipu.kernel.config import Settings

SAID = {"messages": [{"role": "user", "content": "I moved to Lisbon."}], "session": "s1"}


def names(text: str) -> set[str]:
    return set(re.findall(r"\bquipu_[a-z_]+", text))


@pytest.fixture
async def told(clients: Any) -> str:
    """The metrics of a server that has answered something."""
    client = await clients("admin")
    assert (await client.post("/v1/observe?space=seen", json=SAID)).status_code == 201
    return (await client.get("/metrics")).text


async def test_the_state_of_the_database_and_its_queue_is_among_the_metrics(told: str) -> None:
    values = dict(re.findall(r"(?m)^(quipu_\S+) (\S+)$", told))
    assert float(values["quipu_database_up"]) == 1
    assert float(values["quipu_database_bytes"]) > 1e6
    assert float(values["quipu_entries"]) >= 1
    assert float(values['quipu_queue_jobs{state="waiting",topic="memory_chunker"}']) >= 1
    assert float(values['quipu_queue_oldest_seconds{topic="memory_chunker"}']) >= 0
    assert float(values["quipu_archive_fails"]) == 0
    assert values["quipu_standby_lag_bytes"] == "NaN"


async def test_a_database_that_is_away_is_told_and_the_rest_is_left_out(
    server_settings: Settings, module_url: str
) -> None:
    settings = replace(server_settings, database_url=module_url, connect_seconds=1)
    memory = AsyncMemory(settings=settings)
    async with memory:
        memory._ready.database.url = "postgresql://127.0.0.1:1/nowhere"
        found = (await state(memory)).decode()
    assert "quipu_database_up 0.0" in found
    assert names(found) == {"quipu_database_up"}


async def test_the_dashboard_and_the_alerts_ask_for_metrics_that_there_are(
    told: str, repository: Path
) -> None:
    dashboard = json.loads((repository / "deploy/grafana/quipu.json").read_text("utf-8"))
    rules = yaml.safe_load((repository / "deploy/prometheus/alerts.yml").read_text("utf-8"))
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    for expression in [*panels, *alerts]:
        assert names(expression) <= names(told), expression
        assert names(expression) or expression.startswith("up{"), expression
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_every_alert_says_what_is_wrong_and_what_to_do(repository: Path) -> None:
    rules = yaml.safe_load((repository / "deploy/prometheus/alerts.yml").read_text("utf-8"))
    commands = (repository / "docs/reference/cli.md").read_text("utf-8")
    for rule in rules["groups"][0]["rules"]:
        assert set(rule["annotations"]) == {"summary", "action"}, rule["alert"]
        assert rule["labels"]["severity"] in ("critical", "warning"), rule["alert"]
        for command in re.findall(r"`(quipu [a-z]+(?: [a-z]+)?)", rule["annotations"]["action"]):
            assert f"## `{command}`" in commands, command


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not here")
def test_prometheus_takes_the_alerts(repository: Path) -> None:
    place = repository / "deploy/prometheus/alerts.yml"
    done = subprocess.run(["promtool", "check", "rules", place], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
