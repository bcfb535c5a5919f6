"""Summaries of sessions by rules, and the progress that the briefing of the next session needs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.capture.fixes import pairs, unresolved
from recollect.capture.invocation import is_looking, kind
from recollect.capture.observation_lesson import code, line, listed
from recollect.model import Memory, Observed
from recollect.text.lazy_patterns import compiled
from recollect.text.paraphrases import statements
from recollect.text.questions import SENTENCE as SENTENCE
from recollect.text.questions import only_asks
from recollect.text.terms import query_terms, terms

# A summary has about 300 tokens.
PROMPTS = 3
FILES = 12
SEARCHES = 6
COMMANDS = 8
DECISIONS = 5
ERRORS = 4
# A shorter prompt is no request.
LEAST_TERMS = 2
# A prompt of these words only agrees to the request before it: "right, add it", "go ahead".
_AGREES = """right ok okay yes yep yeah sure please go ahead continue proceed do add make apply try again commit push
leave now"""
# One with a word of these, and no others, is small talk.
_TALK = """thanks thank nice great perfect good cool bye fine lovely awesome super excellent wonderful cheers well done
hi hello hey welcome enjoy see have looks weekend evening night day morning tomorrow later lgtm
danke dankeschön merci gracias grazie obrigado prima hallo moin tschüss"""
# The latest observations that are compared with an answer.
COMPARED = 200
# Open tasks that are kept of an answer.
LEFT = 2

CHANGING = ("edit", "write", "patch")
# Their hooks tell the end of every turn: without one, a request was interrupted.
TELLS_TURNS = frozenset({"claude", "codex", "gemini", "copilot", "opencode"})
# A path, a name with an underscore or a hump, a call, or anything in backticks.
_CODE = compiled(r"`[^`\n]+`|\w\.[a-z]{1,5}\b|\w_\w|\w\(\)|[a-z][A-Z]")
_LEFT = compiled(
    r"\bstill (?:needs?|has to|have to|fail|missing|open|to (?:be )?do|to be \w+)|\bremains?\b|\b(?:is|are) remaining\b"
    r"|\bleft (?:to do\b|:|(?:[\w-]+ ){1,4}for later\b)|\bto-?do(?: is| are|:)|\bnext (?:steps? (?:is|are)|(?:i|we)\b)"
    r"|(?<!what )(?<!that )(?<!which )\b(?:is|are) (?:still |now )?(?:missing|pending|next|unfinished|half done)\W*$"
    r"|\bnot (?:yet|finished|done)\b|\b(?:i|we) have(?:n't| not)\b|\byet to\b|\bunfinished\b"
    r"|\A(?:(?!\b(?:if|as|or|so|until|since|before|after|how|that|you|wh\w+)\b).){0,120}?"
    r"\b(?:is|are|has|have|do|does)(?:n't| not) (?:[\w-]+ ){1,4}?yet\W*\Z"
    r"|\b(?:could|did)(?:n't| not) (?:finish|complete|get to)\b|\b(?:i|we) stopped (?:here|there|at)\b"
    r"|\A\W*(?:i am |i'm )?waiting for you"
    r"|\b(?:fehl(?:t|en) noch|noch (?:nicht|offen)|m(?:uss|üssen) noch|steh(?:t|en) noch aus|faltan?|quedan? por"
    r"|il (?:manque|reste)|reste à|pas encore)\b",
    re.IGNORECASE,
)
_CONTINUES = compiled(
    r"\W*(?:(?:ok|please|now|so|let'?s|hi|can you)\W+){0,3}"
    r"(?:continue|go on|carry on|keep going|resume|proceed|finish|pick up)\b",
    re.IGNORECASE,
)
# A remark on how the task is done this time.
_REMARK = compiled(r"\W*(?:(?:just|only)\b.{0,9}\b(?:this|now|once)\b|for this (?:commit|pr|branch)\b)", re.IGNORECASE)
# The heading of open work: "Still open:", "Not done yet:", "What is missing:", "Open points:".
_LABEL = compiled(
    r"(?:\A\W*(?!the [\w-]+:)(?:\w+ ){0,2}|[;–—-] (?:still )?)(?:to ?-?do|left|remaining|missing|pending|next|open"
    r"|unfinished|follow-?ups?|not (?:yet )?(?:done|finished|tested))"
    r"(?: (?:to do|yet|now|steps?|points?|items?|issues?|tasks?|work|questions?))?\W*:\W*"
    r"(?!no\b|none\b|nothing\b|n/a\b)(?=\w|`)",
    re.IGNORECASE,
)
_ITEMS = compiled(r":[*_]*[^\S\n]*+\n\s*+(?:[-*•]|\d+[.)])?")
_CLAUSE = compiled(r"; |,? but ")
_QUOTED = compiled(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"")
# "Done, except that the docs are old", "Everything is in place apart from the seeds".
_EXCEPT = compiled(
    r"\A\W*(?:(?:\w+ ){0,3}(?:done|finished|fixed|works?|implemented|ready|in place|moved|converted)"
    r"|all|every\w*)\b[^.\n]{0,80}?\b(?:except|apart from)\b",
    re.IGNORECASE,
)
_NOTHING_LEFT = compiled(r"\b(?:no|nothing|none|all|every|without|any)\b", re.IGNORECASE)


class Summary(NamedTuple):
    """The summary of a session: a headline, the text, and the files that it changed."""

    headline: str
    text: str
    changed: tuple[str, ...]


class Progress(NamedTuple):
    """The progress of a session.

    asked: its last request, after the one that it answers or interrupts, or the one whose answer left something
    left: open tasks of the last answer, and those of earlier ones that nothing after them took up
    before: earlier requests, the latest first. ran: whether it changed files or ran commands, which may have failed.
    answered: whether the last request got an answer. continues: whether it was asked to go on with an earlier session
    """

    asked: str
    before: tuple[str, ...]
    changed: tuple[str, ...]
    read: tuple[str, ...]
    left: tuple[str, ...]
    ran: bool
    answered: bool
    continues: bool = False


class _Turn(NamedTuple):
    """A request, its tool uses, its answer, and whether it is finished."""

    prompt: str
    tools: list[Observed]
    answer: str = ""
    is_over: bool = False


def summarise(rows: Iterable[Observed], remembered: Sequence[Memory], shown: Callable[[str], str]) -> Summary | None:
    """Return the summary of a session; None if it did nothing.

    remembered: memories that were stored on purpose during it. shown: shortens a path
    """
    turns = _turns(rows)
    tools = [row for turn in turns for row in turn.tools]
    prompts = _requests(turns)
    if not tools and not prompts and not remembered:
        return None
    worked = [row for row in tools if row.outcome != "failed"]
    changed = _files(worked, CHANGING, shown)
    read = [path for path in _files(worked, ("read",), shown) if path not in changed]
    decided = _distinct([memory.title or memory.content for memory in remembered])
    sections = (
        ("Asked for", [line(prompt, 200) for prompt in _ends(prompts, PROMPTS)]),
        ("Decided", [line(text, 200) for text in decided[:DECISIONS]]),
        ("Changed", [listed(changed, FILES)] if changed else []),
        ("Read", [listed(read, FILES)] if read else []),
        ("Searched for", [listed(_searches(worked), SEARCHES)] if _searches(worked) else []),
        ("Ran", [listed(_commands(worked), COMMANDS)] if _commands(worked) else []),
        ("Failed and was fixed", _fixed(tools)),
        ("Still failing", [line(row.told, 200) for row in unresolved(tools)[-ERRORS:]]),
        ("Ended with", [line(answer, 300)] if (answer := _last_answer(turns)) else []),
    )
    parts = [_section(title, lines) for title, lines in sections if lines]
    head = line(prompts[0], 80) if prompts else f"changed {listed(changed, 3)}" if changed else f"{len(tools)} steps"
    return Summary(head, "\n".join(parts), tuple(changed))


def progress(rows: Iterable[Observed], shown: Callable[[str], str]) -> Progress:
    """Return the progress of a session; shown: shortens a path."""
    heard = _turns(rows)
    turns = [turn for turn in heard if turn.tools or not _is_talk(turn.prompt)]
    every = [row for turn in turns for row in turn.tools]
    tools = [row for row in every if row.outcome != "failed"]
    task = turns[: next((place for place in range(len(turns), 0, -1) if not _is_aside(turns[place - 1])), 0)]
    # Committing what was changed is no task of its own.
    task = task if any(row.tool in CHANGING for turn in task for row in turn.tools) else turns
    requests = [prompt for prompt in _requests(task) if len(query_terms(prompt)) >= LEAST_TERMS]
    is_new = len(task) > 1 and not agrees(task[-1].prompt)
    is_asked = is_new and (task[-2].answer.rstrip().endswith("?") or _begins_by_agreeing(task[-1].prompt))
    is_part = is_asked or (is_new and not task[-2].is_over)
    answer = next((turn.answer for turn in turns[::-1] if turn.answer and (turn.tools or not every)), "")
    is_question = not every and only_asks(" ".join(requests[-1:]))
    left = [] if is_question else _left(_last_answer(heard)) or _left(answer)
    asked = requests[-2:] if is_part else requests[-1:]
    is_answered = not turns or turns[-1].is_over
    if is_answered and not left and (earlier := _left_before(heard)):
        asked, left = earlier
    return Progress(
        asked="\n".join(asked),
        before=tuple(requests[-2::-1]),
        changed=tuple(_files(tools, CHANGING, shown)),
        read=tuple(_files(tools, ("read",), shown)),
        left=tuple(left[:LEFT]),
        ran=any(row.tool in CHANGING for row in tools) or bool(_commands(every)),
        answered=is_answered,
        continues=bool(turns) and _CONTINUES.match(turns[0].prompt) is not None,
    )


def _is_aside(turn: _Turn) -> bool:
    """Tell whether a turn only commits, or was interrupted after a remark."""
    if turn.tools:
        return all(row.tool == "shell" and kind(row.target) == "git" for row in turn.tools)
    return not turn.is_over and _REMARK.match(turn.prompt) is not None


def _left_before(turns: Sequence[_Turn]) -> tuple[list[str], list[str]] | None:
    """Return the latest request whose answer left something that no later turn took up, and what it left."""
    for place in range(len(turns) - 2, -1, -1):
        turn, after = turns[place], turns[place + 1].prompt
        is_taken_up = _begins_by_agreeing(after) or agrees(after) or _CONTINUES.match(after)
        if turn.tools and after and not is_taken_up and (left := _left(turn.answer)):
            rest = turns[place + 1 :]
            said = [text for each in rest for text in (each.prompt, each.answer, *(row.target for row in each.tools))]
            later = set(query_terms(" ".join(said)))
            left = [part for part in left if _is_new(part, later)]
            if left and (asked := _requests(turns[: place + 1])[-1:]):
                return asked, left
    return None


def _is_new(text: str, known: Collection[str]) -> bool:
    """Tell whether less than a third of the search terms of a text are known."""
    words = query_terms(text)
    return 3 * sum(word in known for word in words) < len(words)


def _left(answer: str) -> list[str]:
    """Return the sentences of an answer that call something unfinished, without their labels."""
    found = []
    for part in SENTENCE.split(_ITEMS.sub(": ", answer)):
        said = _QUOTED.sub("it", part)
        is_left = (
            _LABEL.search(said)
            or _EXCEPT.search(said)
            or any(
                _LEFT.search(clause) and not _NOTHING_LEFT.search(clause.partition(" because ")[0])
                for clause in _CLAUSE.split(said)
            )
        )
        if is_left and not part.endswith("?"):
            found.append(_LABEL.sub("", part, 1) if _LABEL.match(part) else part)
    return found


@cache
def _of(words: str) -> frozenset[str]:
    return frozenset(terms(words))


def agrees(prompt: str) -> bool:
    """Tell whether a prompt names no task of its own."""
    return _of(_AGREES) | _of(_TALK) >= set(query_terms(prompt))


@lru_cache(maxsize=256)
def task_words(prompt: str) -> frozenset[str]:
    """Return the search terms of a request that do not only agree or continue."""
    return frozenset(query_terms(_CONTINUES.sub("", prompt, 1))) - _of(_AGREES) - _of(_TALK)


def _begins_by_agreeing(prompt: str) -> bool:
    first = SENTENCE.split(prompt.strip())[0]
    return agrees(first) and not _is_talk(first)


def _is_talk(prompt: str) -> bool:
    return agrees(prompt) and not _of(_TALK).isdisjoint(query_terms(prompt))


def _turns(rows: Iterable[Observed]) -> list[_Turn]:
    """Return the turns of a session in order."""
    turns: list[_Turn] = []
    for row in sorted(rows, key=lambda row: row.id):
        if row.event == "prompt" and row.told:
            if turns and row.assistant not in TELLS_TURNS:
                turns[-1] = turns[-1]._replace(is_over=True)
            turns.append(_Turn(row.told, []))
        elif row.event in ("tool", "turn_end"):
            if not turns:
                turns.append(_Turn("", []))
            if row.event == "tool":
                turns[-1].tools.append(row)
                turns[-1] = turns[-1]._replace(is_over=False)
            else:
                turns[-1] = turns[-1]._replace(answer=row.told or turns[-1].answer, is_over=True)
    return turns


def _requests(turns: Sequence[_Turn]) -> list[str]:
    """Return the distinct requests; those without work count only if there are no others."""
    current, working = "", []
    for place, turn in enumerate(turns, 1):
        before, current = current, current if current and agrees(turn.prompt) else turn.prompt
        # The last requests of an interrupted session had no time for a tool.
        if turn.tools or (place > len(turns) - 2 and not turn.is_over):
            working += [before, current] if _begins_by_agreeing(turn.prompt) else [current]
    asked = [prompt for prompt in working if prompt]
    return _distinct(asked or [turn.prompt for turn in turns if turn.prompt])


def _last_answer(turns: Sequence[_Turn]) -> str:
    """Return the last answer that names code or shares a word with the work."""
    done = [row for turn in turns for row in turn.tools][-COMPARED:]
    words = {word for row in done for word in query_terms(f"{row.told} {row.target}")}
    for turn in reversed(turns):
        if not turn.answer:
            continue
        request = query_terms(turn.prompt) if turn.tools else ()
        if not words.union(request).isdisjoint(query_terms(turn.answer)) or _CODE.search(turn.answer):
            return turn.answer
    return ""


def _section(title: str, lines: list[str]) -> str:
    return f"{title}: {lines[0]}" if len(lines) == 1 else f"{title}:\n" + "\n".join(f"- {each}" for each in lines)


def _distinct(texts: Iterable[str]) -> list[str]:
    """Return texts without repetitions."""
    kept: dict[object, str] = {}
    for text in texts:
        kept.setdefault(statements(text) or text, text)
    return list(kept.values())


def _ends(texts: list[str], most: int) -> list[str]:
    """Return the first texts and the last one."""
    return texts if len(texts) <= most else [*texts[: most - 1], texts[-1]]


def _files(rows: list[Observed], tools: tuple[str, ...], shown: Callable[[str], str]) -> list[str]:
    """Return the files of some tools, most used first."""
    counts = Counter(shown(row.target) for row in rows if row.tool in tools and row.target)
    return [path for path, _ in counts.most_common()]


def _searches(rows: list[Observed]) -> list[str]:
    return list(
        dict.fromkeys(code(row.target, 60) for row in rows if row.tool in ("search", "find", "web") and row.target)
    )


def _commands(rows: list[Observed]) -> list[str]:
    run = [row.target for row in rows if row.tool == "shell" and row.target and not is_looking(row.target)]
    return list(dict.fromkeys(code(command, 60) for command in run))


def _fixed(rows: list[Observed]) -> list[str]:
    return [
        f"{line(pair.failure.told, 160)} → {line('; '.join(step.told for step in pair.steps), 200)}"
        for pair in pairs(rows)[-ERRORS:]
    ]
