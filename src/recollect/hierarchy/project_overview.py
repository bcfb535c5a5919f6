"""Project overview, the text of level 4: technology, architecture, patterns, decisions and a map.

project · technology · architecture · entry points · most used symbols · patterns · memories ─► map in the rest

It never waits for linking. Dependencies come from links if there are any, else from import lines, which give the same
layers (half a CPU second instead of 14 on our own code). The same project gives the same text, byte for byte.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from recollect.engine import Project, namespace_of, size, tokens
from recollect.errors import InvalidInput, NotFound
from recollect.hierarchy.design_patterns import design_patterns
from recollect.hierarchy.entry_points import entry_points
from recollect.hierarchy.file_forms import first_lines
from recollect.hierarchy.header_comment import first_sentence, of_code, of_document, paragraph
from recollect.hierarchy.layers import Architecture, Component, architecture, is_secondary, short_names
from recollect.hierarchy.model import GlobalKnowledge
from recollect.hierarchy.policies import TOKENS_PER_BYTE
from recollect.hierarchy.technology import technology
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine import Engine, Source
    from recollect.model import MemoryType

# The smallest useful overview.
LEAST_BYTES = 2_000
# The largest share of a section; the map gets the rest, if it is at least this large.
MOST_SHARE = 0.25
LEAST_MAP_BYTES = 800
# Room for the note about omitted lines.
NOTE_BYTES = 40
# Bytes per token of a map: signatures are short words and signs. Secondary folders are left out, so the map is built
# again until it nearly fills its room, at most 5 times.
TOKEN_BYTES, NEARLY, ALMOST, MOST_DRAWN = 3.2, 0.93, 0.97, 5
# Most used symbols: how many, and by how many files each is used at least.
MOST_CENTRAL, LEAST_USERS = 40, 2
# Names of a component, and components it uses, that are shown.
MOST_NAMES, MOST_USED = 6, 6
# Maximum length of a README's first paragraph.
MOST_SAID = 500
READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "Readme.md")
# Stems of files that describe their folder.
DESCRIBING = ("__init__", "mod", "lib", "index", "doc", "package-info", "main")
# Memories of each kind, and recurring patterns, that are listed, most important first.
MOST = 15
MOST_PATTERNS = 8
# Maximum length of a memory.
MOST_CHARACTERS = 240
# Types of memories about the whole project, with the title of their section.
KINDS: tuple[tuple[MemoryType, str], ...] = (
    ("decision", "Decisions"),
    ("preference", "Preferences"),
    ("style", "Style"),
)


def overview(engine: Engine, namespace_or_root: str, *, max_bytes: int = 50_000) -> GlobalKnowledge:
    """Return the overview of a project, at most `max_bytes` long, and within the tokens of a level of that size.

    namespace_or_root: the project, as a path or a name. Raises NotFound if it is not indexed.
    """
    if not isinstance(max_bytes, int) or max_bytes < LEAST_BYTES:
        raise InvalidInput(
            f"max_bytes is too small: an overview needs {LEAST_BYTES} bytes",
            hint=f"Give at least {LEAST_BYTES}.",
            field="max_bytes",
        )
    namespace = namespace_of(namespace_or_root)
    project = engine.project(namespace or "")
    if namespace is None or not project.is_indexed:
        hint = "Run `recollect index` in the project, or choose another project."
        raise NotFound(f"{namespace_or_root} is not indexed", hint=hint, namespace=namespace or "")
    layered = architecture(_own(project), project.uses)
    sections = [
        ("Project", "\n".join(_project(project))),
        ("Technology", technology(project)),
        ("Architecture", "\n".join(_architecture(project, layered))),
        ("Entry points", entry_points(project)),
        ("Most used symbols", "\n".join(_central(project))),
        ("Design patterns in use", design_patterns(project)),
        *_memory_sections(engine, namespace),
    ]
    most = int(MOST_SHARE * max_bytes)
    kept = [(title, _shortened(text, most)) for title, text in sections if text.strip()]
    while (taken := _room(GlobalKnowledge(sections=tuple(kept)).text)) > max_bytes and len(kept) > 1:
        kept.pop()
    drawn = _map(project, max_bytes - taken)
    return GlobalKnowledge(sections=(*kept, *([("Repository map", drawn)] if drawn else [])))


def _room(text: str) -> int:
    """Return the bytes that a text takes of a budget which limits bytes and tokens."""
    return max(size(text), math.ceil(tokens(text) / TOKENS_PER_BYTE))


def _shortened(text: str, most: int) -> str:
    return text if size(text) <= most else first_lines(text, most - NOTE_BYTES)


def _own(project: Project) -> dict[str, Source]:
    """Return the code without tests and secondary folders; all of it if nothing else is left."""
    own = {path: source for path, source in project.code.items() if not source.is_test and not is_secondary(path)}
    return own or dict(project.code)


# --- sections ---


def _project(project: Project) -> Iterator[str]:
    """Yield the project's own description and its size."""
    said = next((text for name in READMES if (text := paragraph(project.text(name), MOST_SAID))), "")
    yield f"{project.root.name}: {said}" if said else project.root.name
    tests = sum(source.is_test for source in project.code.values())
    symbols = sum(row.kind != "Module" for rows in project.symbols.values() for row in rows)
    whole = sum(source.size_bytes for source in project.code.values())
    yield (
        f"{plural(len(project.code), 'code file')} ({whole / 1e6:.1f} MB), {tests:,} of them tests; "
        f"{plural(symbols, 'symbol')}; {plural(len(project.sources.files) - len(project.code), 'other indexed file')}."
    )
    beside = (path for path, source in project.code.items() if source.is_test or is_secondary(path))
    aside = Counter(PurePosixPath(path).parts[0] for path in beside if "/" in path)
    if aside:
        yield (
            "Other folders: "
            + ", ".join(f"{name}/ ({plural(count, 'file')})" for name, count in sorted(aside.items()))
            + "."
        )


