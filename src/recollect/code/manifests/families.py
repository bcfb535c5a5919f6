"""Which file is a manifest, and who reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import NamedTuple

import msgspec

from recollect.code.manifests.manifest import Ecosystem, Manifest

# The largest manifests written by people have a few thousand lines; what is larger is a list that a tool wrote.
MAX_BYTES = 1_000_000
# What one manifest may add to the graph: the longest list of dependencies people keep has about a thousand.
MAX_DEPENDENCIES = 5_000
# A name longer than this is no name; registries allow 214 (npm) at most, paths of Go modules are longer.
MAX_NAME_CHARACTERS = 300


class Family(NamedTuple):
    """Files of one kind: what their paths look like, their ecosystem and their reader, as module and function.

    rank: where two manifests of a folder speak of the same, the lower one is heard first.
    """

    pattern: str
    ecosystem: Ecosystem
    reader: str
    rank: int = 0


FAMILIES: tuple[Family, ...] = (
    Family(r"Cargo\.toml", "cargo", "cargo.cargo"),
    Family(r"package\.json", "npm", "json_manifests.package"),
    Family(r"pnpm-workspace\.ya?ml", "npm", "json_manifests.pnpm", 1),
    Family(r"pyproject\.toml", "pypi", "python_manifests.pyproject"),
    Family(r"setup\.cfg", "pypi", "python_manifests.setup_cfg", 1),
    Family(r"setup\.py", "pypi", "python_manifests.setup_py", 2),
    Family(r"Pipfile", "pypi", "python_manifests.pipfile", 3),
    Family(r"(?:requirements/[\w.-]+|[\w.-]*requirements[\w.-]*)\.(?:txt|in)", "pypi",
           "python_manifests.requirement_file", 4),
    Family(r"go\.mod", "go", "go_mod.module"),
    Family(r"go\.work", "go", "go_mod.work", 1),
    Family(r"pom\.xml", "maven", "xml_manifests.pom"),
    Family(r"build\.gradle(?:\.kts)?", "maven", "gradle.build", 1),
    Family(r"settings\.gradle(?:\.kts)?", "maven", "gradle.settings", 2),
    Family(r"gradle/libs\.versions\.toml", "maven", "gradle.catalog", 3),
    Family(r"composer\.json", "composer", "json_manifests.composer"),
    Family(r"[^/]+\.gemspec", "gem", "gem.gemspec"),
    Family(r"(?:Gemfile|gems\.rb)", "gem", "gem.gemfile", 1),
    Family(r"[^/]+\.(?:cs|fs|vb)proj", "nuget", "xml_manifests.project"),
    Family(r"Directory\.Packages\.props", "nuget", "xml_manifests.versions", 1),
    Family(r"packages\.config", "nuget", "xml_manifests.config", 2),
)  # fmt: skip

# How all of those end: a look at the end of a name spares most files the patterns.
_ENDINGS = (
    ".toml", ".json", ".yaml", ".yml", ".cfg", "setup.py", "Pipfile", ".txt", ".in", ".mod", ".work", ".xml", ".gradle",
    ".gradle.kts", ".gemspec", "Gemfile", "gems.rb", "proj", ".props", ".config",
)  # fmt: skip

NOTHING = Manifest("npm")

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Manifest)


@cache
def _pattern(row: Family) -> re.Pattern[str]:
    return re.compile(rf"(?:^|/){row.pattern}$")


@cache
def _reader(name: str) -> Callable[[str, str], Manifest | None]:
    """Return a reader, loaded when the first manifest of its kind comes by: most trees have one or two kinds."""
    module, _, function = name.partition(".")
    found: Callable[[str, str], Manifest | None] = getattr(import_module(f"{__package__}.{module}"), function)
    return found


def family(path: str) -> Family | None:
    """Return the kind of manifest that a file is by its path; None if it is none."""
    if not path.endswith(_ENDINGS):
        return None
    return next((row for row in FAMILIES if _pattern(row).search(path)), None)


def read(path: str, source: bytes) -> Manifest | None:
    """Return what a manifest says; None for a file that is none.

    One that cannot be read comes back with a note and nothing else: what is in it is not worth stopping for.
    """
    kind = family(path)
    if kind is None:
        return None
    if len(source) > MAX_BYTES:
        return Manifest(kind.ecosystem, notes=(f"manifest not read: larger than {MAX_BYTES:,} bytes",))
    try:
        found = _reader(kind.reader)(path, source.decode("utf-8-sig"))
        pack(found or NOTHING)  # JSON can name characters that no text can hold
    except UnicodeError:
        return Manifest(kind.ecosystem, notes=("manifest not read: not UTF-8",))
    except RecursionError:
        return Manifest(kind.ecosystem, notes=("manifest not read: nested too deeply",))
    except Exception as problem:
        # Readers take whatever strangers wrote; a file that breaks one of them costs that file alone.
        said = str(problem) if isinstance(problem, ValueError) else f"{type(problem).__name__}: {problem}"
        return Manifest(kind.ecosystem, notes=(f"manifest not read: {said}",))
    return _bounded(found) if found else None


def _bounded(found: Manifest) -> Manifest:
    """Return a manifest without what cannot be meant: names beyond all measure, endless lists."""
    rows = [
        row
        for row in found.dependencies
        if len(row.name) <= MAX_NAME_CHARACTERS and (row.name or row.path or row.managed)
    ]
    notes = found.notes
    if len(rows) > MAX_DEPENDENCIES:
        notes = (*notes, f"manifest: {len(rows) - MAX_DEPENDENCIES:,} of {len(rows):,} dependencies skipped")
    name = found.name if len(found.name) <= MAX_NAME_CHARACTERS else ""
    return found._replace(name=name, dependencies=tuple(rows[:MAX_DEPENDENCIES]), notes=notes)


def pack(manifest: Manifest) -> bytes:
    """Return a manifest as it is kept."""
    return _encode(manifest)


def unpack(content: bytes) -> Manifest:
    """Return a manifest that was kept."""
    return _decoder.decode(content)
