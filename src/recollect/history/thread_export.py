"""Pull requests and issues from a JSON file, as `gh pr list --json …` and `gh issue list --json …` write it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from recollect import progress
from recollect.clock import RECORD_CPU_S, CpuLimitExceeded, cpu_limit
from recollect.errors import InvalidInput
from recollect.files import read_file
from recollect.history.change_worth import FLOOR, REJECTED, is_reason, is_rejection, kind, worth
from recollect.history.commit_message import body_sentences, read, says_nothing
from recollect.history.commits import NAMED_FILES, told
from recollect.history.history_record import Found, Source, moment
from recollect.text.display import day

# An export of 20,000 requests with their comments.
MAX_BYTES = 200 * 1024 * 1024
MAX_THREADS = 50_000
MAX_COMMENTS = 100
# Sentences of comments that are kept.
COMMENT_SENTENCES = 3
STEP = 50
# What a request that was refused with a reason is worth.
LESSON = 0.65

HINT = "Export it with: gh pr list --state all --limit 5000 --json number,title,body,mergedAt,url,files,comments > FILE"


class Threads(Source):
    """The pull requests and issues of an exported file."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        rows = _rows(self._path)
        for number, row in enumerate(rows):
            if number % STEP == 0:
                progress.report(number, len(rows), "reading pull requests and issues")
            try:
                with cpu_limit(RECORD_CPU_S):
                    found = _found(row)
            except CpuLimitExceeded:
                self.left_out.append(f"#{row.get('number')}")
                continue
            if found is not None and (since is None or found.at >= since):
                yield found


def _rows(path: str) -> Sequence[Mapping[str, Any]]:
    """Return the objects of a JSON array or of JSON lines. Raises InvalidInput."""
    try:
        raw = read_file(Path(path).expanduser(), most=MAX_BYTES)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InvalidInput(f"from_json: {path} cannot be read: {reason}", hint=HINT, path=path) from None
    try:
        told = msgspec.json.decode(raw) if raw.lstrip()[:1] == b"[" else [
            msgspec.json.decode(line) for line in raw.splitlines() if line.strip()
        ]  # fmt: skip
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidInput(f"from_json: {path} is neither a JSON array nor JSON lines", hint=HINT, path=path) from None
    rows = [row for row in told if isinstance(row, dict) and isinstance(row.get("title"), str)]
    if told and not rows:
        raise InvalidInput(f"from_json: {path} has no objects with a title and a number", hint=HINT, path=path)
    return rows[:MAX_THREADS]


def _found(row: Mapping[str, Any]) -> Found | None:
    number, url = _text(row.get("number")), _text(row.get("url"))
    title = " ".join(row["title"].split())[:300]
    subject = f"{title} (#{number})" if number else title
    message = read(f"{subject}\n\n{_text(row.get('body'))}")
    if not title or says_nothing(title):
        return None
    is_issue = "/issues/" in url or ("mergedAt" not in row and "files" not in row)
    is_refused = not is_issue and not row.get("mergedAt") and _text(row.get("state")).upper() in ("CLOSED", "")
    said = _comments(row)
    paths = [_text(file.get("path")) for file in _objects(row, "files")][:500]
    whole = message._replace(sentences=(*message.sentences, *said))
    what = REJECTED if is_refused and said else kind(whole)
    if what is None or (is_refused and not said) or (value := max(worth(whole, paths), LESSON * is_refused)) < FLOOR:
        return None
    at = next((when for name in _DATES if (when := moment(_text(row.get(name))))), 0)
    state = "issue" if is_issue else "pull request, closed without a merge" if is_refused else "pull request"
    lines = [told(whole), f"{state.capitalize()} #{number} of {day(at)}"]
    return Found(
        key=f"{'issue' if is_issue else 'pull'}:{number or url or title}",
        rule=what.rule,
        content="\n\n".join(lines),
        memory_type=what.memory_type,
        at=at,
        importance=what.importance,
        author=_text(row["author"].get("login"))[:100] or None if isinstance(row.get("author"), dict) else None,
        tags=("issue" if is_issue else "pull-request",),
        metadata={"number": number, "url": url[:500], "files": paths[:NAMED_FILES], "issues": list(message.issues)},
        worth=value,
        refers=tuple(dict.fromkeys((f"#{number}", *message.issues))),
    )


# When a thread ended, and else when it was last touched.
_DATES = ("mergedAt", "closedAt", "updatedAt", "createdAt")


def _comments(row: Mapping[str, Any]) -> list[str]:
    """Return the sentences of comments that decide: rejections first, then reasons, in the order they were said."""
    spoken = [
        sentence
        for comment in _objects(row, "comments")[-MAX_COMMENTS:]
        for sentence in body_sentences(_text(comment.get("body")))
        if is_reason(sentence) and not sentence.endswith("?")
    ]
    best = sorted(range(len(spoken)), key=lambda place: (not is_rejection(spoken[place]), -place))[:COMMENT_SENTENCES]
    return [f"Comment: {spoken[place]}" for place in sorted(best)]


def _objects(row: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    told = row.get(name)
    return [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
