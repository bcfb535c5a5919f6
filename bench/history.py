"""How good a project's imported history is: what it is worth, and which questions it answers.

    python bench/history.py --repos DIR [DIR …] [--ask FILE] [--generated N] [--vectors] [--home DIR] [--show] [--save]
    python bench/history.py --repos DIR [DIR …] --sample 50 --out FILE [--seed N]
    python bench/history.py --judged FILE

Three measures, of repositories that are only read:

sample     random imported memories of each repository as a Markdown list without rule, rank or worth. Somebody judges
           them by bench/history-criteria.md and writes y or n into the brackets; --judged prints the shares.
ask        a JSON file of questions with their right sources, {"repository": [{"question": "…", "right": [source, …]}]}.
           A source is {"sha": "a beginning"}, {"version": "2.3.0", "text": "a part of it"} or {"path": "a file",
           "text": "a part of it"}.
           Right is a hit that has one of them among the first three, asked with `Engine.recall` as a user would.
           bench/history/questions-fit.json has 20 each about five repositories, on which the ranking was fitted.
generated  questions that git itself answers, N of each kind; right within the first five hits:
    why        the words of a commit's first line that gives a reason, some left out and others said differently
    why short  the same with half of the words that mean something
    reverted   whether something was taken back; right: the commit that did, or the one it took back if that says so
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measure import cpu_ms, publish
from recollect import Engine
from recollect.model import Hit, Memory
from recollect.text.passages import list_head

TOP = 5
# Bodies that hold one of these give a reason: whoever asks why would be answered by them.
BECAUSE = re.compile(
    r"\b(?:because|so that|in order to|to avoid|instead of|rather than|otherwise|due to)\b", re.IGNORECASE
)
# Words that people exchange for each other when they ask about a change.
SAID = {
    "add": "introduce", "adds": "introduces", "added": "introduced", "adding": "introducing", "remove": "drop",
    "removed": "dropped", "removes": "drops", "removing": "dropping", "fix": "repair", "fixes": "repairs",
    "fixed": "repaired", "fixing": "repairing", "use": "switch to", "uses": "switches to", "using": "by means of",
    "allow": "permit", "allows": "permits", "make": "let", "support": "handle", "supports": "handles",
    "improve": "better", "update": "change", "updated": "changed", "rename": "give another name to",
    "avoid": "stay away from", "prevent": "stop", "ensure": "guarantee", "error": "failure", "errors": "failures",
    "bug": "defect", "crash": "abort", "crashes": "aborts", "don't": "do not", "doesn't": "does not", "when": "if",
    "wrong": "incorrect", "incorrect": "wrong", "move": "shift", "moved": "shifted", "simplify": "make simpler",
    "refactor": "restructure", "deprecate": "phase out", "deprecated": "phased out", "missing": "lacking",
}  # fmt: skip
SMALL = frozenset("a an the of to in on for and or is are be with from by as it its this that at into not no".split())
# Hits that count for a question of a file, and the words of a commit that its line in a list has at least.
THREE = 3
LINE_SHARE = 0.5


class Logged(NamedTuple):
    """A commit as git tells it."""

    sha: str
    subject: str
    body: str
    author: str
    files: tuple[str, ...]


class Question(NamedTuple):
    """A question, its kind, and what tells a right hit."""

    kind: str
    text: str
    is_right: Callable[[Hit], bool]
    answer: str


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")


def logged(root: Path) -> list[Logged]:
    """Return the commits of a repository, newest first, without merges."""
    text = git(root, "log", "--no-merges", "--name-only", "--format=%x1e%H%x1f%s%x1f%b%x1f%an%x1f")
    rows = []
    for part in text.split("\x1e")[1:]:
        sha, subject, body, author, files = part.split("\x1f", 4)
        rows.append(Logged(sha, subject, body.strip(), author, tuple(filter(None, files.strip().split("\n")))))
    return rows


# --- questions ---


def about_reasons(rows: Sequence[Logged], rng: random.Random) -> Iterator[Question]:
    times = Counter(_plain(row.subject) for row in rows)
    fit = [
        row
        for row in rows
        if BECAUSE.search(row.body)
        and len(_words(row.subject)) >= 4
        and times[_plain(row.subject)] == 1
        and "[bot]" not in row.author
        and not row.subject.lower().startswith(("revert", "bump", "merge"))
    ]
    for row in rng.sample(fit, len(fit)):
        yield Question("why", _asked(row.subject, rng, left_out=0.25), _is_commit(row.sha), row.sha[:12])
        yield Question("why short", _asked(row.subject, rng, left_out=0.5), _is_commit(row.sha), row.sha[:12])


def about_reverts(rows: Sequence[Logged], rng: random.Random) -> Iterator[Question]:
    by_sha = {row.sha: row for row in rows}
    undone: dict[str, str] = {}
    for row in rows:
        named = re.search(r"This reverts commit ([0-9a-f]{7,40})", row.body)
        if named and row.sha not in undone:
            old = next((sha for sha in by_sha if sha.startswith(named[1])), None) if len(named[1]) < 40 else named[1]
            if old in by_sha and not by_sha[old].subject.lower().startswith("revert"):
                undone[old] = row.sha
    forms = ("Was “{}” taken back?", "Is {} still in, or was it reverted?", "why was {} reverted")
    for number, (old, new) in enumerate(rng.sample(sorted(undone.items()), len(undone))):
        words = _asked(by_sha[old].subject, rng, left_out=0.2, ask="{}")
        yield Question("reverted", forms[number % len(forms)].format(words), _is_undone(old, new), new[:12])


def _asked(subject: str, rng: random.Random, *, left_out: float, ask: str = "why was this done: {}") -> str:
    """Return a first line as somebody would ask for it who remembers some of it."""
    words = [word for word in _plain(subject).split() if word]
    meaning = [place for place, word in enumerate(words) if word.lower().strip(".,:;()'\"`") not in SMALL]
    gone = set(rng.sample(meaning, int(left_out * len(meaning))))
    kept = [SAID.get(word.lower(), word) for place, word in enumerate(words) if place not in gone]
    return ask.format(" ".join(kept))


def _plain(subject: str) -> str:
    return re.sub(r"\s*\(#\d+\)$|^(?:fixe[sd]|closes|refs) #\d+\s*(?:--|:|,)?\s*", "", subject, flags=re.IGNORECASE)


def _words(subject: str) -> list[str]:
    return [word for word in _plain(subject).lower().split() if word not in SMALL]


# --- what is right ---


def _is_commit(sha: str) -> Callable[[Hit], bool]:
    """A pull request stands for its commits."""
    return lambda hit: sha == hit.memory.metadata.get("sha") or sha in hit.memory.metadata.get("commits", ())


def _is_undone(old: str, new: str) -> Callable[[Hit], bool]:
    def is_right(hit: Hit) -> bool:
        sha = hit.memory.metadata.get("sha")
        return sha == new or (sha == old and f"reverted by commit {new[:12]}" in hit.memory.content)

    return is_right


# --- questions of a file ---


def asked(file: Path, root: Path) -> list[Question]:
    """Return the questions about a repository, by the name of its folder."""
    rows = json.loads(file.read_text("utf-8")).get(root.name, [])
    return [
        Question("asked", row["question"], _is_one_of(row["right"], root), json.dumps(row["right"])) for row in rows
    ]


def _is_one_of(sources: Sequence[dict[str, str]], root: Path) -> Callable[[Hit], bool]:
    said = [
        {"said": git(root, "log", "-1", "--format=%s%n%b", each["sha"], "--")} if "sha" in each else {}
        for each in sources
    ]
    whole = [{**each, **more} for each, more in zip(sources, said, strict=True)]
    return lambda hit: any(_has(hit, source) for source in whole)


def _has(hit: Hit, source: dict[str, str]) -> bool:
    """Tell whether a hit comes from a source, or has it beside its own; of a list, the line that is shown."""
    about, text = hit.memory.metadata, hit.memory.content
    is_list = bool(list_head(text))
    shown = text[hit.passage.start : hit.passage.end] if is_list and hit.passage else text
    places = [about, *about.get("also", ())]
    if "sha" in source:
        commits = about.get("commits", ())  # of a pull request; elsewhere it may be a number
        known = [place.get("sha") or "" for place in places] + list(commits if isinstance(commits, list) else ())
        # A line of a changelog names the beginning of its commit, or its request.
        named = about.get("issues", ())
        requests = re.findall(r"\(#\d+\)$|^Merge pull request #\d+", source["said"], re.MULTILINE)[:1]
        is_commit = any(sha.startswith(source["sha"]) for sha in known) or any(
            source["sha"].startswith(name) or any(re.search(rf"{name}\b", each) for each in requests) for name in named
        )
        return is_commit and (not is_list or _share_of(source["said"], shown) >= LINE_SHARE)
    is_place = any(
        place.get(name) == source[name] for place in places for name in ("version", "path") if name in source
    )
    return is_place and _flat(source.get("text", "")) in _flat(shown)


def _share_of(message: str, line: str) -> float:
    """Return how many words of a commit's subject or title are in a line, or of the line in its message."""
    every, own = (set(_flat(text).split()) - SMALL for text in (message, line))
    heads = [set(_flat(_plain(text)).split()) - SMALL for text in message.split("\n")[:3] if text]
    return max((len(own & every) / max(1, len(own)), *(len(head & own) / max(1, len(head)) for head in heads)))


