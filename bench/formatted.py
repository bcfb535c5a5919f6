"""Verdicts across the commit with which a real repository adopted a formatter.

The state before the commit is indexed and a memory is anchored to each sampled symbol. Then the state after it is
written, real edits are planted into some symbols (bench/mutation.py), and the verdict of every memory is read from a
recall. What is right does not come from recollect: a symbol is fresh if its syntax tree is the same before and after,
by Python's `ast` for Python and by the TypeScript compiler (bench/syntax_trees.js) for JavaScript and TypeScript.
"""

from __future__ import annotations

import ast
import io
import json
import os
import random
import subprocess
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mutation import Target, changed, reads
from recollect import Engine
from recollect.code.index.languages import detect
from recollect.code.index.symbols import Symbol

PYTHON, SCRIPTS = (".py",), (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
KINDS = ("Function", "Method", "Class", "Interface", "Type", "Test", "Constant")
# One symbol of so many is edited by hand: enough to measure the precision of "changed".
PLANTED = 8
TREES = Path(__file__).with_name("syntax_trees.js")


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
    spec: str, home: Path, *, typescript: Path | None, most: int, seed: int
) -> tuple[dict[str, Any], list[str]]:
    """Return the numbers of one repository, given as PATH@COMMIT, and a line for every wrong verdict."""
    repository, _, commit = spec.rpartition("@")
    chance = random.Random(seed)
    before, after = (_files(repository, name, typescript is not None) for name in (f"{commit}^", commit))
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


def _files(repository: str, commit: str, scripts: bool) -> dict[str, bytes]:
    """Return the files of a commit that an independent parser can read."""
    packed = subprocess.run(
        ["git", "-C", repository, "archive", "--format=tar", commit], capture_output=True, check=True
    ).stdout
    endings = PYTHON + SCRIPTS * scripts
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
        names = [name for name, symbol in was.items() if name in now and symbol.kind in KINDS]
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
        pairs = zip(trees[::2], trees[1::2], strict=True)
        found += [case._replace(trees=pair) for case, pair in zip(scripts, pairs, strict=True)]
    return found


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
