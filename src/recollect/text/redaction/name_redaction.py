"""Secrets in ids, namespaces and labels. Most names cannot hold one, and load no patterns: a prompt waits for them."""

from __future__ import annotations

import re

# Shorter than any token, without a separator of key and value.
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
