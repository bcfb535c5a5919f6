"""Changing files: an edit, a whole file written, a patch over several. What changed is said in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from recollect.capture import tools
from recollect.capture.difference import Difference, difference
from recollect.capture.extract.failed import failed_use
from recollect.capture.lesson import Lesson, Outline, Place, file_tags, line, listed
from recollect.capture.observation import Observation
from recollect.capture.purpose import purpose

# An edit is what the assistant decided to do; what it was told to remember counts more.
IMPORTANCE = 0.5
# Files of one patch that are described; the others are named.
PATCHED = 6


class _Change(NamedTuple):
    """One file before and after; before is None for one that was not there, after None for one that is gone."""

    path: str
    before: str | None
    after: str | None


def edit(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what an edit changed, in words."""
    path = tools.text_field(seen.input, "path")
    if seen.failed or not path:
        return failed_use(seen, place, path, f"Editing {place.shown(path)}" if path else "Editing a file")
    return _changed(seen, place, outline, [_Change(path, *_edited(seen))])


def write(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a file that was written is for, or what changed in it."""
    path = tools.text_field(seen.input, "path")
    if seen.failed or not path:
        return failed_use(seen, place, path, f"Writing {place.shown(path)}" if path else "Writing a file")
    content = tools.text_field(seen.input, "content")
    return _changed(seen, place, outline, [_Change(path, _original(seen.output), content)])


def patch(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a patch changed in every file it touches."""
    text = tools.text_field(seen.input, "patch")
    changes = list(_patched(text))
    if seen.failed or not changes:
        return failed_use(seen, place, changes[0].path if changes else "a patch", "Applying a patch")
    return _changed(seen, place, outline, changes)


def _changed(seen: Observation, place: Place, outline: Outline, changes: list[_Change]) -> Lesson:
    described = [_described(change, place, outline) for change in changes[:PATCHED]]
    shown = [place.shown(change.path) for change in changes]
    told = described[0][0] if len(changes) == 1 else f"Patched {listed(shown, PATCHED)}"
    why = line(str(seen.input.get("instruction") or seen.input.get("explanation") or ""))
    parts = [sentence for sentence, _ in described]
    if len(changes) > PATCHED:
        parts.append(f"Also changed: {listed(shown[PATCHED:], 2 * PATCHED)}.")
    if why:
        parts.append(f"Why: {why}")
    excerpts = [excerpt for _, excerpt in described if excerpt]
    content = "\n".join(parts) + (f"\n\n{excerpts[0]}" if len(excerpts) == 1 else "")
    paths = tuple(place.absolute(change.path) for change in changes)
    return Lesson(
        told=line(told),
        content=content,
        memory_type="decision",
        importance=IMPORTANCE,
        category=seen.tool,
        tags=tuple(dict.fromkeys(tag for path in shown[:PATCHED] for tag in file_tags(path))),
        metadata={"file": shown[0]} if len(shown) == 1 else {"files": shown},
        target=paths[0],
        paths=paths,
    )


def _described(change: _Change, place: Place, outline: Outline) -> tuple[str, str]:
    """Return what happened to a file, as a sentence, and the first lines of it."""
    shown = place.shown(change.path)
    if change.after is None:
        return f"Deleted {shown}.", ""
    if change.before is None:
        lines = change.after.count("\n") + (not change.after.endswith("\n")) if change.after else 0
        said = purpose(shown, change.after)
        symbols = [each.name for each in outline(shown, change.after) if each.parent < 0]
        defines = f" It defines {listed(symbols, 16)}." if symbols else ""
        told = f"Created {shown} ({lines} line{'s' if lines != 1 else ''})"
        return f"{told}: {said}{defines}" if said else f"{told}.{defines}", ""
    changed: Difference = difference(shown, change.before, change.after, outline)
    return f"Changed {shown} (+{changed.added} −{changed.removed}): {changed.told()}.", changed.excerpt


def _edited(seen: Observation) -> tuple[str, str]:
    """Return a file before and after an edit, or the pieces of it that were replaced where it was not shown."""
    pairs = [pair for each in _edits(seen.input) if (pair := _pair(each)) is not None]
    whole = _original(seen.output)
    if whole is not None:
        after = whole
        for old, new in pairs:
            after = after.replace(old, new) if seen.input.get("replace_all") else after.replace(old, new, 1)
        written = _written(seen.output)
        if after != whole or written is not None:
            return whole, written if written is not None else after
    if pairs:
        return "\n".join(old for old, _ in pairs), "\n".join(new for _, new in pairs)
    return _sides(_diff_text(seen) or tools.text_field(seen.input, "patch"))


def _edits(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    several = given.get("edits")
    if isinstance(several, list):
        return [each for each in several if isinstance(each, dict)]
    return [given]


def _pair(given: Mapping[str, Any]) -> tuple[str, str] | None:
    old, new = tools.field(given, "old"), tools.field(given, "new")
    if old is None and new is None:
        return None
    return old if isinstance(old, str) else "", new if isinstance(new, str) else ""


def _original(output: Any) -> str | None:
    """Return the file as it was, where the answer of the tool holds it; None for one that was not there."""
    if not isinstance(output, dict):
        return None
    display = output.get("returnDisplay")
    for holder, key in ((output, "originalFile"), (display, "originalContent")):
        text = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(text, str) and text:
            return text
    return None


def _written(output: Any) -> str | None:
    display = output.get("returnDisplay") if isinstance(output, dict) else None
    text = display.get("newContent") if isinstance(display, dict) else None
    return text if isinstance(text, str) else None


def _diff_text(seen: Observation) -> str:
    metadata = seen.output.get("metadata") if isinstance(seen.output, dict) else None
    text = metadata.get("diff") if isinstance(metadata, dict) else None
    return text if isinstance(text, str) else ""


def _sides(diff: str) -> tuple[str, str]:
    """Return what a unified diff takes away and puts in its place; of conflict marks, what stands between them."""
    opened = re.search(r"[<\-]{5,40} ?SEARCH\n", diff)
    parted = re.compile(r"\n?={5,40}\n").search(diff, opened.end()) if opened else None
    closed = re.compile(r"\n?[>+]{5,40} ?REPLACE").search(diff, parted.end()) if parted else None
    if opened and parted and closed:
        return diff[opened.end() : parted.start()], diff[parted.end() : closed.start()]
    rows = [row for row in diff.splitlines() if not row.startswith(("---", "+++", "@@", "Index:", "===", "diff "))]
    before = [row[1:] for row in rows if row[:1] in ("-", " ")]
    after = [row[1:] for row in rows if row[:1] in ("+", " ")]
    return "\n".join(before), "\n".join(after)


_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)


def _patched(text: str) -> Iterator[_Change]:
    """Yield the files of a patch as assistants write them (*** Update File: …), or of a unified diff."""
    marks = list(_FILE.finditer(text))
    for number, found in enumerate(marks):
        body = text[found.end() : marks[number + 1].start() if number + 1 < len(marks) else len(text)]
        body = re.sub(r"(?m)^\*\*\* (?:End Patch|End of File|Move to:).*\n?", "", body).strip("\n")
        path = found[2].strip()
        if found[1] == "Delete":
            yield _Change(path, "", None)
        elif found[1] == "Add":
            yield _Change(path, None, "\n".join(row[1:] for row in body.splitlines() if row.startswith("+")) + "\n")
        else:
            yield _Change(path, *_sides(body))
    if marks:
        return
    for part in re.split(r"(?m)^(?=--- )", text):
        names = re.match(r"--- (?:a/)?(\S++).*+\n\+\+\+ (?:b/)?(\S+)", part)
        if names:
            before, after = _sides(part)
            old, new = names[1], names[2]
            yield _Change(old if new == "/dev/null" else new, None if old == "/dev/null" else before,
                          None if new == "/dev/null" else after)  # fmt: skip
