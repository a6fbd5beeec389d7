"""The fields of the kinds that docker/kubernetes uses, as the cluster's API has them (v1.33; KEDA 2.17 for its scaler;
kustomize 5 for what kubectl puts together),
and a decoder as strict as `kubectl apply --validate=strict`: an unknown field, a field twice or of another type fails.

Leaves: `str`, `int`, `bool`; `text map`, texts by name; `quantity map`, as `250m` or a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

_META = {"name": "str", "namespace": "str", "labels": "text map", "annotations": "text map"}
_PROBE = {
    "exec": {"command": ["str"]}, "httpGet": {"path": "str", "port": "port"}, "tcpSocket": {"port": "port"},
    "initialDelaySeconds": "int", "periodSeconds": "int", "timeoutSeconds": "int", "failureThreshold": "int",
}  # fmt: skip
_SELECTOR = {"matchLabels": "text map"}
_RESOURCES = {"limits": "quantity map", "requests": "quantity map"}
_CONTAINER = {
    "name": "str", "image": "str", "imagePullPolicy": "str", "command": ["str"], "args": ["str"],
    "env": [{"name": "str", "value": "str", "valueFrom": {"fieldRef": {"fieldPath": "str"},
                                                          "secretKeyRef": {"name": "str", "key": "str"}}}],
    "envFrom": [{"configMapRef": {"name": "str"}, "secretRef": {"name": "str"}}],
    "ports": [{"containerPort": "int", "name": "str", "protocol": "str"}],
    "livenessProbe": _PROBE, "readinessProbe": _PROBE, "startupProbe": _PROBE, "resources": _RESOURCES,
    "volumeMounts": [{"name": "str", "mountPath": "str", "readOnly": "bool", "subPath": "str"}],
    "securityContext": {
        "allowPrivilegeEscalation": "bool", "readOnlyRootFilesystem": "bool", "runAsNonRoot": "bool",
        "runAsUser": "int", "capabilities": {"drop": ["str"], "add": ["str"]},
    },
}  # fmt: skip
_TERM = {"weight": "int", "podAffinityTerm": {"labelSelector": _SELECTOR, "topologyKey": "str"}}
_POD = {
    "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [_TERM]}},
    "automountServiceAccountToken": "bool", "serviceAccountName": "str", "containers": [_CONTAINER],
    "initContainers": [_CONTAINER], "restartPolicy": "str", "terminationGracePeriodSeconds": "int",
    "nodeSelector": "text map",
    "securityContext": {
        "fsGroup": "int", "runAsNonRoot": "bool", "runAsUser": "int", "runAsGroup": "int",
        "seccompProfile": {"type": "str"},
    },
    "volumes": [{"name": "str", "secret": {"secretName": "str", "defaultMode": "int"},
                 "emptyDir": {"medium": "str", "sizeLimit": "str"}, "configMap": {"name": "str"}}],
}  # fmt: skip
_TEMPLATE = {"metadata": _META, "spec": _POD}
_CLAIM = {"metadata": _META, "spec": {"accessModes": ["str"], "storageClassName": "str", "resources": _RESOURCES}}
_SPECS: dict[tuple[str, str], dict[str, Any]] = {
    ("v1", "Namespace"): {},
    ("v1", "ConfigMap"): {"data": "text map"},
    ("v1", "Secret"): {"type": "str", "stringData": "text map"},
    ("v1", "Service"): {"spec": {
        "type": "str", "clusterIP": "str", "publishNotReadyAddresses": "bool", "selector": "text map",
        "ports": [{"name": "str", "port": "int", "targetPort": "port", "protocol": "str"}],
    }},
    ("apps/v1", "Deployment"): {"spec": {
        "replicas": "int", "selector": _SELECTOR, "template": _TEMPLATE, "strategy": {"type": "str"},
    }},
    ("apps/v1", "StatefulSet"): {"spec": {
        "replicas": "int", "selector": _SELECTOR, "serviceName": "str", "podManagementPolicy": "str",
        "template": _TEMPLATE, "volumeClaimTemplates": [_CLAIM],
    }},
    ("batch/v1", "Job"): {"spec": {"backoffLimit": "int", "ttlSecondsAfterFinished": "int", "template": _TEMPLATE}},
    ("policy/v1", "PodDisruptionBudget"): {"spec": {
        "maxUnavailable": "port", "minAvailable": "port", "selector": _SELECTOR,
    }},
    ("kustomize.config.k8s.io/v1beta1", "Kustomization"): {
        "resources": ["str"], "images": [{"name": "str", "newName": "str", "newTag": "str"}],
    },
    ("keda.sh/v1alpha1", "ScaledObject"): {"spec": {
        "scaleTargetRef": {"name": "str", "kind": "str"}, "minReplicaCount": "int", "maxReplicaCount": "int",
        "cooldownPeriod": "int", "pollingInterval": "int", "triggers": [{"type": "str", "metadata": "text map"}],
    }},
}  # fmt: skip


class _Once(yaml.SafeLoader):
    """Refuses a key that stands twice; YAML's own loader keeps the last."""


def _mapping(loader: _Once, node: yaml.MappingNode) -> dict[Any, Any]:
    pairs = [(loader.construct_object(k, deep=True), loader.construct_object(v, deep=True)) for k, v in node.value]
    names = [k for k, _ in pairs]
    if twice := {str(n) for n in names if names.count(n) > 1}:
        raise ValueError(f"twice: {', '.join(sorted(twice))}")
    return dict(pairs)


_Once.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def documents(text: str) -> list[dict[str, Any]]:
    """Raises ValueError for a key that stands twice."""
    return list(yaml.load_all(text, Loader=_Once))


def faults(document: dict[str, Any]) -> list[str]:
    """Where a document is not as its kind has it."""
    kind = str(document.get("apiVersion")), str(document.get("kind"))
    if kind not in _SPECS:
        return [f"no such kind: {' '.join(kind)}"]
    fields = {"apiVersion": "str", "kind": "str", "metadata": _META, **_SPECS[kind]}
    return list(_faults(fields, document, kind[1]))


def _faults(wanted: Any, value: Any, at: str) -> Iterator[str]:
    if isinstance(wanted, list):
        if not isinstance(value, list):
            yield f"{at}: expected a list"
            return
        for n, each in enumerate(value):
            yield from _faults(wanted[0], each, f"{at}[{n}]")
    elif isinstance(wanted, dict):
        if not isinstance(value, dict):
            yield f"{at}: expected fields"
            return
        for name, each in value.items():
            if name in wanted:
                yield from _faults(wanted[name], each, f"{at}.{name}")
            else:
                yield f"{at}.{name}: unknown field"
    elif wanted in ("text map", "quantity map"):
        leaf = "str" if wanted == "text map" else "port"
        for name, each in value.items() if isinstance(value, dict) else [("", None)]:
            yield from _faults(leaf, each, f"{at}.{name}")
    else:
        types = {"str": (str,), "int": (int,), "bool": (bool,), "port": (int, str)}[wanted]
        if type(value) not in types:
            yield f"{at}: expected {wanted}"
