"""Markdown pages: front matter, links, and a reader of a folder of pages or one page.

Front matter is the part of YAML that people write there: texts, numbers, booleans, dates and lists. Deeper values stay
text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from recollect.errors import InvalidInput
from recollect.files import read_file
from recollect.importing.fields import Fields, clean, listed
from recollect.importing.import_records import Found, Left, Linked, Remembered
from recollect.importing.import_source import Reader, SourceFile, pages
from recollect.parsing import limited

_HEAD = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"([^\s#:'\"\-\[\]{}][^:]*+):(?:[ \t]++(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]++#.*$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d+)?")


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of a page and the text below them; {} where it has none."""
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    return _fields(head[1].splitlines()), text[head.end() :]


def _fields(lines: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    held: list[str] = []
    name = ""
    for line in [*lines, "end:"]:
        found = _FIELD.match(line)
        if found is None:
            if name and line.strip() and not line.startswith("#"):
                held.append(line)
            continue
        if name and held:
            fields[name] = _below(held, fields[name])
        name, held = found[1].strip(), []
        fields[name] = _value(found[2] or "")
    fields.pop("end", None)
    return fields


def _below(held: list[str], beside: Any) -> Any:
    """Return what stands in the lines below a name: a list, or a text over several lines."""
    items = [_ITEM.match(line) for line in held]
    if beside is None and all(items):
        return [_value(item[1]) for item in items if item]
    text = "\n".join(line.strip() for line in held)
    return text if beside in (None, "|", ">", "|-", ">-") else f"{beside}\n{text}"


def _value(text: str, *, in_list: bool = False) -> Any:
    raw = text.strip()
    if raw[:1] in ("'", '"') and raw[-1:] == raw[:1] and len(raw) > 1:
        return raw[1:-1].replace("''", "'") if raw[0] == "'" else raw[1:-1].replace('\\"', '"')
    raw = _COMMENT.sub("", raw).strip()
    if raw.startswith("[") and raw.endswith("]") and not in_list:
        return [_value(part, in_list=True) for part in raw[1:-1].split(",") if part.strip()]
    if raw.lower() in _WORDS:
        return _WORDS[raw.lower()]
    if _NUMBER.fullmatch(raw):
        return float(raw) if "." in raw else int(raw)
    return raw


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


class Markdown(Reader):
    """A folder of Markdown that belongs to no known program."""

    source_name = "markdown"
    program = "Markdown"

    @staticmethod
    def fits(source: SourceFile) -> bool:
        return source.kind == "page" or (source.kind == "folder" and any(True for _ in pages(source.path)))

    def read(self) -> Iterator[Found]:
        root = self.source.path
        if next(iter(files(root)), None) is None:
            raise InvalidInput(f"no Markdown files in {root}", hint="Give the folder that contains the pages.")
        known: dict[str, str] = {}
        for page in read(root):
            if isinstance(page, Page):
                known.update(dict.fromkeys(names(page), page.name))
        links: dict[tuple[str, str], Linked] = {}
        for page in read(root):
            if isinstance(page, Left):
                yield page
                continue
            targets = {known.get(target) for target in targets_of(page)} - {None, page.name}
            for target in sorted(each for each in targets if each):
                links[page.name, target] = Linked("links", page.name, target, "links_to")
            yield memory(page, "pages", page.name, page.text.strip())
        yield from links.values()


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
        # As seen from the root of the folder, and never above it.
        yield posixpath.normpath(f"/{folder}/{unquote(found[1])}").lstrip("/").lower()


def memory(page: Page, part: str, key: str, text: str) -> Remembered:
    """Return a page as a memory with this text."""
    fields = Fields(page.fields)
    fields.drop("title")
    made = next((at for name in ("created", "date", "created_at") if (at := fields.time(name)) is not None), None)
    changed = next((at for name in ("modified", "updated") if (at := fields.time(name)) is not None), None)
    permalink, kind = fields.take("permalink"), fields.take("type")
    return Remembered(
        part=part,
        key=key,
        content=text or page.title,
        at=made if made is not None else page.changed_at,
        updated_at=changed if changed is not None else page.changed_at,
        title=page.title,
        category=str(kind) if kind else None,
        tags=_tags(fields),
        metadata={"path": page.name, **({"permalink": permalink} if permalink else {})},
        beside=fields.rest(),
    )


def _tags(fields: Fields) -> tuple[str, ...]:
    """Return the tags of front matter, however they are written."""
    value = fields.take("tags")
    return listed([str(each).lstrip("#") for each in value] if isinstance(value, list) else str(value or ""))
