"""Find the symbols that differ between two states of files.

    added, removed        there on one side only; a name that a file no longer passes on is removed
    renamed, moved        the same content under another name, in another file; a file that others import by its path
    signature             its signature or decorators differ
    body                  its code differs
    cosmetic              only comments, docstrings and white space

A symbol is compared without its members: a class is changed only if code outside of its methods is. Code outside of all
symbols counts as a symbol without a name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from recollect.code.anchors.normalised_file import TELLING_BYTES, digest, form, read
from recollect.code.diff.file_sides import Sides
from recollect.code.index.extract import extract
from recollect.code.index.languages import BY_NAME, detect
from recollect.code.index.normal_form import BLANK, BLOCK_ENDS, BLOCKS_MOST, LINE, SEPARATED
from recollect.code.links.module_finder import family
from recollect.parsing import parse_python
from recollect.store.code_rows import SymbolRow, symbol_keys

# Marks that the normal form puts between symbols: separation, line ends and block ends.
MARKS = BLANK + bytes([SEPARATED, *range(LINE, BLOCK_ENDS + BLOCKS_MOST + 1)])

# Families of languages in which a module is a path, with the file that stands for its folder; in Go each file does.
BY_PATH = {"python": "__init__", "javascript": "index", "rust": "mod", "lua": "init", "c": "", "ruby": "", "bash": ""}
# How a line begins that passes an imported name on.
PASSED_ON: Mapping[str, tuple[str, ...]] = {
    "python": ("from ",), "javascript": ("export {", "export *", "export type {"), "rust": ("pub use ",),
}  # fmt: skip
# Parts of an imported name that are no part of a path below: of `crate::a`, `./a.js`.
_NO_PARTS = frozenset({"", "crate", "self", "super", "js", "mjs", "cjs", "jsx", "ts", "tsx"})
# The largest file whose names are read because another one passes all of them on.
_MOST_BYTES = 500_000

How = Literal["added", "removed", "renamed", "moved", "signature", "body", "cosmetic"]


class SymbolChange(NamedTuple):
    """A changed symbol: its path and key now and before, and both of its states.

    A key of "" means the code outside of all symbols. is_required: a method that implementers had not to define before
    """

    how: How
    path: str
    key: str
    old_path: str
    old_key: str
    before: SymbolRow | None
    after: SymbolRow | None
    is_required: bool = False

    @property
    def row(self) -> SymbolRow | None:
        """The symbol as it is, or as it was; None for a file."""
        return self.after or self.before

    @property
    def now(self) -> tuple[str, str]:
        """Its path and key."""
        return self.path, self.key

    @property
    def was(self) -> tuple[str, str]:
        """Its path and key before."""
        return self.old_path, self.old_key

    @property
    def has_moved(self) -> bool:
        """Whether it has its name in another module or package."""
        old, new = (row.name if row else "" for row in (self.before, self.after))
        return old == new and (self.how == "moved" or module_of(self.old_path) != module_of(self.path))

    @property
    def is_export(self) -> bool:
        """Whether it is a name that the file only passed on, which has no content of its own."""
        return self.before is not None and not self.before.hash


class _Part(NamedTuple):
    """A symbol without its members: as text, in normal form, and in normal form without lines and blocks.

    In normal form it has no docstring. held: its members in order; other members cut the normal form at other places
    """

    row: SymbolRow | None
    text: bytes
    normal: str
    loose: str
    held: tuple[str, ...]


def changed(files: Iterable[Sides], root: str = "") -> list[SymbolChange]:
    """Return the changed symbols of files whose sides are both known, in order; documents have none.

    root: the folder of the modules whose names a file no longer passes on
    """
    found: list[SymbolChange] = []
    for sides in files:
        if sides.origin != "unknown":
            found += [*_compared(sides), *_not_passed_on(sides, root)]
    made = _followed(found)
    # A name that goes with its symbol is no change of its own.
    gone = {change.old_key for change in made if change.how in ("removed", "renamed") and not change.is_export}
    return [change for change in made if not (change.is_export and change.old_key in gone)]


def _compared(sides: Sides) -> list[SymbolChange]:
    file = sides.file
    old, new = _parts(file.old, sides.old), _parts(file.new, sides.new)
    made: list[SymbolChange] = []
    is_moved = bool(file.old and file.new) and module_of(file.old) != module_of(file.new)
    for key in [*new, *(key for key in old if key not in new)]:
        before, after = old.get(key), new.get(key)
        how = _how(before, after)
        if is_moved and before and after and how in (None, "cosmetic") and not (after.row and after.row.parent >= 0):
            how = "moved"
        # A new or deleted file is reported by its symbols.
        if how is None or (key == "" and (before is None or after is None)):
            continue
        row = (before.row if before else None), (after.row if after else None)
        is_required = _is_required(after, new) and not _is_required(before, old)
        made.append(SymbolChange(how, file.new or file.old, key, file.old or file.new, key, *row, is_required))
    return made


def _not_passed_on(sides: Sides, root: str) -> Iterator[SymbolChange]:
    """Yield the names that a file no longer passes on, one by one or with all of a module."""
    path = sides.file.new
    if sides.file.old != path:
        return
    old, new = exports(path, sides.old), exports(path, sides.new)
    if any(name.startswith("*") and name not in new for name in old):
        old, new = (dict(_opened(rows, path, root)) for rows in (old, new))
    still = {*new, *_parts(path, sides.new)} if old else ()
    for name, each in old.items():
        if name not in still and f"*{each.doc}" not in still and not name.startswith("*"):
            yield SymbolChange("removed", path, name, path, name, each, None)


def _opened(rows: Mapping[str, SymbolRow], path: str, root: str) -> Iterator[tuple[str, SymbolRow]]:
    """Yield names that a file passes on, with those of whole modules."""
    for name, row in rows.items():
        yield name, row
        for inner in _names_of(root, path, row.doc) if name.startswith("*") else ():
            yield inner, row._replace(name=inner, qualified=inner)


def _names_of(root: str, path: str, module: str) -> list[str]:
    """Return the public names of a module as a file names it, which lies below its folder or one above that."""
    language = detect(path, b"")
    head = BY_PATH[family(language.name)] if language else ""
    parts = [part for part in re.split(r"::|[./]", module) if part not in _NO_PARTS]
    folders = list(module_of(path) or ())
    for kept in range(len(folders), -1, -1):
        base = "/".join([*folders[:kept], *parts])
        for suffix in language.extensions if language and parts else ():
            for place in (f"{base}{suffix}", f"{base}/{head}{suffix}"):
                if language and (source := read(root, place, _MOST_BYTES)):
                    rows = extract(source, place, language).symbols
                    return [row.name for row in rows if row.parent < 0 and row.visibility == "public"]
    return []


def _is_required(part: _Part | None, parts: Mapping[str, _Part]) -> bool:
    """Tell whether a symbol is a method that implementers have to define: an abstract one, or without a body."""
    row = part.row if part else None
    if part is None or row is None or row.kind != "Method" or row.parent < 0:
        return False
    if re.search(r"\babstract", " ".join((*row.decorators, row.signature))):
        return True
    owner = list(parts.values())[row.parent].row
    text, head = ("".join(each.split()).rstrip(";") for each in (part.text.decode("utf-8", "replace"), row.signature))
    return owner is not None and owner.kind == "Interface" and text.endswith(head) and f"{row.name}?" not in head


def module_of(path: str) -> tuple[str, ...] | None:
    """Return the parts of the path by which others import a file; None where they do not name it."""
    language = detect(path, b"")
    kind = family(language.name) if language else ""
    *folders, name = path.split("/")
    if kind == "go":
        return tuple(folders)
    stem = name.partition(".")[0]
    return tuple(folders if stem == BY_PATH[kind] else [*folders, stem]) if kind in BY_PATH else None


def exports(path: str, source: bytes | None) -> dict[str, SymbolRow]:
    """Return the names that a file passes on, `*module` for all of one; of Python, a package what its modules have.

    A module of Rust inside of the file is part of the name: `prelude::Grid`.
    """
    language = detect(path, source or b"")
    begins = PASSED_ON.get(family(language.name) if language else "", ())
    lines = (source or b"").decode("utf-8", "replace").splitlines()
    lines = [line.strip() for line in lines] if language and language.name == "rust" else lines
    numbers = {number for number, line in enumerate(lines, 1) if line.startswith(begins)}
    if not source or not language or not numbers or (language.name == "python" and not path.endswith("__init__.py")):
        return {}
    found = extract(source, path, language)
    around = {
        number: f"{row.qualified}::" for row in found.symbols if row.kind == "Module"
        for number in range(row.start_line + 1, row.end_line)
    }  # fmt: skip
    return {
        around.get(row.line, "") + name: SymbolRow(
            name, name, "Constant", "", row.module, "public", (), -1, row.line, row.line, 0, 0, 0.0, False, None, ""
        )
        for row in found.imports
        if (name := f"*{row.module}" if row.star else row.alias or row.name)
        and row.line in numbers
        and (language.name != "python" or row.level or row.module.partition(".")[0] in path.split("/"))
    }


def _how(before: _Part | None, after: _Part | None) -> How | None:
    if before is None:
        return "added"
    if after is None:
        return "removed"
    if before.row and after.row and _call(before.row) != _call(after.row):
        return "signature"
    if before.normal != after.normal and (before.held == after.held or before.loose != after.loose):
        return "body"
    return "cosmetic" if before.text != after.text else None


def _call(row: SymbolRow) -> tuple[str, ...]:
    """Return the signature and decorators of a symbol without white space; none for a constant."""
    if row.kind == "Constant":
        return ()
    return tuple("".join(part.split()).replace(",)", ")") for part in (row.signature, *row.decorators))


def _parts(path: str, source: bytes | None) -> dict[str, _Part]:
    """Return the symbols of one side by their key; none for documents."""
    if source is None:
        return {}
    read = form(path, source)
    if not read.kind or BY_NAME[read.kind].document:
        return {}
    # Offsets are those of the normal form, which has no \r before a line feed.
    plain = source.replace(b"\r\n", b"\n")
    blob = _undocumented(read.blob, plain) if read.kind == "python" else read.blob
    children: dict[int, list[SymbolRow]] = {}
    for row in read.rows:
        # Methods of Go and Rust lie outside of their type: what they lie in holds them.
        around = row.parent
        while around >= 0 and not read.rows[around].start_byte <= row.start_byte < read.rows[around].end_byte:
            around = read.rows[around].parent
        children.setdefault(around, []).append(row)
    parts = {
        key: _part(blob, plain, row, children.get(place, ()))
        for place, (key, row) in enumerate(zip(symbol_keys(read.rows), read.rows, strict=True))
    }
    return {**parts, "": _part(blob, plain, None, children.get(-1, ()))}


def _undocumented(blob: bytes, plain: bytes) -> bytes:
    """Return the normal form of a Python file with blanks for its docstrings; unchanged if it cannot be parsed."""
    left = bytearray(blob)
    for start, end in _docstrings(plain):
        while end < len(left) and left[end] in MARKS:
            end += 1
        left[start:end] = b" " * (end - start)
    return bytes(left)


def _docstrings(source: bytes) -> Iterator[tuple[int, int]]:
    try:
        tree = parse_python(source.decode())
    except ValueError:
        return
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
                last, column = first.end_lineno or first.lineno, first.end_col_offset or first.col_offset
                yield starts[first.lineno - 1] + first.col_offset, starts[last - 1] + column


def _part(blob: bytes, plain: bytes, row: SymbolRow | None, held: Sequence[SymbolRow]) -> _Part:
    start, end = (row.start_byte, row.end_byte) if row else (0, len(plain))
    inside = [each for each in sorted(held, key=lambda each: each.start_byte) if start <= each.start_byte < end]
    edges = [start, *(edge for each in inside for edge in (each.start_byte, each.end_byte)), end]
    spans = [(first, last) for first, last in zip(edges[::2], edges[1::2], strict=True) if first < last]
    # Blank lines around members do not count.
    text = b"".join(plain[first:last].strip() for first, last in spans)
    # Marks at the ends of members belong to these.
    pieces = [blob[first:last].strip(MARKS) for first, last in spans] if inside else [blob[start:end]]
    normal = b"\n".join(piece for piece in pieces if piece)
    return _Part(
        row,
        text,
        digest(normal.translate(None, BLANK)),
        digest(normal.translate(None, MARKS)),
        tuple(each.qualified for each in inside),
    )


def _followed(found: Sequence[SymbolChange]) -> list[SymbolChange]:
    """Return changes with removed and added symbols of the same content joined."""
    pairs: dict[int, SymbolChange] = {}
    arrived: set[int] = set()
    for same in _SAME:
        left = [change for change in found if change.row is not None and id(change) not in pairs.keys() | arrived]
        gone = _grouped([change for change in left if change.how == "removed"], same)
        come = _grouped([change for change in left if change.how == "added"], same)
        for content, removed in gone.items():
            added = come.get(content, [])
            if len(removed) == len(added) == 1:
                pairs[id(removed[0])] = added[0]
                arrived.add(id(added[0]))
    made: list[SymbolChange] = []
    for change in found:
        if id(change) in arrived:
            continue
        there = pairs.get(id(change))
        if there is None:
            made.append(change)
            continue
        how: How = "renamed" if there.path == change.old_path else "moved"
        made.append(SymbolChange(how, there.path, there.key, change.old_path, change.key, change.before, there.after))
    return made


def _grouped(
    changes: Iterable[SymbolChange], same: Callable[[SymbolRow, str], Hashable]
) -> Mapping[Hashable, list[SymbolChange]]:
    found: dict[Hashable, list[SymbolChange]] = {}
    for change in changes:
        if change.row is not None and (key := same(change.row, change.path)):
            found.setdefault(key, []).append(change)
    return found


# What a removed and an added symbol have in common that are one, the surest first: content that is long enough to be no
# accident; short content in one file; the same with the name, for members of a renamed class.
_SAME: tuple[Callable[[SymbolRow, str], Hashable], ...] = (
    lambda row, path: (row.kind, row.hash) if row.end_byte - row.start_byte >= TELLING_BYTES else None,
    lambda row, path: (row.kind, row.hash, path),
    lambda row, path: (row.kind, row.hash, path, row.name),
)
