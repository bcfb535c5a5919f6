"""How well a project's past is known after `import-history --only git`: questions whose answers git itself gives.

    python bench/history.py --repos DIR [DIR …] [--questions N] [--seed N] [--vectors] [--show] [--save]

Of every repository, which is only read, questions of five kinds are made, and what is right is computed by other means
than ours: plain `git log`, `git shortlog`, counts over them. A question is answered if one of the first five hits of a
recall has the right source:

    why        the words of a commit's first line, some left out and others said differently; right: that commit
    why short  the same with half of the words that mean something
    together   what changes together with a file; right: the memory of that file, naming the file that most of its
               commits changed as well
    reverted   whether something was taken back; right: the commit that did, or the one it took back if that says so
    who        who knows a folder; right: the memory of that folder, naming who changed it most
"""

from __future__ import annotations

import argparse
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
from recollect.model import Hit

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
MAX_FILES = 30


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


def about_partners(rows: Sequence[Logged], rng: random.Random, present: frozenset[str]) -> Iterator[Question]:
    pairs: dict[str, Counter[str]] = defaultdict(Counter)
    times: Counter[str] = Counter()
    for row in rows:
        if len(row.files) > MAX_FILES:
            continue
        times.update(row.files)
        for path in row.files:
            pairs[path].update(other for other in row.files if other != path and other in present)
    clear = []
    for path, others in pairs.items():
        if path in present and times[path] >= 10 and others:
            (partner, most), *rest = others.most_common(2)
            if most >= 5 and most >= 0.35 * times[path] and (not rest or rest[0][1] < most):
                clear.append((path, partner))
    forms = (
        "What changes together with {}?",
        "Which other files do I have to touch when I change {}?",
        "I am about to edit {}: what else is usually changed with it?",
    )
    for number, (path, partner) in enumerate(rng.sample(sorted(clear), len(clear))):
        yield Question("together", forms[number % len(forms)].format(path), _is_pair(path, partner), partner)


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


def about_people(root: Path, rng: random.Random, present: frozenset[str]) -> Iterator[Question]:
    folders = sorted(
        {"/".join(path.split("/")[:depth]) for path in present for depth in (1, 2) if path.count("/") >= depth}
    )
    forms = ("Who knows {}?", "Whom should I ask about the code in {}?")
    for number, folder in enumerate(rng.sample(folders, len(folders))):
        told = git(root, "shortlog", "-sn", "--no-merges", "HEAD", "--", folder).strip().split("\n")
        counts = [(int(line.split("\t")[0]), line.split("\t")[1]) for line in told if "\t" in line]
        counts = [row for row in counts if "bot" not in row[1].lower()]
        if sum(count for count, _ in counts) >= 40 and (len(counts) == 1 or counts[0][0] > 1.3 * counts[1][0]):
            name = counts[0][1]
            yield Question("who", forms[number % len(forms)].format(folder), _is_known(folder, name), name)


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
    return lambda hit: hit.memory.metadata.get("sha") == sha


def _is_pair(path: str, partner: str) -> Callable[[Hit], bool]:
    return lambda hit: hit.memory.metadata.get("path") == path and partner in hit.memory.content


def _is_undone(old: str, new: str) -> Callable[[Hit], bool]:
    def is_right(hit: Hit) -> bool:
        sha = hit.memory.metadata.get("sha")
        return sha == new or (sha == old and f"reverted by commit {new[:12]}" in hit.memory.content)

    return is_right


def _is_known(folder: str, name: str) -> Callable[[Hit], bool]:
    return lambda hit: hit.memory.metadata.get("folder") == folder and name in hit.memory.content


# --- a run ---


def run(root: Path, count: int, seed: int, *, vectors: bool, show: bool) -> dict[str, Any]:
    """Return how many questions about a repository are answered, by kind."""
    rng = random.Random(seed)
    rows = logged(root)
    present = frozenset(git(root, "ls-tree", "-r", "--name-only", "HEAD").split("\n"))
    kinds: dict[str, list[Question]] = defaultdict(list)
    for source in (
        about_reasons(rows, rng),
        about_partners(rows, rng, present),
        about_reverts(rows, rng),
        about_people(root, rng, present),
    ):
        for question in source:
            kinds[question.kind].append(question)
            if all(len(kinds[kind]) >= count for kind in _together(question.kind)):
                break
    with tempfile.TemporaryDirectory() as home, Engine(home=home, **OPTIONS[vectors]) as engine:
        learnt: list[Any] = []
        import_cpu = cpu_ms(lambda: learnt.append(engine.history.import_history(str(root), only=("git",))))
        again = engine.history.import_history(str(root), only=("git",))
        embed_cpu = cpu_ms(engine.embedding.catch_up) if vectors else 0.0
        told = {kind: _share(engine, root, questions[:count], show=show) for kind, questions in kinds.items()}
        return {
            "commits": len(rows),
            "memories": learnt[0].sources[0].created,
            "import_cpu_s": round(import_cpu / 1000, 1),
            "embed_cpu_s": round(embed_cpu / 1000, 1),
            "changed_by_second_import": again.sources[0].created + again.sources[0].updated,
            "kinds": told,
        }


OPTIONS: dict[bool, dict[str, Any]] = {True: {}, False: {"embed_provider": "off"}}


def _together(kind: str) -> tuple[str, ...]:
    return ("why", "why short") if kind.startswith("why") else (kind,)


def _share(engine: Engine, root: Path, questions: Sequence[Question], *, show: bool) -> dict[str, Any]:
    right = first = 0
    for question in questions:
        hits = engine.recall.search(question.text, limit=TOP, namespace=str(root), code=False).hits
        places = [place for place, hit in enumerate(hits) if question.is_right(hit)]
        right += bool(places)
        first += places[:1] == [0]
        if show and not places:
            print(f"- {question.kind}: {question.text}\n    wanted {question.answer}")
            for hit in hits[:3]:
                print("    got", hit.memory.content.split("\n")[0][:110])
    count = len(questions)
    return {"questions": count, "top_5": round(right / count, 4), "first": round(first / count, 4)} if count else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--repos", nargs="+", type=Path, required=True, help="git work trees with their history")
    parser.add_argument("--questions", type=int, default=20, help="of each kind and repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vectors", action="store_true", help="with the shipped embedding model, too")
    parser.add_argument("--show", action="store_true", help="print the questions that were not answered")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    told = {
        root.name: run(root.resolve(), options.questions, options.seed, vectors=options.vectors, show=options.show)
        for root in options.repos
    }
    kinds = [kind for result in told.values() for kind in result["kinds"].values() if kind]
    count = sum(kind["questions"] for kind in kinds)
    overall = {
        "questions": count,
        "top_5": round(sum(kind["questions"] * kind["top_5"] for kind in kinds) / max(1, count), 4),
        "first": round(sum(kind["questions"] * kind["first"] for kind in kinds) / max(1, count), 4),
    }
    publish("history", {"overall": overall, "vectors": options.vectors, "repositories": told}, save=options.save)


if __name__ == "__main__":
    main()
