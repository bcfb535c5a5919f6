"""The ledger of `init`: what it added to which file, so that `uninit` removes that and nothing else.

    <home>/backups/ledger.json     one row per file
    <home>/backups/<name>          the file without our entries, readable by its owner alone

`uninit` restores the copy if the file is as `init` left it; otherwise it cuts our entries out of the file. A row is
written before its file, so it may describe an entry that was never written; removing a missing entry changes nothing.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from recollect.errors import ConfigError, InvalidInput
from recollect.files import PRIVATE_FILE, private_folder, read_file, replace_file
from recollect.parsing import parse_json


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of one file.

    wrote: the digest of the file as init left it. backup: the name of its copy without our entries; empty: the file is
    new. toolset: what the user chose; empty: the assistant's default
    """

    assistant: str
    scope: str
    wrote: str = ""
    backup: str = ""
    toolset: str = ""


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the ledger: rows by path of the file, and the folders that were created."""

    files: dict[str, Row] = {}
    folders: tuple[str, ...] = ()


def digest(content: bytes) -> str:
    """Return a digest that tells whether a file has changed."""
    return sha256(content).hexdigest()


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

    def original(self, path: Path, now: bytes) -> bytes | None:
        """Return a file as it was before init (None: it was not there).

        Raises LookupError if others changed it, or if its copy cannot be read.
        """
        row = self.row(path)
        if row is None or row.wrote != digest(now):
            raise LookupError(path)
        try:
            return read_file(self.folder / row.backup) if row.backup else None
        except OSError:
            raise LookupError(path) from None

    def note(self, path: Path, row: Row, original: bytes | None, after: bytes | None) -> None:
        """Record what will be written into a file, and keep it as it is without our entries."""
        backup = ""
        self.make_folder(self.folder, private=True)
        if original is not None:
            backup = f"{sha256(str(path).encode()).hexdigest()[:12]}-{path.name}"
            replace_file(self.folder / backup, original, mode=PRIVATE_FILE)
        noted = msgspec.structs.replace(row, backup=backup, wrote=digest(after or b""))
        self._write({**self._pages.files, str(path): noted})

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
        replace_file(self.path, content, mode=PRIVATE_FILE)
