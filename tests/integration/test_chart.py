"""The chart of ``deploy/helm``: its values fit its schema, Helm renders it, and it runs what Compose runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

A_SERVER = {"database": {"existingSecret": "memory-database"}}
A_CLUSTER = {
    "database": {"cluster": {"enabled": True}},
    "settings": {"QUIPU_TELEMETRY": True},
    "settingsFrom": ["language-model"],
    "serve": {"publicUrl": "https://m.example.org", "ingress": {"enabled": True, "tlsSecret": "certificate"}},
}
BOTH = pytest.mark.parametrize("values", [A_SERVER, A_CLUSTER], ids=["a server", "a cluster"])


@pytest.fixture(scope="module")
def place(repository: Path) -> Path:
    return repository / "deploy/helm/quipu"


def merged(one: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Values over those of the chart, as Helm takes them."""
    both = {
        name: merged(one[name], over[name])
        for name in one.keys() & over.keys()
        if isinstance(one[name], dict)
    }
    return {**one, **over, **both}


def rendered(place: Path, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What Helm makes of the chart."""
    helm = pytest.importorskip("helm_python", reason="Helm is not here: pip install helm-python-sdk")
    chart = helm.Chart.load(place)
    chart.validate_schema(values)
    files = chart.render(values, name="memory", namespace="agents")
    return [
        one
        for name, text in files.items()
        if name.endswith(".yaml")
        for one in yaml.safe_load_all(text)
        if one
    ]


def pods(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The pods of everything that runs some, by the last word of its name."""
    found = [one for one in objects if one["kind"] in ("Deployment", "Job")]
    return {one["metadata"]["name"].rpartition("-")[2]: one["spec"]["template"]["spec"] for one in found}


def test_the_values_of_the_chart_fit_its_schema_once_a_database_is_named(place: Path) -> None:
    validator = Draft7Validator(json.loads((place / "values.schema.json").read_text("utf-8")))
    values = yaml.safe_load((place / "values.yaml").read_text("utf-8"))
    for fit in (A_SERVER, A_CLUSTER):
        assert list(validator.iter_errors(merged(values, fit))) == []
    two = {"database": {"existingSecret": "one", "cluster": {"enabled": True}}}
    for misfit in ({}, two, {**A_SERVER, "serv": {}}, {**A_SERVER, "settings": {"PATH": "x"}}):
        assert list(validator.iter_errors(merged(values, misfit))), misfit
    assert set(values) | {"global"} == set(validator.schema["properties"])


@BOTH
def test_what_runs_is_what_the_composition_runs(place: Path, repository: Path, values: Any) -> None:
    services = yaml.safe_load((repository / "deploy/compose.yaml").read_text("utf-8"))["services"]
    ran = {name: pod["containers"][0]["args"] for name, pod in pods(rendered(place, values)).items()}
    assert ran["serve"][:3] == services["serve"]["command"]
    assert ran["worker"] == services["worker"]["command"]
    assert ran["migrate"] == ["migrate"]
    if values is A_CLUSTER:
        assert ran["roles"] == services["roles"]["command"]
        assert ran["serve"][3:] == ["--public-url", "https://m.example.org"]


@BOTH
def test_no_pod_is_root_or_writes_where_it_need_not(place: Path, repository: Path, values: Any) -> None:
    image = (repository / "deploy/Dockerfile").read_text("utf-8")
    found = pods(rendered(place, values))
    assert {"serve", "worker", "migrate"} <= set(found)
    for name, pod in found.items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert f"--uid {pod['securityContext']['runAsUser']} " in image
        assert not pod["automountServiceAccountToken"], name
        (container,) = pod["containers"]
        shut = {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["securityContext"] == shut, name
        assert {one["mountPath"] for one in container["volumeMounts"]} == {"/var/lib/quipu", "/tmp"}
        assert "postgresql://" not in json.dumps(container["args"]), "processes show their arguments"
    probes = found["serve"]["containers"][0]
    assert probes["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert probes["livenessProbe"]["httpGet"]["path"] == "/health"


@BOTH
def test_kubernetes_knows_every_field(place: Path, values: Any) -> None:
    kubernetes = pytest.importorskip("kubernetes_validate", reason="pip install kubernetes-validate")
    objects = rendered(place, values)
    ours = [one for one in objects if not one["apiVersion"].startswith("postgresql.cnpg.io/")]
    for one in ours:
        kubernetes.validate(one, "1.31", strict=True)
    kinds = [one["kind"] for one in objects]
    for kind in ("HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"):
        assert kinds.count(kind) == 2
    assert ("Cluster" in kinds) == (values is A_CLUSTER)


def test_helm_finds_nothing_wrong_with_the_chart(place: Path) -> None:
    helm = pytest.importorskip("helm_python", reason="Helm is not here: pip install helm-python-sdk")
    found = helm.lint(place, values=A_SERVER)
    assert not found["errors"]
    assert [one["error"] for one in found["messages"]] == ["icon is recommended"]
