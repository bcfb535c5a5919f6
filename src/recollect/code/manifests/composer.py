"""composer.json: packages of PHP and the namespaces they hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from recollect.code.manifests.manifest import Dependency, Manifest, Scope, table, text, texts

TABLES: tuple[tuple[str, Scope], ...] = (("require", "runtime"), ("require-dev", "dev"))


def composer(_path: str, source: str) -> Manifest:
    """Return what a composer.json says."""
    content = table(json.loads(source))
    return Manifest(
        "composer",
        text(content.get("name")),
        text(content.get("version")),
        tuple(
            Dependency(name, text(wanted), scope)
            for key, scope in TABLES
            for name, wanted in table(content, key).items()
            # Packages have a vendor; what has none is PHP itself, an extension or a part of Composer.
            if "/" in name
        ),
        provides=tuple(_namespaces(content)),
    )


def _namespaces(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for standard in ("psr-4", "psr-0"):
        for name, folders in table(content, "autoload", standard).items():
            for folder in texts(folders) or [""]:
                if name:
                    yield name.strip("\\"), folder.strip("/") or "."
