"""Entities of source files on disk: the files of a folder, and what each defines.

Nothing is stored: this is for libraries that store code in their own way, without the index.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from recollect.code.index.exclusions import is_minified
from recollect.code.index.file_reader import HEAD_BYTES, as_utf8
from recollect.code.index.file_walk import real, walk
from recollect.code.index.languages import Language, detect
from recollect.code.index.source_entities import Entity as Entity
from recollect.code.index.source_entities import Source, entities
from recollect.errors import InvalidInput
from recollect.files import open_file, read_file

# As the index does by default (setting index_max_file_bytes): what is larger was not written by people.
MAX_FILE_BYTES = 2_097_152


class Listed(NamedTuple):
    """A source file of a folder: its path from there as text, and its name on disk."""

    path: str
    name: str


def read_source(path: str) -> Source:
    """Return what a source file defines. Raises OSError, and InvalidInput for other files."""
    source = read_file(path)
    language = _language(path, source)
    if language is None:
        raise InvalidInput(f"{path} is not a source file in a supported language", path=path)
    return entities(source, Path(path).as_posix(), language)


def source_files(directory: str, *, recursive: bool = True) -> list[Listed]:
    """Return the source files of a folder, by path.

    Without what a .gitignore in the folder says, what tools put there (node_modules, caches), what is minified or too
    large. Raises NotADirectoryError.
    """
    root = Path(directory)
    if not root.is_dir():
        raise NotADirectoryError(f"{directory} is not a folder")
    # Not as a work tree: a folder that a caller names is read even where the repository around it ignores it.
    found = walk(root.resolve(), is_git=False, max_bytes=MAX_FILE_BYTES).files
    listed = [Listed(each.path, real(each.path)) for each in found if recursive or "/" not in each.path]
    return [each for each in listed if _is_source(root / each.name)]


def _is_source(path: Path) -> bool:
    try:
        with open_file(path) as file:
            head = file.read(HEAD_BYTES)
            language = _language(path.name, head)
            return language is not None and not is_minified(head + file.read(), language.name)
    except OSError:
        return False


def _language(path: str, source: bytes) -> Language | None:
    found = detect(path, as_utf8(source)[:HEAD_BYTES])
    return None if found is None or found.document else found