def _flat(text: str) -> str:
    return " ".join(re.sub(r"[^\w.]+", " ", text.lower()).split())


# --- samples to judge ---


def sample(root: Path, count: int, seed: int) -> Iterator[str]:
    """Yield a random sample of the memories of a repository, as it is judged."""
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        engine.history.import_history(str(root), only=PROJECT)
        rows = engine.store.find(Memory, {"source": "import"}, order="id")
    for memory in random.Random(seed).sample(rows, min(count, len(rows))):
        text = memory.content.replace("\n", "\n    ")
        yield f"- [ ] {root.name} {memory.id[:8]}\n\n    {text}\n"


def judged(text: str) -> dict[str, dict[str, float]]:
    """Return how many memories of each repository were judged, and the share worth keeping."""
    marks: dict[str, Counter[str]] = defaultdict(Counter)
    for mark, name in re.findall(r"^- \[(.)\] (\S+)", text, re.MULTILINE):
        marks[name][mark.lower()] += 1
    told = {}
    for name, counts in marks.items():
        known = counts["y"] + counts["n"]
        share = round(counts["y"] / known, 4) if known else 0.0
        told[name] = {"judged": known, "unjudged": counts.total() - known, "worth_keeping": share}
    return told


# --- a run ---

# The sources of a project; transcripts are of the machine.
PROJECT = ("git", "changelog", "adr", "docs")


