"""docker/kubernetes: the manifests parse, and name only commands, settings, groups and topics that exist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from memstream.settings import Settings
from memstream.stack import Addresses
from memstream.stack.up import children
from schemas.log.topics import BY_NAME
from streams.topology import TOPOLOGY, group_of
from tests.unit.docker.manifest_fields import documents, faults

FOLDER = Path(__file__).parents[3] / "docker" / "kubernetes"
DOCUMENTS: list[dict[str, Any]] = [
    d for path in sorted(FOLDER.glob("*.yaml")) for d in yaml.safe_load_all(path.read_text(encoding="utf-8"))
]
KNOWN = {f"MEMSTREAM_{name.upper()}" for name in Settings.model_fields}


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {d["metadata"]["name"]: d for d in DOCUMENTS if d["kind"] == kind}


def container(deployment: dict[str, Any]) -> dict[str, Any]:
    (one,) = deployment["spec"]["template"]["spec"]["containers"]
    return dict(one)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda p: p.name)
def test_d4_every_field_is_one_of_its_kind_once_and_of_its_type(path: Path) -> None:
    """As `kubectl apply --validate=strict` decodes them."""
    found = documents(path.read_text(encoding="utf-8"))
    assert found
    assert [f for d in found for f in faults(d)] == []


@pytest.mark.parametrize(("change", "fault"), [
    ({"replica": 2}, "Deployment.spec.replica: unknown field"),
    ({"replicas": "2"}, "Deployment.spec.replicas: expected int"),
    ({"selector": {"matchLabels": {"app": 1}}}, "Deployment.spec.selector.matchLabels.app: expected str"),
    ({"template": {"spec": {"containers": [{"env": [{"name": "A", "value": True}]}]}}},
     "Deployment.spec.template.spec.containers[0].env[0].value: expected str"),
    ({"template": {"spec": {"containers": {}}}}, "Deployment.spec.template.spec.containers: expected a list"),
    ({"template": {"containers": []}}, "Deployment.spec.template.containers: unknown field"),
])  # fmt: skip
def test_d4_what_a_cluster_refuses_is_found(change: dict[str, Any], fault: str) -> None:
    assert faults({"apiVersion": "apps/v1", "kind": "Deployment", "spec": change}) == [fault]
    assert faults({"apiVersion": "v1", "kind": "Deployment"}) == ["no such kind: v1 Deployment"]
    with pytest.raises(ValueError, match="twice: replicas"):
        documents("spec:\n  replicas: 1\n  replicas: 2\n")


def test_every_document_has_its_kind_and_place() -> None:
    for d in DOCUMENTS:
        assert d["apiVersion"]
        assert d["kind"] in ("Namespace", "Kustomization") or d["metadata"]["namespace"] == "memstream"


def test_the_same_processes_run_as_under_memstream_up() -> None:
    up = {tuple(c.argv[3:]) for c in children(Settings(), Addresses(), 8900)}
    assert {tuple(container(d)["args"]) for d in of_kind("Deployment").values()} == up


def test_every_variable_and_secret_is_a_setting() -> None:
    assert set(of_kind("ConfigMap")["memstream"]["data"]) <= KNOWN
    assert {n.upper() for n in of_kind("Secret")["memstream"]["stringData"]} <= KNOWN
    for d in of_kind("Deployment").values():
        assert {e["name"] for e in container(d).get("env", ())} <= KNOWN


def test_keys_that_must_outlive_a_pod_are_in_the_secret() -> None:
    """Every key that a process makes in its data folder where it is given none: the folder of a pod goes with it."""
    made = {n for n, f in Settings.model_fields.items() if "empty: made once, kept" in str(f.description)}
    assert {"hash_key", "audit_key", "report_key"} <= made
    given = set(of_kind("Secret")["memstream"]["stringData"])
    assert {f"memstream_{n}" for n in {*made, "master_key"}} <= given


def test_processes_run_unprivileged_and_bounded() -> None:
    for d in of_kind("Deployment").values():
        assert d["spec"]["template"]["spec"]["securityContext"]["runAsNonRoot"]
        assert container(d)["securityContext"]["readOnlyRootFilesystem"]
        assert "memory" in container(d)["resources"]["limits"]


def pods() -> list[dict[str, Any]]:
    return [d["spec"]["template"]["spec"] for d in DOCUMENTS if d["kind"] in ("Deployment", "StatefulSet", "Job")]


def test_d4_the_namespace_comes_first_by_the_names_of_the_files() -> None:
    assert DOCUMENTS[0]["kind"] == "Namespace"


def test_d4_the_name_of_our_image_is_in_one_place() -> None:
    """As kustomize puts manifests together: an image of that name, whatever its tag, becomes the named one."""
    [kustomization] = [d for d in DOCUMENTS if d["kind"] == "Kustomization"]
    [ours] = kustomization["images"]
    images = [c["image"] for pod in pods() for c in pod["containers"]]
    others = [image for image in images if image != ours["name"]]
    assert len(images) - len(others) == len(of_kind("Deployment")) + len(of_kind("Job")), "all but the brokers'"
    assert [image for image in others if image.startswith(ours["name"])] == [], "a second name, or a tag of its own"
    compose = yaml.safe_load((FOLDER.parent / "compose.yaml").read_text(encoding="utf-8"))
    assert f"{ours['newName']}:{ours['newTag']}" == compose["x-memstream"]["image"]


def test_d4_one_command_applies_all_but_what_needs_a_scaler() -> None:
    [kustomization] = [d for d in DOCUMENTS if d["kind"] == "Kustomization"]
    files = {path.name for path in FOLDER.glob("*.yaml")}
    assert set(kustomization["resources"]) == files - {"kustomization.yaml", "autoscale.yaml"}


def test_d4_nothing_lies_below_the_folder_of_the_secrets() -> None:
    """A token of the cluster is mounted at /run/secrets/kubernetes.io: with the folder read-only no pod starts."""
    assert all(pod["automountServiceAccountToken"] is False for pod in pods())


def test_h10_a_store_that_is_away_takes_no_pod_out_of_service() -> None:
    probes = container(of_kind("Deployment")["query"])
    assert {probes[f"{name}Probe"]["httpGet"]["path"] for name in ("readiness", "liveness")} == {"/livez"}


def test_d4_processes_with_models_ask_for_what_they_hold() -> None:
    for name in ("worker-screen", "worker-memory", "query"):
        request = container(of_kind("Deployment")[name])["resources"]
        assert int(request["requests"]["memory"].removesuffix("Mi")) >= 700
        assert int(request["limits"]["memory"].removesuffix("Mi")) >= 700 + 512, "room for one record"


def test_d4_the_scaler_reaches_the_brokers_from_its_own_namespace() -> None:
    for d in of_kind("ScaledObject").values():
        for trigger in d["spec"]["triggers"]:
            hosts = [h.partition(":")[0] for h in trigger["metadata"]["bootstrapServers"].split(",")]
            assert all(host.endswith(".memstream.svc") for host in hosts)


def test_autoscaling_watches_groups_and_topics_that_exist() -> None:
    groups = {group_of(step) for step in TOPOLOGY}
    deployments = of_kind("Deployment")
    scaled = of_kind("ScaledObject")
    partitions = int(of_kind("ConfigMap")["memstream"]["data"]["MEMSTREAM_PARTITIONS"])
    assert scaled
    for d in scaled.values():
        assert d["spec"]["scaleTargetRef"]["name"] in deployments
        for trigger in d["spec"]["triggers"]:
            assert trigger["metadata"]["consumerGroup"] in groups
            assert trigger["metadata"]["topic"] in BY_NAME
            assert d["spec"]["maxReplicaCount"] <= partitions


def test_three_brokers_keep_three_replicas() -> None:
    kafka = of_kind("StatefulSet")["kafka"]
    env = {e["name"]: e["value"] for e in container(kafka)["env"]}
    assert kafka["spec"]["replicas"] == 3
    assert env["KAFKA_DEFAULT_REPLICATION_FACTOR"] == of_kind("ConfigMap")["memstream"]["data"]["MEMSTREAM_REPLICATION"]
    assert len(env["KAFKA_CONTROLLER_QUORUM_VOTERS"].split(",")) == 3
