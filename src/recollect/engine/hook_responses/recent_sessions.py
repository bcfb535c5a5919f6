"""Recent sessions of a project, and the work they left open.

A session is open if it was interrupted, if something still fails, or if its assistant called something unfinished. A
newer session closes it by asking for the same, by working on the same files, by being asked to go on and finishing, or
by making its failing commands succeed, unless something still fails. A commit of its files closes an interrupted one.
Finished sessions, questions and small talk are left out, and sessions whose end still waits in the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.capture.fixes import unresolved
from recollect.capture.invocation import kind
from recollect.capture.observation_lesson import listed
from recollect.capture.outcome import is_unfit
from recollect.capture.summary import CHANGING, SENTENCE, TELLS_TURNS, Progress, agrees, progress, task_words
from recollect.engine.hook_responses.context_block import Line, flat
from recollect.model import Observed, Session
from recollect.store.store_values import Range
from recollect.text.display import day
from recollect.text.paraphrases import statements
from recollect.text.questions import only_asks
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Sessions that are looked at: the latest that changed or ran something, and those between them. None is older: the one
# that finished it may be out of sight.
SESSIONS = 7
IDLE = 30
# Observations of each, the latest.
ROWS = 200
# Older interrupted sessions are not continued.
RECENT_S = 14 * 86_400
# Sessions whose files are at hand.
AT_HAND = 3
# Open sessions that are told.
TOLD = 3
FILES = 4
# Failures of a session that are told.
FAILING = 2
ASKED_CHARACTERS = 140
DETAIL_CHARACTERS = 160
# An answer of these words and of those of the failures says nothing more.
FAILED = "still fail failing failed failure error broken red yet not finish complete get done fix make pass work test"
# How a session ended whose assistant did not say so.
LEFT_OPEN = frozenset({"silence", "left"})
# How sessions end that were read from a transcript (importing/transcript_import.py): their answers are not kept.
TRANSCRIPT = "transcript"


class PastSession(NamedTuple):
    """An earlier session: its latest observations, and how far it got.

    is_ending: its end was not ingested yet. is_done: a newer session covers it
    """

    session: Session
    rows: list[Observed]
    progress: Progress
    is_ending: bool = False
    is_done: bool = False

    @property
    def state(self) -> str:
        """The state of a session that did not end normally; else empty."""
        if self.is_ending:
            return ""
        if self.session.ended_at is None:
            return "not ended"
        is_told = self.session.assistant in TELLS_TURNS and not self.session.ended_by.endswith(TRANSCRIPT)
        is_cut = is_told and not self.progress.answered
        return "interrupted" if is_cut or self.session.ended_by in LEFT_OPEN else ""


def past_sessions(
    store: Store, namespace: str | None, own: str, recent: Sequence[Observed], ending: Collection[str]
) -> list[PastSession]:
    """Return the last sessions of a project that did some work or were interrupted before it, newest first.

    own: the one that starts. recent: changes and commands of the project, newest first
    ending: sessions whose end was not ingested yet
    """
    since = clock.now() - RECENT_S
    worked = dict.fromkeys(row.session_id or "" for row in recent if row.at >= since)
    sessions = store.get(Session, [name for name in list(worked)[:SESSIONS] if name])
    if namespace is not None:
        # One that did nothing that a hook saw is told as long as those that did something.
        oldest = min([row.seen_at for row in sessions], default=since)
        idle_where = {"namespace": namespace, "seen_at": Range(oldest)}
        idle = store.find(Session, idle_where, order="-seen_at", limit=IDLE)
        sessions += [row for row in idle if row.id not in worked]
    found = []
    for session in (row for row in sessions if row.id != own):
        rows = store.find(Observed, {"session_id": session.id}, order="-id", limit=ROWS)
        done = progress(rows, lambda path: path.removeprefix(f"{namespace}/"))
        found.append(PastSession(session, rows, done, session.id in ending))
    found.sort(key=lambda past: -past.session.seen_at)
    return [
        past._replace(is_done=any(_covers(late, past) for late in found[:place]))
        for place, past in enumerate(found)
        if _is_work(past)
    ]


def used_files(pasts: Sequence[PastSession]) -> list[str]:
    """Return the files that the latest of these sessions changed, and then those that they read."""
    latest = [past.progress for past in pasts[:AT_HAND]]
    changed = [path for done in latest for path in done.changed]
    return list(dict.fromkeys((*changed, *(path for done in latest for path in done.read))))


def work_lines(
    pasts: Sequence[PastSession],
    branch: str,
    told: Collection[str],
    said: Callable[[str], bool],
    committed: Callable[[Sequence[str], int], bool],
    wrong: Collection[str] = (),
) -> Iterator[Line]:
    """Yield the sessions that are still open.

    branch: the one that is checked out. told: memories that this session was told already. said: whether a sentence
    stands in the briefing already. committed: whether all changes of files were committed after a time. wrong: failed
    runs of commands that another one replaced
    """
    failing = _failing((row for past in pasts for row in past.rows), wrong)
    found: list[tuple[PastSession, list[str]]] = []
    for place, past in enumerate(pasts):
        own = [row for row in failing if row.session_id == past.session.id]
        # Tests and builds say more of the work than other commands.
        fails = [row.told for row in sorted(own, key=lambda row: kind(row.target) not in ("other", "git"))]
        # A newer session that makes the failing commands of this one succeed does what it left, but for its changes.
        is_open = (past.progress.left or (past.state and past.progress.asked)) and (
            own or not _failing(past.rows, wrong)
        )
        is_left = is_open or (past.state and past.progress.changed)
        is_done = past.is_done or any(late.progress.continues and not late.state for late in pasts[:place][-1:])
        if past.is_ending or (not fails and (is_done or not is_left)):
            continue
        # The user may have finished it without an assistant.
        if not (past.state and past.progress.changed and committed(past.progress.changed, past.session.seen_at)):
            found.append((past, fails))
    new = [row for row in found if (row[0].session.insight_id or "") not in told]
    # Who was interrupted could not say what is left: the latest of these comes first, then what fails.
    first = next((row for row in new if row[0].state), None)
    for past, fails in sorted(new, key=lambda row: (row is not first, not row[1], not row[0].state))[:TOLD]:
        asked = ""
        for request in (past.progress.asked, *past.progress.before):
            parts = (part for part in SENTENCE.split(request) if not (asked or said(part) or agrees(part)))
            asked += " ".join(part if part.endswith((".", "!", "?", ":")) else f"{part}." for part in parts)
        if not (asked or fails or past.progress.changed or _names_code(" ".join(past.progress.left))):
            asked = past.progress.asked  # else nothing tells what it is about
        yield Line(_line(past, asked, fails, branch), past.session.insight_id or "", "session")


def _failing(rows: Iterable[Observed], wrong: Collection[str]) -> list[Observed]:
    """Return the failures that leave work open; instead of a wrong command, another one may have done it."""
    return [
        row for row in unresolved(rows) if row.tool not in CHANGING and row.id not in wrong and not is_unfit(row.told)
    ]


def _is_work(past: PastSession) -> bool:
    """Tell whether a session changed or ran something, left something, or was interrupted before it could."""
    done = past.progress
    if done.ran or done.left or not (past.state and done.asked):
        return bool(done.ran or done.left)
    return _names_code(done.asked) or bool(done.read and not only_asks(done.asked))


def _names_code(text: str) -> bool:
    return any(not word.isalpha() and any(sign in word[1:-1] for sign in "_./()") for word in text.split())


def _covers(late: PastSession, past: PastSession) -> bool:
    """Tell whether a newer session went on with an older one: asked for the same, or worked on the same files."""
    asked, before = late.progress.asked, past.progress.asked
    is_same = bool(before) and any(_asks_again(request, before) for request in (asked, *late.progress.before))
    if not _is_work(late):
        return is_same and not late.state
    if is_same or not set(late.progress.changed).isdisjoint(past.progress.changed):
        return True
    is_read = not set(late.progress.read).isdisjoint(past.progress.changed)
    return is_read and not set(query_terms(asked)).isdisjoint(query_terms(before))


def _asks_again(request: str, before: str) -> bool:
    """Tell whether a request has all words of an earlier one and few others, or most of them and no others."""
    words, known = task_words(request), task_words(before)
    both = words & known
    is_like = len(both) > 1 and both in (words, known) and 2 * len(both) >= len(words | known)
    return (is_like and not only_asks(request)) or (both == known and statements(before) <= statements(request))


def _line(past: PastSession, asked: str, fails: Sequence[str], branch: str) -> str:
    session, done = past.session, past.progress
    elsewhere = flat(session.branch, 60) if session.branch != branch else ""
    about = ", ".join(part for part in (session.assistant, elsewhere, past.state) if part)
    changed = flat(listed(list(done.changed), FILES), DETAIL_CHARACTERS) if done.changed else ""
    known = query_terms(" ".join((FAILED, past.progress.asked, *fails))) if fails else ()
    left = " ".join(part for part in done.left if not (fails and set(query_terms(part)).issubset(known)))
    parts = (
        flat(asked, ASKED_CHARACTERS).rstrip("."),
        f"Changed {changed}" if changed else "",
        f"Still failing: {'; '.join(flat(each, DETAIL_CHARACTERS) for each in fails[-FAILING:])}" if fails else "",
        f"Left: {flat(left, DETAIL_CHARACTERS)}" if left else "",
    )
    said = ". ".join(filter(None, parts)).replace("?. ", "? ").replace("!. ", "! ")
    return f"- {day(session.started_at)}" + (f" ({about})" if about else "") + f": {said}"
