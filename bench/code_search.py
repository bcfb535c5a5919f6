"""How well code is found: labelled queries over real repositories, and the file to edit from the text of an issue.

    python bench/code_search.py --labels DIR_OR_FILE … --repos DIR              both kinds of label files
    python bench/code_search.py … --out RANKED.jsonl                            one line per query
    python bench/code_search.py … --no-embeddings                               words, names and paths alone
    python bench/code_search.py … --ablate                                      what each group of signals earns

Nothing but the public engine: a checkout is indexed by `code.index`, a query is asked through `code.search`. Label
files are JSON: `{"repo", "source", "commit", "root", "language", "queries": [{"id", "text", "category", "relevant":
[{"path", "lines"?}]}]}`, or `{"instances": [{"id", "source", "commit", "text", "files"}]}` for issues. Checkouts lie
below `--repos` by the name of the repository (`name`, `owner__name` or `owner+name`). One that is a git repository and
has the commit is searched as of that commit.

Prints a table, or with `--json` everything as JSON; `--save` prints the JSON too and keeps it under bench/results.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import measure
import metrics
from recollect import Engine
from recollect.code.search import SIGNALS

Report = dict[str, Any]

# Places asked for and written out per query.
DEPTH = 50
ISSUE_KS = (1, 3, 5, 10)


class Hit(NamedTuple):
    """A place of a ranking, its path from the root of the checkout."""

    path: str
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.path}:{self.start}-{self.end}"


class Judged(NamedTuple):
    """A query with what it scored."""

    repo: str
    language: str
    category: str
    scores: metrics.Scores


# --- checkouts -------------------------------------------------------------------------------------------------------


def checkout_of(repos: Path, source: str, name: str) -> Path | None:
    """Return where the checkout of a repository lies."""
    owner, _, short = source.partition("/")
    names = (name, short, f"{owner}__{short}", f"{owner}+{short}", source)
    return next((repos / each for each in names if each and (repos / each).is_dir()), None)


class Tree:
    """A folder that is made to hold one commit after another, so that one index can follow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._blobs: dict[str, str] = {}

    def at(self, checkout: Path, commit: str, below: str = "") -> Path:
        """Return the tree at a commit: written out where the checkout is a git repository that has it, else as it is.

        A blob that the repository lacks (a partial clone) is left out.
        """
        git = git_folder(checkout)
        listed = git and git_bytes(git, "ls-tree", "-r", "-z", "--full-tree", commit, *([below] if below else []))
        if not git or not listed:
            return checkout
        wanted: dict[str, str] = {}
        for row in listed.split(b"\0"):
            kind, _, path = row.partition(b"\t")
            if kind.startswith(b"100"):
                wanted[path.decode("utf-8", "surrogateescape")] = kind.split()[2].decode()
        for path in self._blobs.keys() - wanted.keys():
            (self.folder / path).unlink(missing_ok=True)
        changed = [path for path, blob in wanted.items() if self._blobs.get(path) != blob]
        for path, content in zip(changed, _blobs(git, [wanted[path] for path in changed]), strict=True):
            if content is not None:
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / path).write_bytes(content)
        self._blobs = wanted
        return self.folder


def git_folder(checkout: Path) -> Path | None:
    """Return where git keeps a checkout, None if it does not."""
    for folder in (checkout / ".git", checkout):
        if (folder / "objects").is_dir() and (folder / "HEAD").is_file():
            return folder
    return None


def git_bytes(folder: Path, *words: str, given: bytes = b"") -> bytes | None:
    """Return what git prints about a repository, None if it fails."""
    done = subprocess.run(["git", f"--git-dir={folder}", *words], input=given, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def git_text(folder: Path, *words: str) -> str:
    """Return what git prints about a repository as text, nothing if it fails."""
    return (git_bytes(folder, *words) or b"").decode("utf-8", "replace")


def _blobs(folder: Path, names: Sequence[str]) -> Iterator[bytes | None]:
    """Yield the content of blobs, None for one that is not there."""
    answer = git_bytes(folder, "cat-file", "--batch", given="\n".join(names).encode() + b"\n") or b""
    at = 0
    for _ in names:
        head, _, _ = answer[at : at + 200].partition(b"\n")
        at += len(head) + 1
        if head.endswith(b"missing"):
            yield None
            continue
        size = int(head.split()[2])
        yield answer[at : at + size]
        at += size + 1


# --- asking ----------------------------------------------------------------------------------------------------------


class Costs:
    """What indexing, embedding and asking took, in CPU milliseconds."""

    def __init__(self) -> None:
        self.index: list[float] = []
        self.embed: list[float] = []
        self.query: list[float] = []

    def report(self) -> Report:
        return {
            "index_cpu_s": round(sum(self.index) / 1000, 1),
            "embedding_cpu_s": round(sum(self.embed) / 1000, 1),
            "query_cpu_ms": measure.summary(self.query) if self.query else {},
        }


def fill(engine: Engine, folder: Path, costs: Costs, *, embeddings: bool) -> Path:
    """Index a folder, with vectors if wanted; return the root its paths begin at."""
    done = engine.code.index(str(folder))
    costs.index.append(done.cpu_s * 1000)
    before = time.process_time_ns()
    if embeddings:
        engine.code.embed()
    costs.embed.append((time.process_time_ns() - before) / 1e6)
    return Path(done.root)


def ask(engine: Engine, text: str, root: Path, checkout: Path, below: str, costs: Costs) -> list[Hit]:
    """Return the ranking of a query, paths from the checkout."""
    before = time.process_time_ns()
    found = engine.code.search(text, limit=DEPTH)
    costs.query.append((time.process_time_ns() - before) / 1e6)
    hits = [
        Hit(str((root / hit.path).relative_to(checkout.resolve())), hit.start_line, hit.end_line) for hit in found.hits
    ]
    return [hit for hit in hits if not below or hit.path.startswith(f"{below.rstrip('/')}/")]


@contextmanager
def memory(*, embeddings: bool) -> Iterator[Engine]:
    provider = {} if embeddings else {"embed_provider": "off"}
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_on_demand=0, **provider) as engine:
        yield engine


