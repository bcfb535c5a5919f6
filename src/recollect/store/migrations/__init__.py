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

_NAMES = (
    "0001_foundation",
    "0002_language_models",
    "0003_times",
    "0004_code",
    "0005_links",
    "0006_freshness",
    "0007_packages",
    "0008_capture",
    "0009_errands",
    "0010_branches",
    "0011_presence",
    "0012_transcripts",
    "0013_consolidation",
    "0014_usefulness",
    "0015_days",
    "0016_fewer_reads",
    "0017_observed",
    "0018_briefing",
    "0019_access_tokens",
    "0020_past_code",
    "0021_teams",
    "0022_confined",
    "0023_briefing_origins",
)


class Migration(NamedTuple):
    """One step of the schema."""

    name: str

    def statements(self, dialect: str) -> Iterator[str]:
        """Yield the SQL statements of this step for a dialect."""
        for file in (_FOLDER / f"{self.name}.sql", _FOLDER / f"{self.name}.{dialect}.sql"):
            if file.exists():
                yield from split(file.read_text(encoding="utf-8"))


MIGRATIONS: tuple[Migration, ...] = tuple(Migration(name) for name in _NAMES)


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
