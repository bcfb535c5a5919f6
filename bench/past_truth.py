"""The verdicts on imported memories, against an independent truth: `bench/freshness.py --history` runs it.

Truth compares the syntax trees of a symbol, or of a whole file, at the commit of its memory and today: Python's `ast`
(comments and format do not count, docstrings do), and the TypeScript compiler. Files are followed through the renames
of `git log -M`, of all branches. A symbol that is in none of these files today was moved if another file has the same
tree under the same name, and is gone otherwise; where another file has the name with another tree, changed and gone
are both right.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from freshness import PYTHON, SCRIPTS, TREES, _Plain, _symbols
from recollect import Engine
from recollect.code.index.symbols import Symbol
from recollect.model import Anchor, AnchorState, Memory

# All memories of a repository: few of its code is the same today.
MOST = 20_000
RIGHT = {"fresh": "same", "moved": "same", "changed": "changed", "gone": "gone"}


class Case(NamedTuple):
    """An anchor of an imported memory: its place at a commit, the time of that, and the verdict."""

    path: str
    symbol: str | None
    commit: str
    at: int
    verdict: str


Judged = list[tuple[Case, tuple[str, ...]]]


def measured(repository: Path, folder: Path, *, typescript: Path | None) -> tuple[dict[str, Any], Judged, list[str]]:
    """Return the numbers of one repository, its judged anchors, and a line for every wrong verdict."""
    root = _checked_out(repository, folder)
    with Engine(home=str(folder / "home"), embed_provider="off") as engine:
        engine.code.index(str(root))
        engine.history.import_history(str(root), only=("git",), limit=MOST)
        cases = list(_cases(engine))
        memories = engine.store.count(Memory, {"source": "import"})
    truth = Truth(root, typescript)
    rows = [(case, truth.right(case)) for case in cases]
    while truth.compile():  # what was asked for decides what is asked next
        rows = [(case, truth.right(case)) for case in cases]
    judged = [(case, right) for case, right in rows if right and case.verdict in RIGHT]
    wrong = [
        f"{case.commit[:10]} {case.path}::{case.symbol}: {case.verdict}, not {' or '.join(right)}"
        for case, right in judged
        if RIGHT[case.verdict] not in right
    ]
    said = dict(Counter(case.verdict for case in cases))
    name = repository.name if repository.name not in ("repo", ".git") else repository.parent.name.rpartition("+")[2]
    counts = {"memories": memories, "anchors": len(cases), "judged": len(judged), "verdicts": said}
    return {"repository": name, **counts, **rates(judged)}, judged, wrong


def rates(rows: Judged) -> dict[str, Any]:
    """Return precision and recall of each verdict."""
    return {verdict: _rates(rows, verdict) for verdict in ("same", "changed", "gone")}


def _rates(rows: Sequence[tuple[Case, tuple[str, ...]]], verdict: str) -> dict[str, Any]:
    """Return precision and recall; a verdict counts as right if it is one of the right ones."""
    claimed = [right for case, right in rows if RIGHT[case.verdict] == verdict]
    # Where two verdicts are right, the other one is no miss.
    wanted = [case for case, right in rows if right == (verdict,)]
    hits = sum(verdict in right for right in claimed)
    found = sum(RIGHT[case.verdict] == verdict for case in wanted)
    return {
        "n": len(wanted),
        "precision": round(hits / len(claimed), 4) if claimed else None,
        "recall": round(found / len(wanted), 4) if wanted else None,
    }


def _checked_out(repository: Path, folder: Path) -> Path:
    """Return a work tree of a repository, without files whose content a partial clone lacks."""
    root = folder / "tree"
    subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", str(repository), str(root)], check=True)
    subprocess.run(["git", "read-tree", "HEAD"], cwd=root, check=True)
    subprocess.run(["git", "checkout-index", "-a", "-f", "-q"], cwd=root, check=False, capture_output=True)
    return root


def _cases(engine: Engine) -> Iterator[Case]:
    states = {state.id: state for state in engine.store.find(AnchorState)}
    memories = {row.id: row for row in engine.store.find(Memory, {"source": "import"})}
    for anchor in engine.store.find(Anchor):
        memory = memories.get(anchor.memory_id)
        if memory is not None and memory.head and anchor.id in states:
            yield Case(anchor.path, anchor.symbol, memory.head, memory.created_at, states[anchor.id].verdict)


class Truth:
    """What independent parsers say."""

    def __init__(self, root: Path, typescript: Path | None) -> None:
        self._root = root
        self._node = _Compiler(typescript) if typescript is not None else None
        self._renames = list(self._renamed())
        self._today = self._git("ls-files").splitlines()

    def right(self, case: Case) -> tuple[str, ...]:
        """Return the right verdicts: same, changed, gone; empty where no parser can tell."""
        then = self._tree(case.path, self._content(case.commit, case.path), case.symbol)
        if not then:
            return ()
        places = [path for path in self._followed(case) if (self._root / path).is_file()]
        now = [self._tree(path, (self._root / path).read_bytes(), case.symbol) for path in places]
        if then in now:
            return ("same",)
        if any(now):
            return ("changed",)
        if case.symbol is None:
            return () if places else ("gone",)
        return self._elsewhere(case, then)

    def compile(self) -> bool:
        """Make the trees that were missing; returns whether there were any."""
        return self._node is not None and self._node.run()

    def _elsewhere(self, case: Case, then: str) -> tuple[str, ...]:
        """Return the verdict on a symbol that is not in its file."""
        name = (case.symbol or "").rpartition(".")[2]
        trees = [tree for path in self._like(case.path) for tree in self._named(path, name)]
        if then in trees:
            return ("same", "gone") if len(trees) > 1 else ("same",)
        # Renamed within its file, or moved and edited: nobody can tell for certain.
        return ("changed", "gone")

    def _like(self, path: str) -> list[str]:
        return [each for each in self._today if each.endswith(PYTHON if path.endswith(PYTHON) else SCRIPTS)]

    def _named(self, path: str, name: str) -> list[str]:
        file = self._root / path
        source = file.read_bytes() if file.is_file() and not file.is_symlink() else b""
        if name.encode() not in source:
            return []
        if path.endswith(PYTHON):
            return [_python(source, symbol) for symbol in _nodes(source) if symbol.rpartition(".")[2] == name]
        found = [symbol for symbol in _scripts(path, source) if symbol.rpartition(".")[2] == name]
        return [self._tree(path, source, symbol) for symbol in found]

    def _tree(self, path: str, source: bytes | None, symbol: str | None) -> str:
        if source is None:
            return ""
        if path.endswith(PYTHON):
            return _python(source, symbol or "")
        if self._node is None or not path.endswith(SCRIPTS) or len(source) > 200_000:
            return ""
        if symbol is None:
            return self._node.tree(path, source, 0, len(source))
        found = _scripts(path, source).get(symbol)
        return self._node.tree(path, source, found.start_byte, found.end_byte) if found is not None else ""

    def _followed(self, case: Case) -> list[str]:
        """Return the path of a file and those that it got after a commit, the oldest rename first."""
        paths = [case.path]
        for at, old, new in self._renames:
            if old == paths[-1] and at >= case.at and new not in paths:
                paths.append(new)
        return paths

    def _renamed(self) -> Iterator[tuple[int, str, str]]:
        words = ("log", "--reverse", "-M", "--name-status", "--diff-filter=R", "--format=%x01%ct", "-z")
        parts = iter(self._git(*words, check=False).replace("\n", "").split("\0"))
        at = 0
        for part in parts:
            if part.startswith("\x01"):
                at = int(part[1:] or 0)
            elif part.startswith("R"):
                yield at, next(parts, ""), next(parts, "")

    @lru_cache(maxsize=4096)  # noqa: B019 - one object per repository
    def _content(self, commit: str, path: str) -> bytes | None:
        done = subprocess.run(
            ["git", "cat-file", "blob", f"{commit}:{path}"], cwd=self._root, capture_output=True, check=False
        )
        return done.stdout if done.returncode == 0 else None

    def _git(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(["git", *words], cwd=self._root, capture_output=True, check=check)
        return done.stdout.decode("utf-8", "replace")


class _Compiler:
    """The TypeScript compiler; a tree is empty until `run` made those that were asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[str, int, int, int], str] = {}
        self._asked: dict[tuple[str, int, int, int], dict[str, object]] = {}

    def tree(self, path: str, source: bytes, start: int, end: int) -> str:
        """Return the tree of a piece of text."""
        key = (path, hash(source), start, end)
        if key not in self._known:
            first, last = (len(source[:at].decode("utf-8", "replace").encode("utf-16-le")) // 2 for at in (start, end))
            text = source.decode("utf-8", "replace")
            self._asked[key] = {"path": path, "text": text, "start": first, "end": last}
        return self._known.get(key, "")

    def run(self) -> bool:
        """Make the trees that were asked for; returns whether there were any."""
        asked, self._asked = list(self._asked.items()), {}
        for start in range(0, len(asked), 500):
            piece = asked[start : start + 500]
            command = ["node", str(TREES), str(self._folder)]
            given = json.dumps([order for _, order in piece])
            done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
            trees = json.loads(done.stdout)
            self._known |= {key: tree or "" for (key, _), tree in zip(piece, trees, strict=True)}
        return bool(asked)


@lru_cache(maxsize=2048)
def _scripts(path: str, source: bytes) -> dict[str, Symbol]:
    return _symbols(path, source)


@lru_cache(maxsize=4096)
def _python(source: bytes, symbol: str) -> str:
    """Return the tree of a symbol of a Python file by its qualified name, of the whole file for the empty one."""
    return "\n".join(ast.dump(_Plain().visit(node)) for node in _nodes(source).get(symbol, ()))


@lru_cache(maxsize=256)
def _nodes(source: bytes) -> dict[str, list[ast.AST]]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, list[ast.AST]] = {"": [tree]}
    _collect(tree, "", found)
    return found


def _collect(node: ast.AST, owner: str, found: dict[str, list[ast.AST]]) -> None:
    for child in ast.iter_child_nodes(node):
        names: list[str] = []
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [child.name]
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        for name in names:
            found.setdefault(f"{owner}.{name}".lstrip("."), []).append(child)
        inner = f"{owner}.{names[0]}".lstrip(".") if hasattr(child, "body") and names else owner
        if not isinstance(child, ast.expr):
            _collect(child, inner, found)
