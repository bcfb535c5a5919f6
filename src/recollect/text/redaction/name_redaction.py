"""Naming: ids, namespaces and labels, checked for secrets.

Content that holds a secret is kept with a mark in its place. A name cannot be changed so: others refer to it. Names of
our own are refused; those of other programs are replaced. Most names cannot be a secret, and the patterns are not
loaded for them: a prompt waits for its session's id.
"""

from __future__ import annotations

import re

# The shortest tokens have 16 characters; between separators these have fewer, and nothing that divides key and value.
_SHORT = re.compile(r"[\w .+-]{0,15}")
# UUIDs and hashes.
_HEXADECIMAL = re.compile(r"[0-9A-Fa-f-]{0,64}")


def holds_secret(name: str) -> bool:
    """Tell whether a name, an id or a path holds a secret."""
    return without_secrets(name) != name


def without_secrets(name: str) -> str:
    """Return a name with every secret in it replaced by a mark of its kind."""
    if _HEXADECIMAL.fullmatch(name) or all(_SHORT.fullmatch(part) for part in name.split("/")):
        return name
    from recollect.text.redaction.redact import redact

    return redact(name).text
