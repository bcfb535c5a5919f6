"""Our entries in a JSON file of an assistant: inserted, updated and removed.

Every function takes the text of the file and returns it changed; None: there is no file. They only add to it, except in
our own entries and in containers that these leave empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.errors import Conflict
from recollect.surface.assistants import jsonc
from recollect.surface.assistants.entry import NAME, grouped, is_hook_of_ours, starts_recollect

Keys = tuple[str, ...]
Path = tuple[jsonc.Step, ...]

HOOKS: Keys = ("hooks",)
VERSION: Keys = ("version",)

# The keys that decide whether an entry is up to date. Users may change the others (timeouts, approvals, environment).
ESSENTIAL = ("type", "command", "bash", "args")


# --- In --------------------------------------------------------------------------------------------------------------


def put_server(text: str | None, container: Keys, value: Mapping[str, Any]) -> str:
    """Return the text with our server in a container; raises Conflict if another server has our name."""
    path = (*container, NAME)
    node = _at(text, path)
    if text is None or node is None:
        return _insert(text, container, NAME, dict(value))
    if not starts_recollect(node.value):
        raise Conflict(f"another server is named {NAME}", hint="Rename that server and run the command again.")
    return _renew(text, path, value)


def put_hooks(text: str | None, handlers: Mapping[str, dict[str, Any]], *, in_groups: bool) -> str:
    """Return the text with one handler of ours for each event, and none for any other."""
    after = text or ""
    for event, handler in handlers.items():
        found = _ours(after, event)
        for path in reversed(found[1:]):
            after = _cut(after, path)
        if found:
            handler_path = (*found[0], "hooks", 0) if in_groups and len(found[0]) == 3 else found[0]
            after = _renew(after, handler_path, handler)
        else:
            after = _insert(after, (*HOOKS, event), None, grouped(handler) if in_groups else handler)
    return take_hooks(after, keep=frozenset(handlers))


def put_version(text: str | None, number: int) -> str:
    """Return the text with the version that its file needs; an existing one stays."""
    return text if text and _at(text, VERSION) is not None else _insert(text, (), "version", number)


def _renew(text: str, path: Path, value: Mapping[str, Any]) -> str:
    """Return the text with the essential keys of `value` in the entry at `path`."""
    for key in ESSENTIAL:
        node = _at(text, (*path, key))
        if key not in value:
            continue
        if node is None:
            text = jsonc.insert(text, path, key, value[key])
        elif node.value != value[key]:
            text = jsonc.replace(text, (*path, key), value[key])
    return text


def _insert(text: str | None, container: Keys, key: str | None, value: Any) -> str:
    """Return the text with one more value, and the containers that it needs."""
    if text is None or jsonc.is_blank(text):
        return jsonc.document(_wrapped(container, key, value), jsonc.style(text or "", None))
    root = jsonc.parse(text)
    depth = next(n for n in range(len(container), -1, -1) if jsonc.at(root, container[:n]) is not None)
    outer = container[:depth]
    is_whole = depth == len(container)
    try:
        if is_whole:
            return jsonc.insert(text, outer, key, value)
        return jsonc.insert(text, outer, container[depth], _wrapped(container[depth + 1 :], key, value))
    except KeyError:
        node = jsonc.at(root, outer) or root
        name, kind = ".".join(outer) or "the document", "array" if is_whole and key is None else "object"
        raise jsonc.Malformed(f"{name} should be an {kind}", text, node.start) from None


def _wrapped(container: Keys, key: str | None, value: Any) -> Any:
    """Return a value in the containers that lead to it."""
    made = [value] if key is None else {key: value}
    for name in reversed(container):
        made = {name: made}
    return made


# --- Out -------------------------------------------------------------------------------------------------------------


def take_server(text: str, container: Keys) -> str:
    """Return the text without our server."""
    node = _at(text, (*container, NAME))
    return _cut(text, (*container, NAME)) if node is not None and starts_recollect(node.value) else text


def take_hooks(text: str, keep: frozenset[str] = frozenset()) -> str:
    """Return the text without any handler of ours, except for the events to keep."""
    hooks = _at(text, HOOKS)
    for event in hooks.value if hooks is not None and hooks.kind == "object" else ():
        for path in reversed(_ours(text, event) if event not in keep else []):
            text = _cut(text, path)
    return text


def take_version(text: str) -> str:
    """Return the text without its version if nothing else needs it."""
    root = _at(text, ())
    return _cut(text, VERSION) if root is not None and root.value == {"version": 1} else text


def is_bare(text: str, path: Path = ()) -> bool:
    """Return whether a container is empty, without even a comment; a document has no comment around it either."""
    node = _at(text, path)
    if node is None:
        return not path
    around = "" if path else text[: node.start] + text[node.end :]
    return not (text[node.start + 1 : node.end - 1] + around).strip()


def _ours(text: str, event: str) -> list[Path]:
    """Return the paths of our handlers for an event: of the whole group where it holds nothing else."""
    rows = _at(text, (*HOOKS, event))
    found: list[Path] = []
    for i, row in enumerate(rows.value if rows is not None and rows.kind == "array" else ()):
        below = row.get("hooks") if isinstance(row, Mapping) else None
        places = [j for j, handler in enumerate(below) if is_hook_of_ours(handler)] if isinstance(below, list) else []
        if is_hook_of_ours(row) or (isinstance(below, list) and len(below) == len(places) == 1):
            found.append((*HOOKS, event, i))
        else:
            found += [(*HOOKS, event, i, "hooks", j) for j in places]
    return found


def _cut(text: str, path: Path) -> str:
    """Return the text without a value, and without the containers that are empty now."""
    text, container = jsonc.cut(text, path), path[:-1]
    while container and is_bare(text, container):
        text, container = jsonc.cut(text, container), container[:-1]
    return text


def _at(text: str | None, path: Path) -> jsonc.Node | None:
    return None if text is None or jsonc.is_blank(text) else jsonc.at(jsonc.parse(text), path)


# --- Holding ---------------------------------------------------------------------------------------------------------


def foreign(text: str | None, container: Keys) -> Any:
    """Return the content of a document without our entries: no edit of ours may change it."""
    value = {} if text is None or jsonc.is_blank(text) else jsonc.parse(text).value
    return _foreign(value, (), container)


def _foreign(value: Any, path: tuple[str, ...], container: Keys) -> Any:
    if isinstance(value, Mapping):
        rows = {
            key: _foreign(row, (*path, key), container)
            for key, row in value.items()
            if (*path, key) not in ((*container, NAME), VERSION)
        }
        return {key: row for key, row in rows.items() if row not in ({}, [])}
    if isinstance(value, list) and path[:1] == HOOKS:
        rows_left = [_foreign(row, path, container) for row in value if not is_hook_of_ours(row)]
        return [row for row in rows_left if row not in ({}, [])]
    return value