# --- judging ---------------------------------------------------------------------------------------------------------


def query_scores(hits: Sequence[Hit], relevant: Sequence[dict[str, Any]]) -> metrics.Scores:
    """Return every measure of one query: by file, and by lines where the labels have some."""
    order = metrics.distinct(hit.path for hit in hits)
    gold = {label["path"] for label in relevant}
    gains = sum(1 / math.log2(place + 2) for place, path in enumerate(order[:10]) if path in gold)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
    scores = {
        "ndcg@10": gains / ideal,
        "recall@10": metrics.found_share(order[:10], gold),
        "hit@1": float(bool(order) and order[0] in gold),
        "mrr": metrics.reciprocal_rank(order, gold),
    }
    spans = [(label["path"], *label["lines"]) for label in relevant if label.get("lines")]
    if spans:
        overlapped = [
            any(hit.path == path and hit.start <= last and hit.end >= first for hit in hits[:10])
            for path, first, last in spans
        ]
        scores["spans@10"] = sum(overlapped) / len(spans)
    return scores


def issue_scores(hits: Sequence[Hit], files: Sequence[str]) -> metrics.Scores:
    """Return whether the file to edit is among the first k."""
    order = metrics.distinct(hit.path for hit in hits)
    scores = {f"acc@{k}": float(not set(files).isdisjoint(order[:k])) for k in ISSUE_KS}
    scores["mrr"] = metrics.reciprocal_rank(order, files)
    return scores


def means(judged: Sequence[Judged]) -> Report:
    """Return the means over all queries, by category and by language, and the worst language."""
    measured = [name for name in judged[0].scores if name != "spans@10"]

    def of(rows: Sequence[Judged]) -> Report:
        return metrics.mean([{name: row.scores[name] for name in measured} for row in rows])

    languages = {
        key: of([row for row in judged if row.language == key]) for key in sorted({row.language for row in judged})
    }
    spans = [row.scores["spans@10"] for row in judged if "spans@10" in row.scores]
    worst = min(languages, key=lambda key: languages[key][measured[0]])
    return {
        "all": of(judged),
        "categories": {
            key: of([row for row in judged if row.category == key]) for key in sorted({row.category for row in judged})
        },
        "languages": languages,
        "worst_language": {worst: languages[worst][measured[0]]},
        **({"spans@10": {"n": len(spans), "mean": round(sum(spans) / len(spans), 4)}} if spans else {}),
    }


# --- the run ---------------------------------------------------------------------------------------------------------


