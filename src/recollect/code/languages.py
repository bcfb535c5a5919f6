"""Languages: one row each. What is said of a language anywhere is said here or in its query file.

A row names the grammar, the file names that announce the language, and the few facts that queries cannot express: what
counts as a comment, a string and a branch, how names are joined, whether layout is part of the code, who may see what.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

Layout = Literal["free", "lines"]
NameRule = Literal["underscore", "capital", ""]


class Language(NamedTuple):
    """A language: how to recognise it, parse it and read its trees."""

    name: str
    grammar: str  # module that holds the grammar; see `grammar.load`
    extensions: tuple[str, ...]
    entry: str = "language"  # function of that module which returns the grammar
    query: str = ""  # stem of the query file where it is not the name
    files: tuple[str, ...] = ()  # whole names of files
    shebangs: tuple[str, ...] = ()  # interpreters, without version
    comments: tuple[str, ...] = ("(comment)",)  # node types that the normal form leaves out
    strings: tuple[str, ...] = ()  # node types whose white space is part of the code
    branches: tuple[str, ...] = ()  # query patterns: keywords or nodes that choose or repeat
    separator: str = "."
    splits: str = ""  # characters that join an owner to a name inside a definition's name: `A::f`, `M.f`
    layout: Layout = "free"  # lines: line ends, and whether there is white space, are part of the code
    blocks: tuple[str, ...] = ()  # node types that end where indentation does, without a closing word or bracket
    marks: tuple[tuple[str, str], ...] = ()  # words before a name → who may see it
    names: NameRule = ""  # what the shape of a name says about that
    default: str = "public"  # what is not marked, at the top of a file
    members: str = "public"  # … and inside a type
    types: frozenset[str] = frozenset()  # built-in types: no reference worth keeping
    document: bool = False  # headings and keys instead of code


LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        grammar="tree_sitter_python",
        extensions=(".py", ".pyi", ".pyw"),
        files=("SConstruct", "SConscript", "wscript"),
        shebangs=("python", "pypy"),
        strings=("(string_content)",),
        branches=('"if"', '"elif"', '"for"', '"while"', '"match"'),
        blocks=("(block)",),
        names="underscore",
        types=frozenset("int str float bool bytes None list dict set tuple object Any type complex".split()),
    ),
)

BY_NAME: dict[str, Language] = {language.name: language for language in LANGUAGES}
BY_EXTENSION: dict[str, Language] = {
    extension: language for language in reversed(LANGUAGES) for extension in language.extensions
}
BY_FILE: dict[str, Language] = {file: language for language in LANGUAGES for file in language.files}
BY_SHEBANG: dict[str, Language] = {shell: language for language in LANGUAGES for shell in language.shebangs}

SHEBANG = re.compile(rb"#!\s*\S*?([^/\s]+)(?:[ \t]+(?:-\S+[ \t]+)*([^\s/]+))?")


def detect(path: str, head: bytes) -> Language | None:
    """Return the language of a file from its name and its first bytes, or None where it is not one of ours.

    head: the beginning of the file; a kilobyte is enough. Bytes that no text has make it a binary file: None.
    """
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    name = PurePosixPath(path.replace("\\", "/")).name
    dot = name.rfind(".")
    found = BY_FILE.get(name) or BY_EXTENSION.get(name[dot:].lower() if dot >= 0 else "")
    return found or (_by_shebang(head) if dot <= 0 else None)


def _by_shebang(head: bytes) -> Language | None:
    match = SHEBANG.match(head)
    if not match:
        return None
    program = (match[2] if match[1] == b"env" and match[2] else match[1]).decode("ascii", "replace")
    return BY_SHEBANG.get(program) or BY_SHEBANG.get(program.rstrip("0123456789."))
