"""Kinds of manifest files and their readers."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import NamedTuple

import msgspec

from recollect.code.manifests.manifest import Ecosystem, Manifest

# Bytes of a manifest: the largest that people write have a few thousand lines.
MAX_BYTES = 1_000_000
# Dependencies of one manifest: the longest lists have about a thousand.
MAX_DEPENDENCIES = 5_000
# Characters of a name: npm allows 214, paths of Go modules are longer.
MAX_NAME_CHARACTERS = 300


class Family(NamedTuple):
    """A kind of manifest: the pattern of its paths, its ecosystem and its reader, as module and function.

    rank: of two manifests in a folder the lower one has priority.
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

_ANY = re.compile(rf"(?:^|/)(?:{'|'.join(f'({row.pattern})' for row in FAMILIES)})$")

NOTHING = Manifest("npm")

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Manifest)


@cache
def _reader(name: str) -> Callable[[str, str], Manifest | None]:
    """Return a reader, loaded with the first manifest of its kind: most trees have one or two kinds."""
    module, _, function = name.partition(".")
    found: Callable[[str, str], Manifest | None] = getattr(import_module(f"{__package__}.{module}"), function)
    return found


def family(path: str) -> Family | None:
    """Return the kind of manifest at a path; None for other files."""
    found = _ANY.search(path)
    return FAMILIES[found.lastindex - 1] if found and found.lastindex else None


def read(path: str, source: bytes) -> Manifest | None:
    """Return a manifest; None for other files. One that cannot be read has only a note."""
    kind = family(path)
    if kind is None:
        return None
    if len(source) > MAX_BYTES:
        return Manifest(kind.ecosystem, notes=(f"manifest not read: larger than {MAX_BYTES:,} bytes",))
    try:
        found = _reader(kind.reader)(path, source.decode("utf-8-sig"))
        pack(found or NOTHING)  # JSON can name characters that are no valid text
    except UnicodeError:
        return Manifest(kind.ecosystem, notes=("manifest not read: not UTF-8",))
    except RecursionError:
        return Manifest(kind.ecosystem, notes=("manifest not read: nested too deeply",))
    except Exception as problem:
        # Manifests are untrusted: one that breaks its reader must not stop the others.
        said = str(problem) if isinstance(problem, ValueError) else f"{type(problem).__name__}: {problem}"
        return Manifest(kind.ecosystem, notes=(f"manifest not read: {said}",))
    return _bounded(found) if found else None


def _bounded(found: Manifest) -> Manifest:
    """Return a manifest without overlong names and lists."""
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
    """Return a manifest as it is stored."""
    return _encode(manifest)


def unpack(content: bytes) -> Manifest:
    """Return a stored manifest."""
    return _decoder.decode(content)
