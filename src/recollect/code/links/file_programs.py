"""Programs of files: from source to packed program, with what other files need to know of it.

bytes ──front end of its language──► Unit ──► packed
                                         └──► Offer: names it offers, modules it imports, names it does not know
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module

import msgspec

from recollect.code.index.extract import extract, outline
from recollect.code.index.file_reader import HEAD_BYTES, Task, as_utf8, content_of, read
from recollect.code.index.file_walk import real
from recollect.code.index.languages import BY_NAME, LANGUAGES, Language, detect
from recollect.code.index.parallel_reader import Translated
from recollect.code.index.symbols import Extracted, Outline, Symbol
from recollect.code.links.interface_summary import add_names, digest, summary
from recollect.code.links.module_finder import FAMILIES, SEPARATORS, VISIBLE
from recollect.code.links.named_uses import with_uses
from recollect.code.links.program import Assign, Code, Export, Import, Name, Unit, Unparsed, packed
from recollect.store.code_rows import IndexedFile, Touched, symbol_keys
from recollect.text.redaction.redact import masked

# Languages with a front end of their own; all others that have programs are read by `generic_reader`.
FRONT_ENDS: dict[str, str] = {
    "python": "python_programs",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "javascript_programs"),
    "java": "java_programs",
}
# What has symbols and no program: nothing in it calls anything.
WITHOUT_PROGRAM = frozenset(language.name for language in LANGUAGES if language.document) | {"sql"}

FrontEnd = Callable[[bytes, str, Sequence[Symbol]], Unit]

_symbols = msgspec.msgpack.Decoder(list[Symbol])
_encode = msgspec.msgpack.Encoder().encode


class Offer(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Facts about a program, available without reading it.

    names: what it offers at its top, in its order
    modules: what it imports from, each once, with the level and the imported names, which may be modules in it
    unknown: names that it uses and neither defines nor imports, where its language sees such names elsewhere
    digest: of its interface summary
    """

    language: str
    package: str = ""
    names: tuple[str, ...] = ()
    modules: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    unknown: tuple[str, ...] = ()
    digest: bytes = b""


_offer = msgspec.msgpack.Decoder(Offer)


def has_program(language: str | None) -> bool:
    """Tell whether files of a language are linked."""
    return language is not None and language in BY_NAME and language not in WITHOUT_PROGRAM


def translate(root: str, task: Task, max_bytes: int) -> Translated:
    """Return the program of a file on disk; never raises for its content."""
    try:
        source, _ = content_of(f"{root}/{real(task.path)}", max_bytes)
    except OSError as problem:
        return Translated(task.path, "", note=problem.strerror or str(problem))
    if source is None or len(source) > max_bytes:
        return Translated(task.path, "", note="the file is gone or unreadable")
    return translated(task.path, source, task.symbols if hashlib.sha256(source).hexdigest() == task.hash else b"")


def read_both(root: str, task: Task, max_bytes: int) -> tuple[IndexedFile | None, Touched | None, Translated | None]:
    """Return the index entry and the program of a file, which is read and parsed once."""
    sources: list[tuple[bytes, Language, Outline | Extracted]] = []

    def outliner(source: bytes, path: str, language: Language) -> Outline:
        is_generic = language.name not in FRONT_ENDS and has_program(language.name)
        found = (extract if is_generic else outline)(source, path, language)
        sources.append((source, language, found))
        return Outline(found.symbols, found.notes)

    file = read(root, task, max_bytes, outliner)
    if isinstance(file, Touched):
        return None, file, None
    program = None
    for source, language, found in sources:
        if has_program(language.name):
            program = _program(task.path, file.hash, source, language, found)
    return file, None, program


def translated(path: str, source: bytes, symbols: bytes = b"") -> Translated:
    """Return the program of a file, given its content and its packed symbols."""
    file_hash = hashlib.sha256(source).hexdigest()
    source = masked(as_utf8(source))
    language = detect(path, source[:HEAD_BYTES])
    if language is None or not has_program(language.name):
        return Translated(path, file_hash, note="no program")
    return _program(path, file_hash, source, language, Outline(_symbols.decode(symbols), []) if symbols else None)


def _program(
    path: str, file_hash: str, source: bytes, language: Language, found: Outline | Extracted | None
) -> Translated:
    """Return the program of a masked source; what the index found in it is not read again."""
    try:
        unit, symbols, note = _read(path, source, language, found)
        keys = symbol_keys(symbols)
        seen = summary(unit)
        known = msgspec.structs.replace(offer(unit), digest=digest(seen, keys))
        return Translated(path, file_hash, _encode(known), packed(seen, keys), packed(unit, keys), note)
    except Exception as problem:  # one file must not end the others; it stays without links
        return Translated(path, file_hash, note=f"could not be parsed ({type(problem).__name__}: {problem})")


def _read(
    path: str, source: bytes, language: Language, found: Outline | Extracted | None
) -> tuple[Unit, Sequence[Symbol], str]:
    """Return a program, the symbols that its scopes refer to, and what is missing in it."""
    note = ""
    if language.name in FRONT_ENDS:
        symbols = (found or outline(source, path, language)).symbols
        try:
            unit = front_end(language.name)(source, path, symbols)
            return unit if language.name == "python" else with_uses(unit, symbols, source), symbols, ""
        except Unparsed as problem:
            note = f"{problem}; its calls are linked by names alone"
    from recollect.code.links import generic_reader

    extracted = found if isinstance(found, Extracted) else extract(source, path, language)
    unit = generic_reader.unit(source, path, language, extracted)
    return with_uses(unit, extracted.symbols, source), extracted.symbols, note


def read_offer(content: bytes) -> Offer:
    """Return what a program offers, from its bytes."""
    return _offer.decode(content)


def offer(unit: Unit) -> Offer:
    """Return what others need to know of a program."""
    top = unit.scopes[0].body if unit.scopes else ()
    names: dict[str, None] = {}
    modules: dict[tuple[str, int], dict[str, None]] = {}
    bound: set[str] = set()
    for each in [statement for scope in unit.scopes for statement in scope.body if type(statement) is Import]:
        imported = modules.setdefault((each.module, each.level), {})
        if each.name and each.name != "*" and unit.language in SEPARATORS:
            imported[each.name] = None
        bound.add(each.alias or each.name or each.module)
    for statement in top:
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            bound.add(statement.target.name)
            if isinstance(statement.value, Code) and "private" not in unit.scopes[statement.value.scope].marks:
                names[statement.target.name] = None
        elif isinstance(statement, Export):
            names[statement.name] = None
    names |= dict.fromkeys(each.name for each in unit.constants if each.scope == 0)
    unknown: Iterable[str] = ()
    if FAMILIES.get(unit.language, unit.language) in VISIBLE:
        asked: set[str] = set()
        add_names(unit.scopes, asked)
        unknown = sorted(asked - bound)
    rows = [(module, level, tuple(imported)) for (module, level), imported in modules.items()]
    return Offer(unit.language, unit.package, tuple(names), tuple(rows), tuple(unknown))


def front_end(language: str) -> FrontEnd:
    """Return what reads the programs of a language of FRONT_ENDS."""
    found: FrontEnd = import_module(f"recollect.code.links.{FRONT_ENDS[language]}").unit
    return found
