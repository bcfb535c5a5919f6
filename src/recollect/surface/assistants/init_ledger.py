"""The ledger of `init`: what it added to which file, so that `uninit` removes that and nothing else.

    <home>/backups/ledger.json     one row per file
    <home>/backups/<name>          the file as it was before we first touched it, readable by its owner alone

A row is written before its file, so it may describe an entry that was never written; removing a missing entry changes
nothing.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from recollect.errors import ConfigError, InvalidInput
from recollect.files import PRIVATE_FILE, private_folder, read_file
from recollect.parsing import parse_json
from recollect.surface.assistants.settings_file import put

Keys = tuple[str, ...]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of one file.

    made: the file is new. blank: it contained only this white space. created: new containers; gaps: the white space of
    empty ones, by path. inserted: our members. replaced: the text of values that were there before ours.
    text: what was appended to a TOML file. backup: the name of its copy, if there was anything to copy.
    toolset: what the user chose; empty: the assistant's default
    """

    assistant: str
    scope: str
    made: bool = False
    blank: str = ""
    created: tuple[Keys, ...] = ()
    gaps: tuple[tuple[Keys, str], ...] = ()
    inserted: tuple[Keys, ...] = ()
    replaced: tuple[tuple[Keys, str], ...] = ()
    text: str = ""
    backup: str = ""
    toolset: str = ""


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the ledger: rows by path of the file, and the folders that were created."""

    files: dict[str, Row] = {}
    folders: tuple[str, ...] = ()


class Ledger:
    """The ledger of a home folder; every change is on disk when the call returns."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "backups"
        self.path = self.folder / "ledger.json"
        self._pages = self._read()

    def _read(self) -> Pages:
        try:
            pages: Pages = parse_json(read_file(self.path), kind=Pages)
            return pages
        except (FileNotFoundError, NotADirectoryError):
            return Pages()
        except (OSError, InvalidInput) as problem:
            raise ConfigError(
                f"{self.path} cannot be read: {problem}",
                hint="It lists what init added to which file. Delete it to continue without: uninit then finds entries "
                "by the command they start.",
                path=str(self.path),
            ) from None

    def row(self, path: Path) -> Row | None:
        """Return what was done to a file, or None."""
        return self._pages.files.get(str(path))

    def note(self, path: Path, row: Row, before: bytes | None) -> None:
        """Record what will be done to a file, and copy the file if this is the first time."""
        backup = row.backup
        self.make_folder(self.folder, private=True)
        if before is not None and not backup:
            backup = f"{sha256(str(path).encode()).hexdigest()[:12]}-{path.name}"
            put(self.folder / backup, before, mode=PRIVATE_FILE)
        self._write({**self._pages.files, str(path): msgspec.structs.replace(row, backup=backup)})

    def forget(self, path: Path) -> None:
        """Delete the row of a restored file, and its copy."""
        files = dict(self._pages.files)
        row = files.pop(str(path), None)
        if row and row.backup:
            (self.folder / row.backup).unlink(missing_ok=True)
        self._write(files)

    def make_folder(self, folder: Path, *, private: bool = False) -> None:
        """Create a folder and those above it, and record the new ones."""
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        if not missing:
            return
        if private:
            private_folder(folder)
        else:
            folder.mkdir(parents=True, exist_ok=True)
        made = {*self._pages.folders, *map(str, missing)}
        self._pages = msgspec.structs.replace(self._pages, folders=tuple(sorted(made)))
        if self.folder.exists():
            self._write(self._pages.files)

    def tidy(self) -> None:
        """Remove empty folders that we created, and the ledger itself if it has no rows."""
        if not self._pages.files:
            self.path.unlink(missing_ok=True)
        left = []
        for name in sorted(self._pages.folders, key=len, reverse=True):
            try:
                Path(name).rmdir()
            except FileNotFoundError:
                continue
            except OSError:  # in use: ours to remove only while it has files of ours
                ours = [str(self.path), *self._pages.files] if self._pages.files else []
                if any(file.startswith(name + os.sep) for file in ours):
                    left.append(name)
        self._pages = msgspec.structs.replace(self._pages, folders=tuple(sorted(left)))
        if self._pages.files:
            self._write(self._pages.files)

    def _write(self, files: dict[str, Row]) -> None:
        self._pages = msgspec.structs.replace(self._pages, files=files)
        content = msgspec.json.format(msgspec.json.encode(self._pages), indent=1) + b"\n"
        put(self.path, content, mode=PRIVATE_FILE)