def run(
    root: Path, count: int, seed: int, *, vectors: bool, show: bool, file: Path | None = None, home: Path | None = None
) -> dict[str, Any]:
    """Return how many questions about a repository are answered, by kind. home: keeps what was imported"""
    rng = random.Random(seed)
    rows = logged(root)
    kinds: dict[str, list[Question]] = defaultdict(list)
    for source in (about_reasons(rows, rng), about_reverts(rows, rng)) if count else ():
        for question in source:
            kinds[question.kind].append(question)
            if all(len(kinds[kind]) >= count for kind in _together(question.kind)):
                break
    with tempfile.TemporaryDirectory() as scratch, Engine(home=str(home or scratch), **OPTIONS[vectors]) as engine:
        learnt: list[Any] = []
        options: dict[str, Any] = {"only": PROJECT, "vectors": False}
        import_cpu = cpu_ms(lambda: learnt.append(engine.history.import_history(str(root), **options)))
        again = engine.history.import_history(str(root), **options)
        embed_cpu = cpu_ms(engine.embedding.catch_up) if vectors else 0.0
        told = {kind: _share(engine, root, questions[:count], show=show) for kind, questions in kinds.items()}
        if file is not None:
            told["asked"] = _share(engine, root, asked(file, root), show=show, top=THREE)
        return {
            "commits": len(rows),
            "memories": sum(part.created + part.known for part in learnt[0].sources),
            "import_cpu_s": round(import_cpu / 1000, 1),
            "embed_cpu_s": round(embed_cpu / 1000, 1),
            "changed_by_second_import": sum(part.created + part.updated for part in again.sources),
            "kinds": told,
        }


