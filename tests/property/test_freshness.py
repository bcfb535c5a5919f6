"""Comments and white space never stale a memory, whatever is done to them; any other edit shows until it is undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trees import write

from recollect import Engine
from recollect.code.anchors.code_sketch import likeness, sketch
from recollect.code.anchors.mention import mentions

# A program as lines: what may be put between, behind and before them without changing it.
PYTHON = [
    "class Harbour:",
    "    def open_gate(self, ship, tide):",
    "        if tide < 3:",
    "            return self.wait_for(ship, hours=2)",
    "        self.gates.append(ship)",
    '        return f"welcome  {ship}"',
    "",
    "",
    "def close_gate(ship):",
    "    for gate in ship.gates:",
    "        gate.close()",
]
GO = [
    "package harbour",
    "",
    "func OpenGate(ship string, tide int) string {",
    "\tif tide < 3 {",
    "\t\treturn waitFor(ship, 2)",
    "\t}",
    '\treturn "welcome  " + ship',
    "}",
]
NAMES = ("Harbour.open_gate", "close_gate", "OpenGate", "gate.py", "gate.go")

remarks = st.sampled_from(["", "why", "a 'quote", '"', "{ ( [", "def f(): pass", "größe", "*/", "\\"])
places = st.lists(st.tuples(st.integers(0, 10), remarks, st.integers(0, 3), st.booleans()), min_size=1, max_size=6)


def written(lines: list[str], mark: str, edits: list[tuple[int, str, int, bool]], ending: str) -> str:
    """Return a program with comments and blank lines added; those on a line of their own stand at its beginning."""
    behind: dict[int, str] = {}
    above: dict[int, list[str]] = {}
    for at, remark, blanks, is_own in edits:
        place = at % len(lines)
        above.setdefault(place, []).extend(["   "[:blanks]] * blanks)
        if is_own:
            above[place].append(f"{mark} {remark}".rstrip("\\"))
        elif lines[place]:
            behind[place] = f"  {mark} {remark}".rstrip("\\")
    rows = [row for at, line in enumerate(lines) for row in (*above.get(at, ()), line + behind.get(at, ""))]
    return ending.join([*rows, ""])


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    """An engine with a memory of every name, and the project they speak of."""
    folder = tmp_path_factory.mktemp("harbour")
    write(folder / "app", {"gate.py": "\n".join(PYTHON) + "\n", "gate.go": "\n".join(GO) + "\n"})
    with Engine(home=str(folder / "home"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(folder / "app"), namespace="app")
        for name in NAMES:
            engine.memories.store(f"{name} is guarded", namespace="app")
        yield engine, folder / "app"


def verdicts(engine: Engine) -> dict[str, str]:
    hits = engine.recall.search("guarded", namespace="app", min_score=0.0, code=False).hits
    return {hit.memory.content.removesuffix(" is guarded"): hit.freshness.verdict for hit in hits}


def put(engine: Engine, root: Path, python: str, go: str) -> None:
    (root / "gate.py").write_bytes(python.encode())
    (root / "gate.go").write_bytes(go.encode())
    engine.code.index(str(root), namespace="app", rebuild=True)


@pytest.mark.promise("B2")
@settings(max_examples=40)
@given(places, places, st.sampled_from(["\n", "\r\n"]))
def test_comments_and_white_space_never_change_a_verdict(
    harbour: tuple[Engine, Path],
    python: list[tuple[int, str, int, bool]],
    go: list[tuple[int, str, int, bool]],
    ending: str,
) -> None:
    engine, root = harbour
    put(engine, root, written(PYTHON, "#", python, ending), written(GO, "//", go, ending))
    assert verdicts(engine) == dict.fromkeys(NAMES, "fresh")


EDITS = {
    "hours=2": ("hours=3", "Harbour.open_gate"),
    "welcome  {ship}": ("welcome {ship}", "Harbour.open_gate"),
    "gate.close()": ("gate.shut()", "close_gate"),
    "tide < 3:": ("tide <= 3:", "Harbour.open_gate"),
    "waitFor(ship, 2)": ("waitFor(ship, 3)", "OpenGate"),
    '"welcome  "': ('"welcome "', "OpenGate"),
}


@pytest.mark.promise("B2")
@settings(max_examples=20)
@given(st.sets(st.sampled_from(sorted(EDITS)), min_size=1), places)
def test_every_edit_shows_and_only_where_it_was_made(
    harbour: tuple[Engine, Path], chosen: set[str], remarks: list[tuple[int, str, int, bool]]
) -> None:
    engine, root = harbour
    texts = [written(PYTHON, "#", remarks, "\n"), written(GO, "//", remarks, "\n")]
    for old in chosen:
        texts = [text.replace(old, EDITS[old][0]) for text in texts]
    put(engine, root, *texts)
    edited = {EDITS[old][1] for old in chosen}
    files = {"gate.go" if name == "OpenGate" else "gate.py" for name in edited}
    assert verdicts(engine) == {name: "changed" if name in edited | files else "fresh" for name in NAMES}
    put(engine, root, "\n".join(PYTHON) + "\n", "\n".join(GO) + "\n")
    assert set(verdicts(engine).values()) == {"fresh"}


words = st.lists(st.sampled_from("the a server starts stops and or when file is read by hand Server Client".split()))


@given(words, st.sampled_from([". ", ", ", "; ", "? ", " "]))
def test_sentences_name_no_code_whatever_they_say(sentence: list[str], stop: str) -> None:
    assert mentions(stop.join([" ".join(sentence), " ".join(reversed(sentence))])).names == ()


@given(st.text(max_size=400))
def test_any_text_can_be_looked_at(text: str) -> None:
    found = mentions(text)
    assert all(name.name for name in found.names)
    assert all(path.path for path in found.paths)


@given(st.lists(st.sampled_from([b"a", b"b", b"(", b")", b"+", b"name"]), max_size=300))
def test_a_likeness_is_between_nothing_and_all_and_the_same_both_ways(tokens: list[bytes]) -> None:
    one, other = sketch(tokens), sketch(tokens[: len(tokens) // 2])
    assert 0.0 <= likeness(one, other) == likeness(other, one) <= 1.0
    assert likeness(one, one) == (1.0 if tokens else 0.0)
