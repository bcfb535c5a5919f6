"""Record redaction: no record is written before its secrets are replaced.

One table lists the fields with free text, which are redacted. Another lists the names by which records refer to each
other: a name with a secret is refused. All other fields are hashes, numbers and words of closed vocabularies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from recollect import model
from recollect.engine.records import input_checks
from recollect.text.redaction.redact import redact_value

R = TypeVar("R", bound=model.Record)

WRITTEN: Mapping[type[model.Record], tuple[str, ...]] = {
    model.Memory: ("content", "title", "category", "author", "session_id", "tags", "metadata", "branch"),
    model.Node: ("label", "payload"),
    model.Edge: ("properties",),
    model.Session: ("summary", "snapshot", "branch"),
    model.Observed: ("target", "told"),
    model.Fix: ("error", "steps"),
    model.Injection: ("why",),
    model.Workspace: ("name", "description"),
    model.Anchor: ("path", "symbol"),
    model.Mention: ("name",),
    model.Judgement: ("reason",),
    model.Usage: ("failure",),
}


NAMES = ("id", "namespace", "memory_id", "parent_id", "superseded_by", "src", "dst", "insight_id")


def refuse_secret_names(record: model.Record) -> None:
    """Return if no name in a record holds a secret; raises InvalidInput."""
    for field in NAMES:
        if value := getattr(record, field, None):
            input_checks.name(field, value)


def without_secrets(record: R) -> tuple[R, tuple[str, ...]]:
    """Return a record without secrets, and the kinds that were replaced."""
    values = {field: getattr(record, field) for field in WRITTEN.get(type(record), ())}
    clean, kinds = fields_without_secrets(values)
    return (msgspec.structs.replace(record, **clean), kinds) if kinds else (record, ())


def fields_without_secrets(values: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return fields without secrets, and the kinds that were replaced."""
    kinds: list[str] = []
    clean: dict[str, Any] = {}
    for field, value in values.items():
        # Each for itself: in an object of all of them, a field's name would count as evidence on its value.
        clean[field], found = redact_value(value)
        kinds += found
    return clean, tuple(kinds)