OPTIONS: dict[bool, dict[str, Any]] = {True: {}, False: {"embed_provider": "off"}}


def _together(kind: str) -> tuple[str, ...]:
    return ("why", "why short") if kind.startswith("why") else (kind,)


def _share(engine: Engine, root: Path, questions: Sequence[Question], *, show: bool, top: int = TOP) -> dict[str, Any]:
    right = first = 0
    for question in questions:
        hits = engine.recall.search(question.text, limit=10, namespace=str(root)).hits
        places = [place for place, hit in enumerate(hits[:top]) if question.is_right(hit)]
        right += bool(places)
        first += places[:1] == [0]
        if show and not places:
            print(f"- {question.kind}: {question.text}\n    wanted {question.answer}")
            for place, hit in enumerate(hits):
                mark = "right" if question.is_right(hit) else "got" if place < top else ""
                if mark:
                    print(f"    {mark} {place + 1}", hit.memory.content.split("\n")[0][:110])
    count = len(questions)
    shares = {f"top_{top}": right, "first": first}
    return {"questions": count, **{name: round(value / count, 4) for name, value in shares.items()}} if count else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repos", nargs="+", type=Path, default=[], help="git work trees with their history")
    parser.add_argument("--ask", type=Path, help="a JSON file of questions with their right sources")
    parser.add_argument("--generated", type=int, default=0, help="questions of each generated kind and repository")
    parser.add_argument("--sample", type=int, default=0, help="write so many memories of each repository, to be judged")
    parser.add_argument("--out", type=Path, help="the file that is written")
    parser.add_argument("--judged", type=Path, help="a sample with verdicts: print the shares")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="keep what was imported and embedded here for the next run")
    parser.add_argument("--vectors", action="store_true", help="with the shipped embedding model, too")
    parser.add_argument("--show", action="store_true", help="print the questions that were not answered")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    roots = [root.resolve() for root in options.repos]
    if options.judged:
        publish("history-worth", {"repositories": judged(options.judged.read_text("utf-8"))}, save=options.save)
    elif options.sample:
        rows = [row for root in roots for row in sample(root, options.sample, options.seed)]
        (options.out or Path("history-sample.md")).write_text("\n".join(rows), encoding="utf-8")
    else:
        answer(roots, options)


def answer(roots: Sequence[Path], options: argparse.Namespace) -> None:
    """Ask the questions, and print how many were answered."""
    told = {
        root.name: run(
            root,
            options.generated,
            options.seed,
            vectors=options.vectors,
            show=options.show,
            file=options.ask,
            home=options.home / root.name if options.home else None,
        )
        for root in roots
    }
    kinds = [kind for result in told.values() for kind in result["kinds"].values() if kind]
    count = sum(kind["questions"] for kind in kinds)
    right = sum(kind["questions"] * (kind.get("top_3") or kind.get("top_5") or 0) for kind in kinds)
    overall = {
        "questions": count,
        "right": round(right / max(1, count), 4),
        "first": round(sum(kind["questions"] * kind["first"] for kind in kinds) / max(1, count), 4),
    }
    publish("history", {"overall": overall, "vectors": options.vectors, "repositories": told}, save=options.save)


if __name__ == "__main__":
    main()
