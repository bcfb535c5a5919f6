"""The schema as numbered SQL files, applied in order, forward only.

`NNNN_name.sql` is portable; `NNNN_name.<dialect>.sql` follows it on that database alone. A database's schema version
is the number of migrations it has seen, so a file is never edited once released: the next one amends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# "reco": tells our files from those of other programs.
APPLICATION_ID = 0x7265636F

_FOLDER = Path(__file__).parent


class Migration(NamedTuple):
    """One step of the schema."""

    name: str

    def statements(self, dialect: str) -> Iterator[str]:
        """Yield the SQL statements of this step for a dialect."""
        for file in (_FOLDER / f"{self.name}.sql", _FOLDER / f"{self.name}.{dialect}.sql"):
            if file.exists():
                yield from split(file.read_text(encoding="utf-8"))


# In the order of their numbers; one may have several files.
MIGRATIONS: tuple[Migration, ...] = tuple(
    map(Migration, sorted({file.name.partition(".")[0] for file in _FOLDER.iterdir() if file.suffix == ".sql"}))
)


def split(sql: str) -> Iterator[str]:
    """Yield the statements of a script; each ends with a semicolon at the end of a line, outside a comment."""
    lines: list[str] = []
    for line in sql.splitlines():
        code = line.split("--", 1)[0].rstrip()
        if code.strip():
            lines.append(code)
        if code.endswith(";"):
            yield "\n".join(lines)
            lines = []