def _architecture(project: Project, layered: Architecture) -> Iterator[str]:
    """Yield the layers, upper ones first, with the purpose of each component."""
    known = "links between symbols" if project.uses.known_by == "links" else "imports"
    if len(layered.components) < 2:
        yield "One component, no layers."
    else:
        yield f"{plural(len(layered.layers), 'layer')}, derived from {known}; upper layers use lower ones."
    main = _main_names(project, layered)
    users = Counter(other for _, other in layered.uses)
    for number, names in enumerate(layered.layers, 1):
        yield f"\nLayer {number}"
        for name in sorted(names, key=lambda name: (-users[name], -layered.components[name].size_bytes, name)):
            yield _told(project, layered, layered.components[name], main.get(name, []))
    for cycle in layered.cycles:
        yield f"\nDependency cycle: {', '.join(cycle)}"


def _told(project: Project, layered: Architecture, part: Component, names: list[str]) -> str:
    """Return a component in one line: size, purpose, main names, dependencies and dependents."""
    used = [(count, other) for (one, other), count in layered.uses.items() if one == part.name]
    users = sum(other == part.name for _, other in layered.uses)
    short = short_names(layered.components)
    files = f"{plural(len(part.files), 'file')}, " if part.name.endswith("/") else ""
    line = f"- {part.name} ({files}{part.size_bytes / 1000:.0f} KB)"
    said = _purpose(project, part)
    line += f": {said}" if said else ""
    line += f" Main: {', '.join(names[:MOST_NAMES])}." if names else ""
    if used:
        most = [
            f"{short[other]} {count}" for count, other in sorted(used, key=lambda row: (-row[0], row[1]))[:MOST_USED]
        ]
        more = len(used) - len(most)
        line += f" Uses {', '.join(most)}{f', {more} more' if more > 0 else ''}."
    return line + (f" Used by {users}." if users else "")


def _purpose(project: Project, part: Component) -> str:
    """Return the purpose of a component: from its main file, its README, or its most used file."""
    folder = part.name.removesuffix("/")
    described = [path for path in part.files if PurePosixPath(path).stem in DESCRIBING]
    direct = [path for path in described if str(PurePosixPath(path).parent) == (folder or ".")]
    order = sorted(direct, key=lambda path: DESCRIBING.index(PurePosixPath(path).stem))
    users = Counter(use.used for use in project.uses.uses)
    if not part.name.endswith("/"):
        order = list(part.files)
    for path in order:
        if said := of_code(project.text(path)):
            return _stopped(said)
    if folder and part.name.endswith("/"):
        for name in READMES:
            if said := of_document(project.text(f"{folder}/{name}")):
                return _stopped(said)
    most = sorted(part.files, key=lambda path: (-users[path], path))[:3]
    told = next(((path, said) for path in most if (said := of_code(project.text(path)))), None)
    return f"{PurePosixPath(told[0]).name}: {_stopped(told[1])}" if told and told[0] != part.name else ""


