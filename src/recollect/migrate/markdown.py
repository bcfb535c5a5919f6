"""Markdown: a folder of pages, or one page; each becomes a memory, and what links pages links memories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from recollect.errors import InvalidInput
from recollect.files import read_file
from recollect.migrate.fields import Fields, clean, listed
from recollect.migrate.found import Found, Left, Linked, Remembered
from recollect.migrate.frontmatter import split
from recollect.migrate.look import Look, pages
from recollect.parsing import limited

_HEADING = re.compile(r"^#[ \t]++(.*[^ \t#\n])[ \t#]*+$", re.MULTILINE)
_WIKI = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_LINK = re.compile(r"(?<!!)\[[^\[\]\n]*\]\(<?([^()\s<>#]+\.(?:md|markdown))(?:#[^()\s]*)?>?\)")
_CODE = re.compile(r"^(```|~~~).*?(?:^\1[ \t]*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE)


class Page(NamedTuple):
    """A page as it was read: its path below the folder, its front matter, the text below it, and its file's times."""

    name: str
    fields: dict[str, Any]
    text: str
    changed_at: int

    @property
    def title(self) -> str:
        """Return what the page is called: by its front matter, its heading, or its file."""
        named = self.fields.get("title")
        heading = _HEADING.search(self.text)
        return str(named) if named else heading[1] if heading else Path(self.name).stem


class Markdown:
    """A folder of Markdown that belongs to nobody in particular."""

    program = "Markdown"
    kept_ids = False

    def __init__(self, found: Look) -> None:
        if found.kind not in ("folder", "page"):
            raise InvalidInput(f"{found.path} is neither a folder nor a Markdown file", path=str(found.path))
        self._root = found.path

    @staticmethod
    def fits(found: Look) -> bool:
        return found.kind == "page" or (found.kind == "folder" and any(True for _ in pages(found.path)))

    def read(self) -> Iterator[Found]:
        if next(iter(files(self._root)), None) is None:
            raise InvalidInput(f"no Markdown files in {self._root}", hint="Give the folder that contains the pages.")
        known: dict[str, str] = {}
        for page in read(self._root):
            if isinstance(page, Page):
                known.update(dict.fromkeys(names(page), page.name))
        links: dict[tuple[str, str], Linked] = {}
        for page in read(self._root):
            if isinstance(page, Left):
                yield page
                continue
            targets = {known.get(target) for target in targets_of(page)} - {None, page.name}
            for target in sorted(each for each in targets if each):
                links[page.name, target] = Linked("links", page.name, target, "links_to")
            yield _memory(page)
        yield from links.values()

    def close(self) -> None:
        return


def files(root: Path) -> Iterator[Path]:
    """Yield the pages of a folder; a page alone is its own."""
    return iter([root]) if root.is_file() else pages(root)


def read(root: Path) -> Iterator[Page | Left]:
    """Yield the pages below a folder as they are, and what of them cannot be read."""
    for file in files(root):
        name = file.name if file == root else file.relative_to(root).as_posix()
        try:
            raw, changed = read_file(file), int(file.stat().st_mtime)
        except OSError as problem:
            yield Left("pages", f"{name} cannot be read: {problem.strerror}")
            continue
        try:
            fields, text = limited(partial(split, clean(raw.decode("utf-8", "replace"))), name)
        except InvalidInput as problem:
            yield Left("pages", problem.message)
            continue
        if text.strip() or fields:
            yield Page(name, fields, text, changed)
        else:
            yield Left("pages", "it is empty")


def names(page: Page) -> Sequence[str]:
    """Return what a page may be called in a link: its title, its file with and without folders, its permalink."""
    stem = page.name.rpartition(".")[0]
    permalink = page.fields.get("permalink")
    found = (page.title, page.name, stem, stem.rpartition("/")[2], str(permalink) if permalink else "")
    return tuple(dict.fromkeys(each.lower() for each in found if each))


def targets_of(page: Page) -> Iterator[str]:
    """Yield what a page links to, in small letters; links in code do not count."""
    text = _CODE.sub("", page.text)
    yield from (found[1].strip().lower() for found in _WIKI.finditer(text))
    folder = page.name.rpartition("/")[0]
    for found in _LINK.finditer(text):
        yield _joined(folder, unquote(found[1])).lower()


def _joined(folder: str, target: str) -> str:
    """Return a path as seen from the root of the folder."""
    parts = [part for part in folder.split("/") if part]
    for part in target.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _memory(page: Page) -> Remembered:
    fields = Fields(page.fields)
    fields.drop("title")
    made = next((at for name in ("created", "date", "created_at") if (at := fields.time(name)) is not None), None)
    changed = next((at for name in ("modified", "updated") if (at := fields.time(name)) is not None), None)
    kind = fields.take("type")
    return Remembered(
        part="pages",
        key=page.name,
        content=page.text.strip() or page.title,
        at=made if made is not None else page.changed_at,
        updated_at=changed if changed is not None else page.changed_at,
        title=page.title,
        category=str(kind) if kind else None,
        tags=tags(fields),
        metadata={"path": page.name},
        beside=fields.rest(),
    )


def tags(fields: Fields) -> tuple[str, ...]:
    """Return the tags of front matter, however they are written."""
    value = fields.take("tags")
    return listed([str(each).lstrip("#") for each in value] if isinstance(value, list) else str(value or ""))
