"""Team recall: a search is also answered by the team server, and both answers become one.

search ─┬─► local stages ──────────────┬─► merged by score ─► hits, marked by origin
        └─► team server, in a thread ──┘   after a deadline: the local answer alone, with a note
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from recollect.engine.context import Context
from recollect.engine.memory.team_outbox import MAX_CHARACTERS, TeamOutbox
from recollect.engine.records.memory_rows import content_hash
from recollect.engine.retrieval.query_arguments import Asked
from recollect.errors import RecollectError
from recollect.model import Hit, Recall
from recollect.model.recall_answer import EVIDENCE

SILENT = "the team server did not answer: these are local memories only"
REFUSED = "the team server refused team_token or the name in team_projects: these are local memories only"
# After a failure the server is not asked for so long: a search would wait for it each time.
PAUSE_S = 30.0
# Requests that came too late and still run.
MAX_RUNNING = 4
# Projects of one question that is asked about all.
MAX_PROJECTS = 8
TEAM = "team"


class TeamAnswer:
    """The answer of the server to one question, once it is there. None: it has failed, or is not there yet."""

    def __init__(self) -> None:
        self.started_at = time.monotonic()
        self.done = threading.Event()
        self.hits: tuple[Hit, ...] | None = None
        self.failure = SILENT


class TeamRecall:
    """Asks the team server beside the local store."""

    def __init__(self, context: Context, outbox: TeamOutbox) -> None:
        self._outbox = outbox
        self._deadline_s = context.settings.team_deadline_ms / 1000
        self._resume_at = 0.0
        self._free = threading.Semaphore(MAX_RUNNING)

    def ask(self, asked: Asked, **arguments: Any) -> TeamAnswer | None:
        """Ask the server in a thread; None if the question is about no project that lives there."""
        projects = self._projects(asked.where or {})
        if not projects:
            return None
        answer = TeamAnswer()
        if time.monotonic() < self._resume_at or not self._free.acquire(blocking=False):
            answer.done.set()
            return answer
        given = {"query": asked.text, "limit": asked.limit, "as_of": asked.as_of, "archived": asked.archived}
        given |= {name: value for name, value in arguments.items() if value not in (None, ())} | {"code": False}
        given = {name: value for name, value in given.items() if value is not None}
        work = threading.Thread(target=self._answer, args=(answer, projects, given), name="recollect-ask", daemon=True)
        work.start()
        return answer

    def merged(self, found: Recall, answer: TeamAnswer | None, limit: int) -> Recall:
        """Return both answers as one; without the server's, after the deadline, the local one with a note."""
        if answer is None:
            return found
        answer.done.wait(max(0.0, answer.started_at + self._deadline_s - time.monotonic()))
        if answer.hits is None:
            return msgspec.structs.replace(found, notes=(*found.notes, answer.failure))
        copies = self._outbox.copies(hit.memory.id for hit in found.hits)
        overtaken = self._outbox.overtaken()
        theirs = [hit for hit in answer.hits if hit.memory.id not in overtaken]
        hits = merge(found.hits, theirs, copies)[:limit]
        is_evidence = all(hit.memory.observed for hit in hits)
        notes = tuple(note for note in found.notes if is_evidence or note != EVIDENCE)
        return msgspec.structs.replace(found, hits=hits, notes=notes)

    def _projects(self, where: Mapping[str, Any]) -> dict[str, str]:
        """Return the projects of a question that live on the server, with their names there."""
        known = self._outbox.client.projects
        scope = where.get("namespace", tuple(known)) if known else ()
        names = scope if isinstance(scope, tuple) else (scope,)
        return dict([(name, known[name]) for name in names if name in known][:MAX_PROJECTS])

    def _answer(self, answer: TeamAnswer, projects: Mapping[str, str], arguments: Mapping[str, Any]) -> None:
        try:
            lists = [
                [checked(hit, local) for hit in self._outbox.client.recall({**arguments, "project": remote}).hits]
                for local, remote in projects.items()
            ]
            answer.hits = tuple(sorted((hit for each in lists for hit in each), key=lambda hit: -hit.score))
        except RecollectError as problem:
            answer.failure = REFUSED if problem.details.get("status") in (401, 403) else SILENT
            self._resume_at = time.monotonic() + PAUSE_S
        finally:
            self._free.release()
            answer.done.set()


def checked(hit: Hit, project: str) -> Hit:
    """Return a hit of the server as one of a local project: it claims no other one, and no trust beyond its score."""
    content = hit.memory.content[:MAX_CHARACTERS]
    memory = msgspec.structs.replace(
        hit.memory, content=content, content_hash=content_hash(content), namespace=project, metadata={}, branch=None
    )
    score = min(1.0, max(0.0, hit.score))
    return msgspec.structs.replace(hit, memory=memory, score=score, origin=TEAM, passage=None, times=(), branch=None)


def merge(local: Sequence[Hit], team: Sequence[Hit], copies: Mapping[str, str]) -> tuple[Hit, ...]:
    """Return two ranked lists as one; each keeps its order.

    Both come from the same engine, whose scores are calibrated to how likely a hit answers the question. So the better
    head of the two lists is next; a local one first if they are equal.
    copies: local memories that the server has: only its own version of them counts
    """
    if team and all(hit.memory.observed for hit in local):
        local = ()  # evidence is shown only where nothing is known
    own = [hit for hit in local if hit.memory.id not in copies]
    known = {hit.memory.content_hash for hit in own} | {hit.memory.id for hit in own}
    others = [hit for hit in team if hit.memory.content_hash not in known and hit.memory.id not in known]
    merged: list[Hit] = []
    while own or others:
        merged.append(own.pop(0) if own and (not others or own[0].score >= others[0].score) else others.pop(0))
    return tuple(merged)
