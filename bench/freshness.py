"""How often a freshness verdict is right: edits of real repositories, memories that speak of the edited symbols.

    python bench/freshness.py --repos DIR [DIR …] [--rounds N] [--seed N] [--save]
    python bench/freshness.py --across REPO@COMMIT … [--typescript DIR] [--java] [--symbols N] [--save]
    python bench/freshness.py --history REPO … [--typescript DIR] [--wrong] [--save]

Every repository is copied. In a round, memories that name a symbol are stored, its file is edited in a known way
(bench/mutation.py), the project is indexed again, and the verdict is read from the hit of a recall: everything goes
through the public surface. Then the files are put back, and every memory must be fresh again. Told are precision and
recall per verdict, and per kind of edit how many verdicts and new places were right.

With --across, the edit is a commit of the repository itself, one by which it adopted a formatter. Fresh is then
what an independent parser says: Python's `ast`, the TypeScript compiler (bench/syntax_trees.js) and javac
(bench/SyntaxTrees.java). REPO is a repository, bare or not. JavaScript and TypeScript are measured with --typescript,
the folder of the npm package `typescript`, and Java with --java, which needs a JDK.

With --history, the history of a repository is imported, and every anchor of an imported memory is compared with what
the same parsers say of its symbol at the commit and today (bench/past_truth.py).
"""

from __future__ import annotations

import argparse
import ast
import base64
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from measure import publish
from mutation import EDITS, Edit, Target, changed, deleted, moved, reads, renamed, twin
from recollect import Engine
from recollect.code.index.languages import BY_NAME, detect
from recollect.code.index.symbols import Symbol
from recollect.model import File, Hit, Tree

# --- formatted ---

