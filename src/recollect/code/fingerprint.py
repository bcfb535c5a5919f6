"""What an index was made by: when reading changes, what was read before is worth nothing."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from recollect.text import identifiers, terms
from recollect.text.redaction import redact


@cache
def fingerprint() -> str:
    """Return a hash of everything that decides what is read from a file: our sources and queries, byte by byte.

    An index of another fingerprint is read anew by the next update. That is more often than needed, since a comment
    changes it, too, and never too seldom, which a number that people must remember to raise would be.
    """
    folder = Path(__file__).parent
    ours = [path for part in ("*.py", "manifests/*.py", "queries/*.scm") for path in folder.glob(part)]
    redaction = Path(redact.__file__).parent.glob("*.py")
    files = [*ours, *redaction, Path(identifiers.__file__), Path(terms.__file__)]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]