def _stopped(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _main_names(project: Project, layered: Architecture) -> dict[str, list[str]]:
    """Return the names of each component by how many files of others use them."""
    owner = {path: part.name for part in layered.components.values() for path in part.files}
    counts: dict[str, Counter[str]] = {}
    for use in project.uses.uses:
        part = owner.get(use.used)
        if part is not None and owner.get(use.user) != part:
            counts.setdefault(part, Counter()).update({name.partition(".")[0] for name in use.names})
    return {
        part: [name for name, _ in sorted(found.items(), key=lambda row: (-row[1], row[0]))]
        for part, found in counts.items()
    }


def _central(project: Project) -> Iterator[str]:
    """Yield the symbols that most files use, with location and documentation."""
    users: Counter[tuple[str, str]] = Counter()
    for use in project.uses.uses:
        if not project.sources.files[use.user].is_test and not is_secondary(use.user):
            users.update({(use.used, name.partition(".")[0]) for name in use.names})
    order = sorted(users.items(), key=lambda row: (-row[1], row[0]))
    shown = 0
    for (path, name), count in order:
        row = next((row for row in project.symbols.get(path, ()) if row.qualified == name), None)
        if row is None or count < LEAST_USERS or project.sources.files[path].is_test or is_secondary(path):
            continue
        where, said = f"{row.kind.lower()}, {path}:{row.start_line}", first_sentence(row.doc or "")
        yield f"- {row.qualified} ({where}), used by {plural(count, 'file')}{f': {said}' if said else ''}"
        shown += 1
        if shown == MOST_CENTRAL:
            return


# --- memories of the whole project ---


def _memory_sections(engine: Engine, namespace: str) -> list[tuple[str, str]]:
    """Return the non-empty lists of memories about the whole project, with titles."""
    found = [(title, list(_memories(engine, namespace, kind))) for kind, title in KINDS]
    found.append(("Commands that work", list(_commands(engine, namespace))))
    recurring = engine.patterns.detect(namespace=namespace, limit=MOST_PATTERNS).patterns
    found.append(("Recurring patterns", [row.told for row in recurring]))
    return [(title, "\n".join(f"- {line}" for line in lines)) for title, lines in found if lines]


def _memories(engine: Engine, namespace: str, kind: MemoryType) -> Iterator[str]:
    page = engine.memories.list(
        memory_type=kind, namespace=namespace, archived=False, order="important", limit=2 * MOST
    )
    current = [memory for memory in page.memories if memory.superseded_by is None and memory.valid_to is None]
    for memory in current[:MOST]:
        yield first_sentence(memory.content, MOST_CHARACTERS) or " ".join(memory.content.split())[:MOST_CHARACTERS]


def _commands(engine: Engine, namespace: str) -> Iterator[str]:
    for row in engine.commands.list(namespace=namespace, limit=MOST).commands:
        where = f" in {row.directory}" if row.directory else ""
        yield f"{row.kind}: `{row.command}`{where}"


# --- the map ---


def _map(project: Project, room: int) -> str:
    """Return the map that fits into so many bytes; empty if the room is too small."""
    room -= _room("\n## Repository map\n\n\n")
    if room < LEAST_MAP_BYTES:
        return ""
    wanted = int(room / TOKEN_BYTES)
    best = ""
    for _ in range(MOST_DRAWN):
        drawn = project.map(wanted)
        own = tuple(file for file in drawn.files if not is_secondary(file.path))
        text = msgspec.structs.replace(drawn, files=own or drawn.files).text()
        taken = _room(text)
        best = text if _room(best) < taken <= room else best
        if room * NEARLY <= taken <= room or (taken <= room and len(drawn.files) == drawn.files_total):
            break
        wanted = int(wanted * min(max(room * ALMOST / max(taken, 1), 0.2), 2.5))
    return best