PYTHON, SCRIPTS = (".py",), (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
FORMATTED_KINDS = ("Function", "Method", "Class", "Interface", "Type", "Test", "Constant")
# One symbol of so many is edited by hand: enough to measure the precision of "changed".
PLANTED = 8
JAVA = (".java",)
TREES = Path(__file__).with_name("syntax_trees.js")
JAVA_TREES = Path(__file__).with_name("SyntaxTrees.java")


class Case(NamedTuple):
    """A symbol before and after the commit; trees: what an independent parser made of it each time."""

    path: str
    symbol: str
    language: str
    was: Symbol
    now: Symbol
    trees: tuple[str, str] = ("", "")

    @property
    def right(self) -> str:
        return "fresh" if self.trees[0] == self.trees[1] else "changed"


def measure(
    spec: str, home: Path, *, typescript: Path | None, java: bool, most: int, seed: int
) -> tuple[dict[str, Any], list[str]]:
    """Return the numbers of one repository, given as PATH@COMMIT, and a line for every wrong verdict."""
    repository, _, commit = spec.rpartition("@")
    chance = random.Random(seed)
    endings = PYTHON + SCRIPTS * (typescript is not None) + JAVA * java
    before, after = (_files(repository, name, endings) for name in (f"{commit}^", commit))
    common = sorted(path for path in before if path in after)
    cases = list(_cases(before, after, common, chance, most))
    planted = _plant(after, cases, chance)
    cases = [case for case in _again(cases, after) if case is not None]
    cases = [case for case in _judged(cases, before, after, typescript) if all(case.trees)]
    root = home / "tree"
    with Engine(home=str(home / "home"), embed_provider="off") as engine:
        _write(root, before)
        engine.code.index(str(root))
        for number, case in enumerate(cases):
            engine.memories.store(_told(number), namespace=str(root), anchors=(f"{case.path}::{case.symbol}",))
        _write(root, after)
        engine.code.index(str(root))
        said = [_verdict(engine, root, number) for number in range(len(cases))]
    wrong = [
        f"{case.language} {case.path}::{case.symbol}: {verdict}, not {case.right}"
        for case, verdict in zip(cases, said, strict=True)
        if verdict != case.right
    ]
    name = Path(repository).name if Path(repository).name != "repo" else Path(repository).parent.name.rpartition("+")[2]
    return {"repository": name, "commit": commit, "planted": planted, **_numbers(cases, said)}, wrong


def _numbers(cases: Sequence[Case], said: Sequence[str]) -> dict[str, Any]:
    rows = [(case.right, verdict) for case, verdict in zip(cases, said, strict=True)]
    report: dict[str, Any] = {"symbols": len(rows), "languages": _counts(case.language for case in cases)}
    for verdict in ("fresh", "changed"):
        both = sum(right == told == verdict for right, told in rows)
        claimed, right = (sum(row[place] == verdict for row in rows) for place in (1, 0))
        report[verdict] = {
            "n": right,
            "precision": round(both / claimed, 4) if claimed else None,
            "recall": round(both / right, 4) if right else None,
        }
    return {**report, "other": _counts(told for _, told in rows if told not in ("fresh", "changed"))}


def _counts(names: Iterator[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


# --- the two states ---


def _files(repository: str, commit: str, endings: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files of a commit that an independent parser can read."""
    packed = subprocess.run(
        ["git", "-C", repository, "archive", "--format=tar", commit], capture_output=True, check=True
    ).stdout
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() and member.name.endswith(endings) else None
            if content is not None and member.size < 200_000:
                found[member.name] = content.read()
    return found


def _cases(
    before: Mapping[str, bytes], after: Mapping[str, bytes], paths: Sequence[str], chance: random.Random, most: int
) -> Iterator[Case]:
    """Yield symbols that both states have, a few of every file, until there are enough."""
    shuffled = [path for path in paths if before[path] != after[path]]
    chance.shuffle(shuffled)
    left = most
    for path in shuffled:
        language = detect(path, before[path][:8192])
        was, now = (_symbols(path, state[path]) for state in (before, after)) if language else ({}, {})
        names = [name for name, symbol in was.items() if name in now and symbol.kind in FORMATTED_KINDS]
        for name in chance.sample(names, min(len(names), max(3, most // max(len(shuffled), 1)), left)):
            left -= 1
            yield Case(path, name, language.name if language else "", was[name], now[name])
        if left <= 0:
            return


def _symbols(path: str, source: bytes) -> dict[str, Symbol]:
    """Return the symbols of a file whose qualified name is theirs alone."""
    language = detect(path, source[:8192])
    found = reads(source, path, language) or [] if language is not None and b"\r" not in source else []
    names = [symbol.qualified for symbol in found]
    # What a test is called by in JavaScript is a sentence, which an anchor cannot always name.
    return {
        symbol.qualified: symbol
        for symbol in found
        if names.count(symbol.qualified) == 1 and symbol.name.isprintable() and symbol.name[-1:] not in ".:#"
    }


def _plant(after: dict[str, bytes], cases: Sequence[Case], chance: random.Random) -> int:
    """Edit the body of some symbols, one of a file at most."""
    edited: set[str] = set()
    for case in chance.sample(cases, len(cases) // PLANTED):
        language = detect(case.path, after[case.path][:8192])
        if case.path in edited or language is None:
            continue
        symbols = list(_symbols(case.path, after[case.path]).values())
        edit = changed(Target(case.path, after[case.path], language, case.now, symbols, chance))
        content = edit.files[case.path] if edit is not None else None
        if content is not None:
            after[case.path] = content
            edited.add(case.path)
    return len(edited)


def _again(cases: Sequence[Case], after: Mapping[str, bytes]) -> Iterator[Case | None]:
    """Yield the cases with their symbols where they are after the edits."""
    known: dict[str, dict[str, Symbol]] = {}
    for case in cases:
        if case.path not in known:
            known[case.path] = _symbols(case.path, after[case.path])
        now = known[case.path].get(case.symbol)
        yield case._replace(now=now) if now is not None else None


def _write(root: Path, files: Mapping[str, bytes]) -> None:
    for number, (path, content) in enumerate(files.items()):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_bytes() != content:
            # A time that no other state had: edits follow each other faster than clocks tick.
            at = (1_800_000_000 if file.exists() else 1_700_000_000) * 10**9 + number
            file.write_bytes(content)
            os.utime(file, ns=(at, at))
    for file in [file for file in root.rglob("*") if file.is_file() and str(file.relative_to(root)) not in files]:
        file.unlink()


# --- what is right ---


def _judged(
    cases: Sequence[Case], before: Mapping[str, bytes], after: Mapping[str, bytes], typescript: Path | None
) -> list[Case]:
    """Return the cases with the trees of an independent parser; empty where it cannot read the file."""
    found = [
        case._replace(trees=(_of_python(before[case.path], case.was), _of_python(after[case.path], case.now)))
        for case in cases
        if case.path.endswith(PYTHON)
    ]
    scripts = [case for case in cases if case.path.endswith(SCRIPTS)]
    if scripts and typescript is not None:
        orders = [
            {"path": case.path, "text": state[case.path].decode("utf-8", "replace"), "start": row[0], "end": row[1]}
            for case in scripts
            for state, row in ((before, _span(before, case, case.was)), (after, _span(after, case, case.now)))
        ]
        done = subprocess.run(
            ["node", str(TREES), str(typescript)], input=json.dumps(orders), capture_output=True, text=True, check=True
        )
        trees = json.loads(done.stdout)
        found += _paired(scripts, trees)
    if java := [case for case in cases if case.path.endswith(JAVA)]:
        lines = [
            f"{base64.b64encode(state[case.path]).decode()} {start} {end}\n"
            for case in java
            for state, (start, end) in ((before, _span(before, case, case.was)), (after, _span(after, case, case.now)))
        ]
        command = ["java", "--source", "17", str(JAVA_TREES)]
        done = subprocess.run(command, input="".join(lines), capture_output=True, text=True, check=True)
        found += _paired(java, [base64.b64decode(line).decode() for line in done.stdout.split("\n")[:-1]])
    return found


def _paired(cases: Sequence[Case], trees: Sequence[str]) -> list[Case]:
    """Return the cases with their trees, of which there are two for each."""
    pairs = zip(trees[::2], trees[1::2], strict=True)
    return [case._replace(trees=pair) for case, pair in zip(cases, pairs, strict=True)]


def _span(state: Mapping[str, bytes], case: Case, symbol: Symbol) -> tuple[int, int]:
    """Return where a symbol is in UTF-16 units, in which JavaScript counts."""
    start, end = (
        len(state[case.path][:at].decode("utf-8", "replace").encode("utf-16-le")) // 2
        for at in (symbol.start_byte, symbol.end_byte)
    )
    return start, end


def _of_python(source: bytes, symbol: Symbol) -> str:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == symbol.name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if symbol.start_line <= first <= node.lineno <= symbol.end_line == node.end_lineno:
                return ast.dump(_Plain().visit(node))
    return ""


class _Plain(ast.NodeTransformer):
    """Takes away what Python does not read: the prefix u, and white space around the lines of a docstring."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant(node.value)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        value = node.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return ast.Expr(ast.Constant("\n".join(line.strip() for line in value.value.strip().split("\n"))))
        return self.generic_visit(node)


# --- through the public surface ---


def _told(number: int) -> str:
    return f"This must not be called twice: see zq{number}x."


def _verdict(engine: Engine, root: Path, number: int) -> str:
    found = engine.recall.search(f"zq{number}x", namespace=str(root), limit=3, min_score=0.0, code=False)
    return next(hit.freshness.verdict for hit in found.hits if f" zq{number}x." in hit.memory.content)


VERDICTS = ("fresh", "changed", "moved", "gone")
KINDS = ("Function", "Method", "Class", "Interface", "Type")
# Kinds of edits that are made of a symbol and another file, or in two steps.
ACROSS = (
    "move",
    "move and edit",
    "paste, then cut",
    "rename beside a twin",
    "deletion beside a twin",
    "one of two files",
)
NEVER_STALE = ("comment", "white space", "edit beside", "file: comment", "file: white space", "put back")


class Trial(NamedTuple):
    """A memory about a symbol, the edit of that symbol, and files that must be there before, and between."""

    kind: str
    token: str
    target: Target
    edit: Edit
    before: Mapping[str, bytes] = {}
    between: Mapping[str, bytes | None] = {}


class Outcome(NamedTuple):
    repository: str
    kind: str
    right: str
    said: str
    placed: bool
    what: str


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--repos", nargs="+", default=[], type=Path)
    options.add_argument("--across", nargs="+", default=[], help="repositories, each as PATH@COMMIT")
    options.add_argument("--history", nargs="+", default=[], type=Path, help="repositories whose history is imported")
    options.add_argument("--typescript", type=Path)
    options.add_argument("--java", action="store_true", help="measure Java too, which needs a JDK")
    options.add_argument("--symbols", type=int, default=400, help="symbols per repository, with --across")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--files", type=int, default=60, help="files edited per round at most")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--save", action="store_true")
    options.add_argument("--wrong", action="store_true", help="print every wrong verdict")
    chosen = options.parse_args()
    if chosen.across:
        across(chosen)
    if chosen.history:
        history(chosen)
    if not chosen.repos:
        return
    outcomes: list[Outcome] = []
    unanchored: Counter[str] = Counter()
    for folder in chosen.repos:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name) / folder.name
            shutil.copytree(folder, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            outcomes += Bench(root, Path(name) / "home", random.Random(chosen.seed), chosen.files, unanchored).run(
                chosen.rounds
            )
    if chosen.wrong:
        for row in outcomes:
            if row.right != row.said or not row.placed:
                sys.stderr.write(f"{row.repository} {row.kind}: {row.said}, not {row.right}: {row.what}\n")
        sys.stderr.write("".join(f"not anchored: {told}\n" for told in unanchored))
    publish("freshness", {**report(outcomes), "not_anchored": unanchored.total()}, save=chosen.save)


def across(chosen: argparse.Namespace) -> None:
    """Measure the commits by which repositories adopted a formatter."""
    rows = []
    for spec in chosen.across:
        with tempfile.TemporaryDirectory() as name:
            parsers = {"typescript": chosen.typescript, "java": chosen.java}
            row, wrong = measure(spec, Path(name), **parsers, most=chosen.symbols, seed=chosen.seed)
        rows.append(row)
        sys.stderr.write("".join(f"{line}\n" for line in wrong) if chosen.wrong else "")
    publish("formatters", {"repositories": rows}, save=chosen.save)


def history(chosen: argparse.Namespace) -> None:
    """Measure the verdicts on imported memories."""
    from past_truth import measured, rates

    rows, every = [], []
    for repository in chosen.history:
        with tempfile.TemporaryDirectory() as name:
            row, judged, wrong = measured(repository, Path(name), typescript=chosen.typescript)
        rows.append(row)
        every += judged
        sys.stderr.write("".join(f"{line}\n" for line in wrong) if chosen.wrong else "")
    publish("history-freshness", {"overall": rates(every), "repositories": rows}, save=chosen.save)


class Bench:
    """One repository and a memory of it."""

    def __init__(self, root: Path, home: Path, chance: random.Random, files: int, unanchored: Counter[str]) -> None:
        self._root, self._home, self._chance, self._most = root, home, chance, files
        self._unanchored = unanchored
        self._number = 0

    def run(self, rounds: int) -> list[Outcome]:
        found: list[Outcome] = []
        for _ in range(rounds):
            with Engine(home=str(self._home), embed_provider="off") as engine:
                engine.code.index(str(self._root))
                found += self._round(engine)
            shutil.rmtree(self._home)
        return found

    def _round(self, engine: Engine) -> list[Outcome]:
        trials = list(self._trials(engine))
        kept = {path: self._read(path) for trial in trials for path in self._paths(trial)}
        for trial in trials:
            self._write(trial.before)
        engine.code.index(str(self._root))
        told = [trial for trial in trials if self._remember(engine, trial)]
        for trial in trials:
            self._write(trial.between)
        if any(trial.between for trial in trials):
            engine.code.index(str(self._root))
        for trial in trials:
            self._write(trial.edit.files)
        engine.code.index(str(self._root))
        # A file may be ignored under its new name: then it is gone, and there is nothing to be right about.
        told = [trial for trial in told if trial.edit.verdict == "gone" or self._is_indexed(engine, trial.edit.path)]
        outcomes = [self._outcome(engine, trial) for trial in told] + [self._of_file(engine, trial) for trial in told]
        self._write({path: content for trial in trials for path, content in trial.before.items()})
        self._write({path: content for path, content in kept.items() if not self._is_before(trials, path)})
        engine.code.index(str(self._root))
        outcomes += [self._put_back(engine, trial, what) for trial in told for what in (trial.token, trial.token + "f")]
        self._write(kept)
        return outcomes

    @staticmethod
    def _is_before(trials: Sequence[Trial], path: str) -> bool:
        return any(path in trial.before for trial in trials)

    @staticmethod
    def _paths(trial: Trial) -> set[str]:
        return {*trial.edit.files, *trial.before, *trial.between}

    # --- trials ---

    def _trials(self, engine: Engine) -> Iterator[Trial]:
        """Yield one trial per file, kinds of edits in turn."""
        targets = list(self._targets(engine))
        kinds = [*EDITS, *ACROSS]
        used: set[str] = set()
        number = 0
        for target in targets:
            if target.path in used:
                continue
            for kind in kinds[number % len(kinds) :] + kinds[: number % len(kinds)]:
                trial = self._trial(kind, target, targets, used)
                if trial is not None:
                    used |= self._paths(trial)
                    yield trial
                    number += 1
                    break
            if number >= self._most:
                return

    def _trial(self, kind: str, target: Target, targets: Sequence[Target], used: set[str]) -> Trial | None:
        token = f"zq{self._number}x"
        self._number += 1
        if kind in EDITS:
            edit = EDITS[kind](target)
            return Trial(kind, token, target, edit) if edit is not None and not used & set(edit.files) else None
        if "twin" in kind:
            source = twin(target)
            symbols = reads(source, target.path, target.language) if source is not None else None
            here = next((row for row in symbols or () if row.qualified == target.symbol.qualified), None)
            if source is None or symbols is None or here is None:
                return None
            paired = target._replace(source=source, symbol=here, every=symbols)
            edit = renamed(paired) if kind.startswith("rename") else deleted(paired)
            return Trial(kind, token, paired, edit, before={target.path: source}) if edit is not None else None
        if kind == "one of two files":
            folder, _, name = target.path.rpartition("/")
            copy = "/".join(part for part in (folder, "copies", name) if part)
            edit = Edit({target.path: None}, "gone", target.path, target.symbol.qualified)
            return Trial(kind, token, target, edit, before={copy: target.source})
        return self._across(kind, token, target, targets, used)

    def _across(self, kind: str, token: str, target: Target, targets: Sequence[Target], used: set[str]) -> Trial | None:
        folder = target.path.rpartition("/")[0]
        others = [
            other
            for other in targets
            if other.language == target.language
            and other.path != target.path
            and other.path not in used
            and other.path.rpartition("/")[0] == folder
        ]
        self._chance.shuffle(others)
        for other in others[:4]:
            edit = moved(target, other.path, other.source, alter=kind == "move and edit")
            if edit is None:
                continue
            if kind == "paste, then cut":
                first = {other.path: edit.files[other.path]}
                return Trial(kind, token, target, edit, between=first)
            return Trial(kind, token, target, edit)
        return None

    def _targets(self, engine: Engine) -> Iterator[Target]:
        """Yield a symbol of every file that can be edited, in any order."""
        store = engine.store
        (tree,) = store.find(Tree)
        files = [file for file in store.find(File, {"tree": tree.id}) if not file.skipped and file.symbol_count]
        self._chance.shuffle(files)
        for file in files:
            language = BY_NAME[file.language or ""]
            source = self._read(file.path)
            if language.document or source is None or b"\r" in source or file.size_bytes > 200_000 or file.mark:
                continue
            if detect(file.path, source[:8192]) != language or (symbols := reads(source, file.path, language)) is None:
                continue
            fitting = [
                symbol
                for symbol in symbols
                if symbol.kind in KINDS and len(symbol.name) > 3 and symbol.end_line - symbol.start_line >= 2
                and symbol.name.isidentifier()
            ]  # fmt: skip
            if fitting:
                yield Target(file.path, source, language, self._chance.choice(fitting), symbols, self._chance)

    # --- through the public surface ---

    def _remember(self, engine: Engine, trial: Trial) -> bool:
        """Store a memory that names the symbol; false where that does not lead to it."""
        symbol = trial.target.symbol
        told = f"In {trial.target.path}, `{symbol.qualified}` must not be called twice: see {trial.token}."
        # What a test is called by in JavaScript is a sentence, which no text can name: then the place is given.
        given = () if re.fullmatch(r"[\w.:#]+", symbol.qualified) else (f"{trial.target.path}::{symbol.qualified}",)
        engine.memories.store(told, namespace=str(self._root), anchors=given)
        whole = f"The order of things in {trial.target.path} matters: see {trial.token}f."
        engine.memories.store(whole, namespace=str(self._root))
        anchors = self._hit(engine, trial.token).freshness.anchors
        if [(row.path, row.symbol) for row in anchors] != [(trial.target.path, symbol.qualified)]:
            self._unanchored[f"{self._root.name}: {told} {anchors}"] += 1
            return False
        return True

    def _hit(self, engine: Engine, token: str) -> Hit:
        found = engine.recall.search(token, namespace=str(self._root), limit=3, min_score=0.0, code=False)
        return next(hit for hit in found.hits if f" {token}." in hit.memory.content)

    def _outcome(self, engine: Engine, trial: Trial) -> Outcome:
        fresh = self._hit(engine, trial.token).freshness
        (row,) = fresh.anchors
        here = (row.path, row.symbol) if row.now_path is None else (row.now_path, row.now_symbol)
        placed = trial.edit.verdict == "gone" or here == (trial.edit.path, trial.edit.symbol)
        was = f"{trial.target.path}::{trial.target.symbol.qualified}"
        what = f"{was} → {trial.edit.path}::{trial.edit.symbol}; {fresh.note}"
        return Outcome(self._root.name, trial.kind, trial.edit.verdict, fresh.verdict, placed, what)

    def _of_file(self, engine: Engine, trial: Trial) -> Outcome:
        """Return what was said of a memory that speaks of the whole file."""
        fresh = self._hit(engine, trial.token + "f").freshness
        content, where = trial.edit.files.get(trial.target.path, b""), trial.target.path
        if content is not None:
            right = "fresh" if trial.kind in ("comment", "white space") else "changed"
        else:
            right, where = trial.edit.verdict, trial.edit.path
        (row,) = fresh.anchors
        placed = right == "gone" or (row.now_path or row.path) == where
        return Outcome(self._root.name, f"file: {trial.kind}", right, fresh.verdict, placed, f"{where}; {fresh.note}")

    def _put_back(self, engine: Engine, trial: Trial, token: str) -> Outcome:
        fresh = self._hit(engine, token).freshness
        return Outcome(self._root.name, "put back", "fresh", fresh.verdict, True, f"after {trial.kind}: {fresh.note}")

    @staticmethod
    def _is_indexed(engine: Engine, path: str) -> bool:
        return engine.store.count(File, {"path": path}) > 0

    # --- files ---

    def _read(self, path: str) -> bytes | None:
        file = self._root / path
        return file.read_bytes() if file.is_file() and not file.is_symlink() else None

    def _write(self, files: Mapping[str, bytes | None]) -> None:
        for path, content in files.items():
            file = self._root / path
            if content is None:
                file.unlink(missing_ok=True)
            else:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
                os.utime(file, ns=(self._tick(), self._tick()))

    def _tick(self) -> int:
        """Return a time of a file that no other had: edits follow each other faster than clocks tick."""
        self._number += 1
        return 1_700_000_000_000_000_000 + self._number * 1_000_003


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return precision and recall per verdict, and per kind of edit how many verdicts and places were right."""
    verdicts = {}
    for verdict in VERDICTS:
        said = [row for row in outcomes if row.said == verdict]
        right = [row for row in outcomes if row.right == verdict]
        both = sum(row.right == row.said == verdict for row in outcomes)
        verdicts[verdict] = {
            "precision": round(both / len(said), 4) if said else None,
            "recall": round(both / len(right), 4) if right else None,
            "n": len(right),
        }
    kinds: dict[str, list[Outcome]] = defaultdict(list)
    for row in outcomes:
        kinds[row.kind].append(row)
    edited = [row for row in outcomes if row.kind != "put back" and not row.kind.startswith("file:")]
    return {
        "edits": len(edited),
        "repositories": dict(Counter(row.repository for row in edited)),
        "verdicts": verdicts,
        "never_stale": {kind: sum(row.said != "fresh" for row in kinds[kind]) for kind in NEVER_STALE if kind in kinds},
        "kinds": {
            kind: {
                "n": len(rows),
                "verdict": round(sum(row.right == row.said for row in rows) / len(rows), 4),
                "place": round(sum(row.placed for row in rows) / len(rows), 4),
            }
            for kind, rows in sorted(kinds.items())
        },
    }


if __name__ == "__main__":
    main()