def label_files(given: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every label file of the given files and folders."""
    for path in given:
        for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
            yield file.stem, json.loads(file.read_text(encoding="utf-8"))


class Run:
    """One run over all label files."""

    def __init__(self, chosen: argparse.Namespace, out: TextIO | None) -> None:
        self.chosen = chosen
        self.out = out
        self.costs = Costs()
        self.queries: list[Judged] = []
        self.issues: list[Judged] = []
        self.without: dict[str, list[Judged]] = {name: [] for name in SIGNALS} if chosen.ablate else {}
        self.skipped: list[str] = []

    def search(self, labels: dict[str, Any]) -> None:
        """Ask the queries of one repository."""
        checkout = checkout_of(self.chosen.repos, labels["source"], labels["repo"])
        if checkout is None:
            self.skipped.append(labels["source"])
            return
        below = labels.get("root") or ""
        with memory(embeddings=not self.chosen.no_embeddings) as engine, tempfile.TemporaryDirectory() as folder:
            tree = Tree(Path(folder)).at(checkout, labels["commit"], below)
            root = fill(engine, tree / below, self.costs, embeddings=not self.chosen.no_embeddings)
            for query in labels["queries"][: self.chosen.limit]:
                hits = ask(engine, query["text"], root, tree, below, self.costs)
                self.queries.append(self._judged(labels, query, hits))
                self._write(labels["repo"], query["id"], query["text"], hits)
                for name, rows in self.without.items():
                    engine.code.leave_out = SIGNALS[name]
                    rows.append(self._judged(labels, query, ask(engine, query["text"], root, tree, below, Costs())))
                    engine.code.leave_out = frozenset()
        _say(f"{labels['repo']}: {len(self.queries)} queries asked")

    def _judged(self, labels: dict[str, Any], query: dict[str, Any], hits: Sequence[Hit]) -> Judged:
        scores = query_scores(hits, query["relevant"])
        return Judged(labels["repo"], labels["language"], query.get("category", ""), scores)

    def locate(self, labels: dict[str, Any]) -> None:
        """Ask for the file to edit, the tree as of each issue's commit; one index follows from commit to commit."""
        for source in sorted({issue["source"] for issue in labels["instances"]}):
            checkout = checkout_of(self.chosen.repos, source, "")
            if checkout is None:
                self.skipped.append(source)
                continue
            mine = [issue for issue in labels["instances"] if issue["source"] == source]
            with memory(embeddings=not self.chosen.no_embeddings) as engine, tempfile.TemporaryDirectory() as folder:
                following = Tree(Path(folder))
                for issue in mine[: self.chosen.limit]:
                    tree = following.at(checkout, issue["commit"])
                    root = fill(engine, tree, self.costs, embeddings=not self.chosen.no_embeddings)
                    hits = ask(engine, issue["text"], root, tree, "", self.costs)
                    scores = issue_scores(hits, issue["files"])
                    self.issues.append(Judged(source, issue["language"], "", scores))
                    self._write(source, issue["id"], issue["id"], hits)
                    _say(f"{issue['id']}: {scores}")

    def _write(self, repo: str, key: str, text: str, hits: Sequence[Hit]) -> None:
        if self.out:
            line = {"repo": repo, "id": key, "query": text, "ranked": [str(hit) for hit in hits]}
            self.out.write(json.dumps(line, ensure_ascii=False) + "\n")

    def report(self) -> Report:
        """Return everything that was measured."""
        found: Report = {"embeddings": not self.chosen.no_embeddings, **self.costs.report(), "skipped": self.skipped}
        if self.queries:
            found["code_search"] = means(self.queries)
        if self.issues:
            found["issues"] = means(self.issues)
        if self.without and self.queries:
            whole = found["code_search"]["all"]
            found["earned_points"] = {
                name: {
                    key: round(100 * (whole[key] - value), 2) for key, value in means(rows)["all"].items() if key != "n"
                }
                for name, rows in self.without.items()
            }
        return found


def tables(report: Report) -> Iterator[str]:
    """Yield the report as tables."""
    if "code_search" in report:
        found = report["code_search"]
        names = [name for name in found["all"] if name != "n"]
        rows = [("all", found["all"]), *found["categories"].items(), *found["languages"].items()]
        yield metrics.table(
            ["", "n", *names], [[key, str(row["n"]), *metrics.percents(row, names)] for key, row in rows]
        )
    if "issues" in report:
        row = report["issues"]["all"]
        names = [name for name in row if name != "n"]
        yield metrics.table(["issues", "n", *names], [["all", str(row["n"]), *metrics.percents(row, names)]])
    if "earned_points" in report:
        names = list(next(iter(report["earned_points"].values())))
        ordered = sorted(report["earned_points"].items(), key=lambda item: -item[1][names[0]])
        yield metrics.table(
            ["points earned by", *names], [[key, *(f"{row[name]:+.1f}" for name in names)] for key, row in ordered]
        )


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--labels", type=Path, nargs="+", required=True, metavar="DIR_OR_FILE")
    parser.add_argument("--repos", type=Path, required=True, metavar="DIR", help="one checkout per repository")
    parser.add_argument("--out", type=Path, metavar="RANKED", help="write the rankings here, one JSON line per query")
    parser.add_argument("--no-embeddings", action="store_true", help="search without vectors")
    parser.add_argument("--ablate", action="store_true", help="repeat without each group of signals")
    parser.add_argument("--limit", type=int, metavar="N", help="queries per file, for a quick look")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results; prints JSON, too")
    chosen = parser.parse_args()
    out = chosen.out.open("w", encoding="utf-8") if chosen.out else None
    run = Run(chosen, out)
    try:
        for _, labels in label_files(chosen.labels):
            if "instances" in labels:
                run.locate(labels)
            else:
                run.search(labels)
    finally:
        if out:
            out.close()
    report = run.report()
    if not (run.queries or run.issues):
        parser.error(f"no checkout found below {chosen.repos} for {', '.join(run.skipped) or 'these labels'}")
    if not chosen.json:
        for text in tables(report):
            sys.stdout.write(text + "\n")
    if chosen.json or chosen.save:
        measure.publish("code-search", report, save=chosen.save)


if __name__ == "__main__":
    main()
