"""Our entries in a JSON file of an assistant: inserted, updated and removed.

A draft is the text of the file and its ledger row; every step returns a new one. Steps only add to the file, except in
our own entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from recollect.errors import Conflict
from recollect.surface.assistants import jsonc
from recollect.surface.assistants.entry import NAME, grouped, is_hook_of_ours, starts_recollect
from recollect.surface.assistants.init_ledger import Keys, Row

HOOKS: Keys = ("hooks",)
VERSION: Keys = ("version",)

# The keys that decide whether an entry is up to date. Users may change the others (timeouts, approvals, environment).
ESSENTIAL = ("type", "command", "bash", "args")


class Draft(NamedTuple):
    """A file while it is edited; `text` None: there is no file. `known`: the ledger has a row for it."""

    text: str | None
    row: Row
    known: bool = False


# --- In --------------------------------------------------------------------------------------------------------------


def put_server(draft: Draft, container: Keys, value: Mapping[str, Any]) -> Draft:
    """Return the draft with our server in a container; raises Conflict if another server has our name."""
    path = (*container, NAME)
    node = _at(draft, path)
    if node is None:
        return _noting(_insert(draft, container, NAME, dict(value)), inserted=(path,))
    if not starts_recollect(node.value):
        raise Conflict(f"another server is named {NAME}", hint="Rename that server and run the command again.")
    after = _renew(draft, path, value)
    if after.text == draft.text or path in draft.row.inserted or path in dict(draft.row.replaced):
        return after
    return _noting(after, replaced=((path, _text(draft)[node.start : node.end]),))


def put_hooks(draft: Draft, handlers: Mapping[str, dict[str, Any]], *, in_groups: bool) -> Draft:
    """Return the draft with one handler of ours for each event, and none for any other."""
    for event, handler in handlers.items():
        found = _ours(draft, event)
        for path in reversed(found[1:]):
            draft = _cut(draft, path)
        if found:
            handler_path = (*found[0], "hooks", 0) if in_groups and len(found[0]) == 3 else found[0]
            draft = _renew(draft, handler_path, handler)
        else:
            draft = _insert(draft, (*HOOKS, event), None, grouped(handler) if in_groups else handler)
    return take_hooks(draft, keep=frozenset(handlers))


def put_version(draft: Draft, number: int) -> Draft:
    """Return the draft with the version that its file needs; an existing one stays."""
    if _at(draft, VERSION) is not None:
        return draft
    return _noting(_insert(draft, (), "version", number), inserted=(VERSION,))


def _renew(draft: Draft, path: tuple[jsonc.Step, ...], value: Mapping[str, Any]) -> Draft:
    """Return the draft with the essential keys of `value` in the entry at `path`."""
    text = _text(draft)
    for key in ESSENTIAL:
        node = jsonc.at(jsonc.parse(text), (*path, key))
        if key not in value:
            continue
        if node is None:
            text = jsonc.insert(text, path, key, value[key]).text
        elif node.value != value[key]:
            text = jsonc.replace(text, (*path, key), value[key])
    return draft._replace(text=text)


def _insert(draft: Draft, container: Keys, key: str | None, value: Any) -> Draft:
    """Return the draft with one more value, and the containers that it needs."""
    if draft.text is None or jsonc.is_blank(draft.text):
        blank = draft.text or ""
        look = jsonc.style(blank, None)
        text = jsonc.document(_wrapped(container, key, value), look)
        created = tuple(container[:n] for n in range(len(container) + 1))
        return _noting(draft._replace(text=text), created=created, blank=blank)
    root = jsonc.parse(draft.text)
    depth = next(n for n in range(len(container), -1, -1) if jsonc.at(root, container[:n]) is not None)
    outer = container[:depth]
    is_whole = depth == len(container)
    try:
        if is_whole:
            text, gap = jsonc.insert(draft.text, outer, key, value)
        else:
            inner = _wrapped(container[depth + 1 :], key, value)
            text, gap = jsonc.insert(draft.text, outer, container[depth], inner)
    except KeyError:
        node = jsonc.at(root, outer) or root
        name, kind = ".".join(outer) or "the document", "array" if is_whole and key is None else "object"
        raise jsonc.Malformed(f"{name} should be an {kind}", draft.text, node.start) from None
    created = tuple(container[:n] for n in range(depth + 1, len(container) + 1))
    gaps = ((outer, gap),) if gap is not None and outer not in draft.row.created else ()
    return _noting(draft._replace(text=text), created=created, gaps=gaps)


def _wrapped(container: Keys, key: str | None, value: Any) -> Any:
    """Return a value in the containers that lead to it."""
    made = [value] if key is None else {key: value}
    for name in reversed(container):
        made = {name: made}
    return made


# --- Out -------------------------------------------------------------------------------------------------------------


def take_server(draft: Draft, container: Keys) -> Draft:
    """Return the draft without our server, or with what stood in its place; one we did not write stays."""
    path = (*container, NAME)
    node = _at(draft, path)
    if node is None:
        return draft
    was = dict(draft.row.replaced).get(path)
    if was is not None:
        return draft._replace(text=jsonc.put_back(_text(draft), path, was))
    is_ours = path in draft.row.inserted if draft.known else starts_recollect(node.value)
    return _cut(draft, path) if is_ours else draft


def take_hooks(draft: Draft, keep: frozenset[str] = frozenset()) -> Draft:
    """Return the draft without any handler of ours, except for the events to keep."""
    hooks = _at(draft, HOOKS)
    for event in hooks.value if hooks is not None and hooks.kind == "object" else ():
        for path in reversed(_ours(draft, event) if event not in keep else []):
            draft = _cut(draft, path)
    return draft


def take_version(draft: Draft) -> Draft:
    """Return the draft without the version we wrote; in a new document, only if nothing else needs it."""
    root = _at(draft, ())
    if root is None or root.member("version") is None or VERSION not in draft.row.inserted:
        return draft
    is_needed = () in draft.row.created and set(root.value) != {"version"}
    return draft if is_needed else _cut(draft, VERSION)


def _ours(draft: Draft, event: str) -> list[tuple[jsonc.Step, ...]]:
    """Return the paths of our handlers for an event: of the whole group where it holds nothing else."""
    rows = _at(draft, (*HOOKS, event))
    found: list[tuple[jsonc.Step, ...]] = []
    for i, row in enumerate(rows.value if rows is not None and rows.kind == "array" else ()):
        below = row.get("hooks") if isinstance(row, Mapping) else None
        places = [j for j, handler in enumerate(below) if is_hook_of_ours(handler)] if isinstance(below, list) else []
        if is_hook_of_ours(row) or (isinstance(below, list) and len(below) == len(places) == 1):
            found.append((*HOOKS, event, i))
        else:
            found += [(*HOOKS, event, i, "hooks", j) for j in places]
    return found


def _cut(draft: Draft, path: tuple[jsonc.Step, ...]) -> Draft:
    """Return the draft without a value, and without containers of ours that are empty now."""
    gaps: dict[tuple[jsonc.Step, ...], str] = dict(draft.row.gaps)
    text = jsonc.cut(_text(draft), path, gaps.get(path[:-1]))
    container = path[:-1]
    while container and container in draft.row.created and _is_bare(text, container):
        text = jsonc.cut(text, container, gaps.get(container[:-1]))
        container = container[:-1]
    if not container and () in draft.row.created and _is_bare(text, ()):
        return draft._replace(text=None if draft.row.made else draft.row.blank)
    return draft._replace(text=text)


def _is_bare(text: str, path: tuple[jsonc.Step, ...]) -> bool:
    """Return whether a container is empty, without even a comment; a document has no comment around it either."""
    node = jsonc.at(jsonc.parse(text), path)
    if node is None:
        return False
    around = "" if path else text[: node.start] + text[node.end :]
    return not (text[node.start + 1 : node.end - 1] + around).strip()


def _at(draft: Draft, path: tuple[jsonc.Step, ...]) -> jsonc.Node | None:
    if draft.text is None or jsonc.is_blank(draft.text):
        return None
    return jsonc.at(jsonc.parse(draft.text), path)


def _text(draft: Draft) -> str:
    return draft.text or ""


def _noting(
    draft: Draft,
    *,
    created: tuple[Keys, ...] = (),
    gaps: tuple[tuple[Keys, str], ...] = (),
    inserted: tuple[Keys, ...] = (),
    replaced: tuple[tuple[Keys, str], ...] = (),
    blank: str = "",
) -> Draft:
    """Return the draft with more in its row."""
    row = draft.row
    return draft._replace(
        row=msgspec.structs.replace(
            row,
            created=tuple(dict.fromkeys((*row.created, *created))),
            gaps=tuple(dict((*row.gaps, *gaps)).items()),
            inserted=tuple(dict.fromkeys((*row.inserted, *inserted))),
            replaced=tuple(dict((*row.replaced, *replaced)).items()),
            blank=blank or row.blank,
        )
    )


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
