"""Indexer: the functions and types of source files, as dictionaries."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, NamedTuple

from memory_lib.database_file import iso
from recollect.engine import SourceEntity, read_source, source_files
from recollect.errors import InvalidInput
from recollect.files import open_file

logger = logging.getLogger(__name__)

BLOCK_BYTES = 1 << 20


class Indexed(NamedTuple):
    """An entity as the document writes it, and what else is known about it."""

    entity: dict[str, Any]
    metadata: dict[str, Any]


class CodeIndexer:
    """Parses source code and stores nothing. The file name decides the language."""

    def index_file(self, file_path: str) -> list[dict[str, Any]]:
        """Return the functions and types of a file, in its order.

        Raises FileNotFoundError, and ValueError if the file is not source code.
        """
        return [row.entity for row in self.read_file(file_path)]

    def index_directory(
        self, directory: str, exclude_patterns: list[str] | None = None, recursive: bool = True
    ) -> list[dict[str, Any]]:
        """Return the functions and types of all source files of a folder, file by file.

        An unreadable file is skipped with a warning in the log. Raises NotADirectoryError.

        exclude_patterns: globs of paths to exclude, such as */tests/*; .gitignore always applies
        """
        return [row.entity for _, rows in self.read_directory(directory, exclude_patterns, recursive) for row in rows]

    def compute_file_hash(self, file_path: str) -> str:
        """Return the SHA-256 of a file's content, in hexadecimal."""
        digest = hashlib.sha256()
        with open_file(file_path) as file:
            while block := file.read(BLOCK_BYTES):
                digest.update(block)
        return digest.hexdigest()

    def read_file(self, file_path: str) -> list[Indexed]:
        """Return the entities of a file, as `index_file`, with what else is known about them."""
        path = Path(file_path)
        if not path.exists():
            raise FileNotFoundError(f"no such file: {file_path}")
        try:
            source = read_source(str(path))
        except InvalidInput as problem:
            raise ValueError(f"unsupported file type: {problem.message}") from problem
        changed = iso(path.stat().st_mtime)
        return [
            Indexed(_entity(str(file_path), each, source.language, source.imports, changed), _metadata(each))
            for each in source.entities
        ]

    def read_directory(
        self, directory: str, exclude_patterns: list[str] | None = None, recursive: bool = True
    ) -> Iterator[tuple[str, list[Indexed]]]:
        """Yield the path and the entities of each source file of a folder, as `index_directory`."""
        root = Path(directory)
        for listed in source_files(str(directory), recursive=recursive):
            path = root / listed.name
            if _is_excluded(path, listed.path, exclude_patterns or ()):
                continue
            try:
                yield path.as_posix(), self.read_file(path.as_posix())
            except (OSError, ValueError) as problem:
                logger.warning("%s skipped: %s", path, problem)


def _entity(path: str, each: SourceEntity, language: str, imports: Iterable[str], changed: str) -> dict[str, Any]:
    return {
        "file_path": path,
        "entity_name": each.name,
        "code_snippet": each.code,
        "docstring": each.docstring,
        "signature": each.signature,
        "language": language,
        "dependencies": list(each.dependencies),
        "imports": list(imports),
        "complexity": each.complexity,
        "last_modified": changed,
    }


def _metadata(each: SourceEntity) -> dict[str, Any]:
    lines = {"start_line": each.start_line, "end_line": each.end_line}
    decorators = {"decorators": list(each.decorators)} if each.decorators else {}
    return {"kind": each.kind.lower(), "qualified_name": each.qualified, **lines, **decorators}


def _is_excluded(path: Path, inside: str, patterns: Iterable[str]) -> bool:
    """Tell whether a path matches a glob from its folder on or as it was named.

    Where the folder itself lies counts only for a pattern that begins there: a project below a folder `tests` is none.
    """
    names = [f"/{inside}", inside, path.name] + ([] if path.is_absolute() else [path.as_posix()])
    return any(
        fnmatch(name, pattern)
        for pattern in patterns
        for name in ([path.absolute().as_posix(), *names] if pattern.startswith("/") else names)
    )
