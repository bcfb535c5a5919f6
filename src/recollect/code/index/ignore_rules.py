"""Match paths against rules in the syntax of .gitignore.

git itself applies .gitignore where it can. This module serves folders without git, and `.recollectignore`. Rules of a
deeper folder have priority, and within one file the last match. All files of an ignored folder are ignored.

Rules are untrusted. A rule becomes an expression without backtracking: after `*` and `**` the first match is final,
which is correct because what follows has a fixed length. So matching is linear in the path and the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

OURS = ".recollectignore"
GITS = ".gitignore"

# Bytes read of a file of rules: 100 kB are some thousand rules.
MAX_RULES_BYTES = 1_000_000
# The longest path that systems allow; a longer rule matches nothing.
MAX_RULE = 4096

_CLASS = re.compile(r"\[(?P<not>[!^]?)(?P<body>\]?(?:\[:\w+:\]|\\.|[^\]\\])*+)\]", re.DOTALL)
_NAMED = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "xdigit": "0-9a-fA-F",
    "space": r"\s", "punct": r"!-/:-@\[-`{-~", "blank": r" \t",
}  # fmt: skip


class Rule(NamedTuple):
    """One line: an expression for paths, whether it re-includes them, and whether it is for folders only."""

    form: re.Pattern[str]
    is_negated: bool
    is_folder: bool


class Rules:
    """The rules of a folder, on top of those of the folders above."""

    __slots__ = ("_above", "_prefix", "_rules")

    def __init__(self, rules: list[Rule], prefix: str, above: Rules | None) -> None:
        self._rules = rules[::-1]
        self._prefix = prefix
        self._above = above

    def decide(self, path: str) -> bool | None:
        """Tell whether a path from the root is ignored; None without a rule. A folder ends with a slash."""
        name = path[len(self._prefix) :]
        is_folder, name = name.endswith("/"), name.rstrip("/")
        for form, is_negated, means_folder in self._rules:
            if is_folder >= means_folder and form.fullmatch(name):
                return not is_negated
        return self._above.decide(path) if self._above is not None else None


def rules(texts: Iterable[bytes], prefix: str, above: Rules | None) -> Rules | None:
    """Return the rules for the folder `prefix` (from the root, with a final slash), given its rule files."""
    lines = [line for text in texts for line in text[:MAX_RULES_BYTES].decode("utf-8", "replace").split("\n")]
    found = [rule for line in lines if (rule := _rule(line.rstrip("\r"))) is not None]
    return Rules(found, prefix, above) if found else above


def is_ignored(path: str, decide: Rules | None) -> bool:
    """Tell whether a file is ignored itself or lies in an ignored folder."""
    if decide is None:
        return False
    end = path.find("/")
    while end >= 0:
        if decide.decide(path[: end + 1]):
            return True
        end = path.find("/", end + 1)
    return bool(decide.decide(path))


# --- one line ---


def _rule(line: str) -> Rule | None:
    """Return the rule of a line; None for a comment or an invalid rule."""
    bare = line.rstrip(" ")
    line = f"{bare} " if bare.endswith("\\") and bare != line else bare  # an escaped blank stays
    is_negated = line.startswith("!")
    text = line[is_negated:]
    is_folder = text.endswith("/")
    text = re.sub(r"(?:\*\*/)++", "**/", text.removesuffix("/"))
    if not text or line.startswith("#") or len(text) > MAX_RULE:
        return None
    parts = text.removeprefix("/").split("/") if "/" in text else ["**", text]
    try:
        return Rule(re.compile(_path_form(parts), re.DOTALL), is_negated, is_folder)
    except (re.error, OverflowError):
        return None


def _path_form(parts: list[str]) -> str:
    """Return the expression of a rule's parts; the part between two `**` takes its first match."""
    groups: list[list[str]] = [[]]
    for part in parts:
        if part != "**":
            groups[-1].append(_part_form(part))
        elif groups[-1] or len(groups) == 1:
            groups.append([])
    first, *others = ["/".join(group) for group in groups]
    if not others:
        return first
    *middle, last = others
    form = f"{first}/" if first else ""
    form += "".join(f"(?>(?:[^/]++/)*?{group}/)" for group in middle)
    return form + (f"(?:[^/]++/)*{last}" if last else ".+")


def _part_form(part: str) -> str:
    """Return the expression of a part between two slashes."""
    pieces = [""]
    for piece in _pieces(part):
        if piece == "*":
            pieces.append("")
        else:
            pieces[-1] += piece
    first, *others = pieces
    if not others:
        return first
    *middle, last = others
    found = "".join(f"(?>[^/]*?{piece})" for piece in middle if piece)
    return f"(?>{first}{found}[^/]*{last}(?=/|\\Z))"


def _pieces(part: str) -> Iterator[str]:
    """Yield the expressions of single characters, and `*`."""
    at = 0
    while at < len(part):
        sign = part[at]
        group = _CLASS.match(part, at) if sign == "[" else None
        if group is not None:
            yield _class_form(group)
            at = group.end()
            continue
        if sign == "[":
            raise re.error("a set without an end")
        if sign == "\\":
            at += 1
            sign = part[at : at + 1]
            if not sign:
                raise re.error("a backslash at the end")
            yield re.escape(sign)
        else:
            yield {"*": "*", "?": "[^/]"}.get(sign, re.escape(sign))
        at += 1


def _class_form(group: re.Match[str]) -> str:
    body = re.sub(r"\[:(\w+):\]|\\(.)|([\[\]&~|^])", _member, group["body"], flags=re.DOTALL)
    return f"(?!/)[{'^' if group['not'] else ''}{body}]"


def _member(found: re.Match[str]) -> str:
    if found[1]:
        return _NAMED.get(found[1], "")
    return "\\" + (found[2] or found[3]) if not (found[2] or "").isalnum() else found[2]
