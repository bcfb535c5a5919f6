"""Memories are tied to the code they speak of, for certain or not at all, and told apart by what became of it."""

from __future__ import annotations

import queue
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import FrozenClock
from tests.trees import git, put, write
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.errors import InvalidInput
from recollect.model import Anchor, AnchorState, Freshness, Hit, Mention

SERVER = '''class Server:
    """Answers requests."""

    def start(self, port):
        self.port = port
        return listen(port, backlog=10)

    def stop(self):
        self.port = None
        return close_all(self, wait=True)


def parse_file(path):
    # by hand
    with open(path) as file:
        return [line.split() for line in file if line.strip()]
'''
FILES = {
    "src/server.py": SERVER,
    "src/other.py": "def start_all(servers):\n    return [server.start(1) for server in servers]\n",
    "tests/test_server.py": "def test_start():\n    assert parse_file('x')\n\n\ndef parse_file(path):\n    return 1\n",
    "README.md": "# parse_file\n\nWords.\n",
    "docs/guide.md": "# Guide\n\nWords.\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path / "app", FILES)
    return tmp_path / "app"


@pytest.fixture
def indexed(engine: Engine, project: Path) -> Path:
    engine.code.index(str(project))
    return project


def remember(engine: Engine, project: Path, content: str, **fields: object) -> str:
    return engine.memories.store(content, namespace=str(project), **fields).memory.id  # type: ignore[arg-type]


def hit(engine: Engine, memory_id: str) -> Hit:
    memory = engine.memories.get(memory_id)
    found = engine.recall.search(memory.content, limit=50, min_score=0.0, code=False)
    return next(row for row in found.hits if row.memory.id == memory_id)


def fresh(engine: Engine, memory_id: str) -> Freshness:
    return hit(engine, memory_id).freshness


def anchors(engine: Engine, memory_id: str) -> list[str]:
    rows = engine.store.find(Anchor, {"memory_id": memory_id})
    return sorted(row.path if row.symbol is None else f"{row.path}::{row.symbol}" for row in rows)


def edit(engine: Engine, project: Path, path: str, old: str, new: str) -> None:
    file = project / path
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    engine.code.index(str(project))


# --- what a memory is tied to ---


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Server.start opens the port", ["src/server.py::Server.start"]),
        ("`stop` in src/server.py waits", ["src/server.py::Server.stop"]),
        ("the `stop` method waits", ["src/server.py::Server.stop"]),
        ("parse_file is written by hand", ["src/server.py::parse_file"]),
        ("see src/server.py:5", ["src/server.py::Server.start"]),
        ("see server.py:10", ["src/server.py::Server.stop"]),
        ("all of src/server.py is old", ["src/server.py"]),
        ("src/server.py::parse_file is slow", ["src/server.py::parse_file"]),
        ("`Server` and Server.stop", ["src/server.py::Server.stop"]),
        ("server.start_all is elsewhere", []),
        ("other.start_all calls it", ["src/other.py::start_all"]),
        ("stop() and start_all()", ["src/other.py::start_all", "src/server.py::Server.stop"]),
        ("`stop` waits", []),
        ("the `stop` class waits", []),
        ("Start the server, then stop it", []),
        ("missing_name and src/missing.py and Server.missing", []),
        ("docs in README.md and other.py", ["src/other.py"]),
        ("docs in README.md:1", ["README.md::parse_file"]),
        ("docs in docs/guide.md", ["docs/guide.md"]),
    ],
)
def test_a_text_leads_to_what_is_certain(engine: Engine, indexed: Path, content: str, expected: list[str]) -> None:
    memory_id = remember(engine, indexed, content)
    assert anchors(engine, memory_id) == expected
    assert fresh(engine, memory_id).verdict == ("fresh" if expected else "unanchored")


def test_titles_and_tags_count_too(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "It is slow", title="About parse_file", tags=("src/other.py",))
    assert anchors(engine, memory_id) == ["src/other.py", "src/server.py::parse_file"]


def test_another_namespace_is_not_looked_at(engine: Engine, indexed: Path) -> None:
    elsewhere = engine.memories.store("parse_file is slow", namespace="elsewhere").memory
    nowhere = engine.memories.store("parse_file is slow, too").memory
    assert anchors(engine, elsewhere.id) == []
    assert anchors(engine, nowhere.id) == ["src/server.py::parse_file"]


def test_places_can_be_named_by_hand(engine: Engine, indexed: Path) -> None:
    given = ("src/other.py", "src/server.py::Server.stop", "src/server.py::Server.start", "src/server.py:14")
    memory_id = remember(engine, indexed, "It is slow", anchors=given)
    assert anchors(engine, memory_id) == [
        "src/other.py", "src/server.py::Server.start", "src/server.py::Server.stop", "src/server.py::parse_file",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("src/sever.py", "root"),
        ("lib/server.py", "src/server.py"),
        ("src/server.py::Server.strat", "index"),
        ("src/server.py::halt.stop", "Server.stop"),
        ("../server.py", "path::symbol"),
        ("", "path::symbol"),
        ("a\nb", "path::symbol"),
    ],
)
def test_a_place_that_is_not_there_is_refused_with_a_hint(engine: Engine, indexed: Path, given: str, hint: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        remember(engine, indexed, "It is slow", anchors=(given,))
    assert hint in refused.value.hint
    assert engine.store.count(Anchor) == 0


def test_too_many_places_and_no_places_are_refused(engine: Engine, indexed: Path) -> None:
    for given in (tuple(f"a{number}.py" for number in range(9)), "src/server.py"):
        with pytest.raises(InvalidInput):
            remember(engine, indexed, "It is slow", anchors=given)


# --- when ---


def test_memories_stored_before_the_index_are_anchored_later_and_marked_late(
    engine: Engine, project: Path, frozen: FrozenClock
) -> None:
    found = remember(engine, project, "parse_file is written by hand")
    given = remember(engine, project, "It is slow", anchors=("src/server.py::Server.stop", "src/other.py"))
    assert (fresh(engine, found).verdict, fresh(engine, given).verdict) == ("unanchored", "unanchored")
    assert "not indexed" in fresh(engine, given).note
    frozen.advance(86_400)
    engine.code.index(str(project))
    for memory_id in (found, given):
        verdict = fresh(engine, memory_id)
        assert verdict.verdict == "fresh"
        assert "first indexing (2023-11-15)" in verdict.note
        assert all(row.late and row.taken_at == frozen() for row in verdict.anchors)
    # Nobody asked for that: taking back the last change means the last memory.
    engine.admin.undo()
    assert engine.admin.stats().memories == 1


def test_a_line_of_what_is_not_indexed_yet_means_nothing(engine: Engine, project: Path) -> None:
    with pytest.raises(InvalidInput):
        remember(engine, project, "It is slow", anchors=("src/server.py:3",))


def test_a_name_that_is_new_waits_for_its_file(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "fetch_all retries three times")
    assert anchors(engine, memory_id) == []
    assert [row.name for row in engine.store.find(Mention)] == ["fetch_all"]
    (indexed / "src" / "fetch.py").write_text("def fetch_all():\n    return retry(3)\n", encoding="utf-8")
    engine.code.index(str(indexed))
    assert anchors(engine, memory_id) == ["src/fetch.py::fetch_all"]
    assert engine.store.count(Mention) == 0


def test_the_hash_is_that_of_the_file_as_it_is_not_as_it_was_indexed(engine: Engine, indexed: Path) -> None:
    file = indexed / "src" / "server.py"
    file.write_text(SERVER.replace("backlog=10", "backlog=20"), encoding="utf-8")
    memory_id = remember(engine, indexed, "Server.start has a backlog of twenty")
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).verdict == "fresh"


def test_an_import_is_compared_with_the_code_that_is_here(
    engine: Engine, indexed: Path, tmp_path: Path, open_engine: Callable[..., Engine]
) -> None:
    kept = remember(engine, indexed, "Server.start opens the port")
    lost = remember(engine, indexed, "Server.stop waits")
    exported = engine.archive.export().content
    edit(engine, indexed, "src/server.py", "wait=True", "wait=False")
    other = open_engine(home=str(tmp_path / "other"), embed_provider="off")
    other.archive.import_(content=exported)
    assert fresh(other, kept).verdict == "unanchored"
    other.code.index(str(indexed))
    assert (fresh(other, kept).verdict, fresh(other, lost).verdict) == ("fresh", "changed")
    late = open_engine(home=str(tmp_path / "late"), embed_provider="off")
    late.code.index(str(indexed))
    late.archive.import_(content=exported)
    assert (fresh(late, kept).verdict, fresh(late, lost).verdict) == ("fresh", "changed")


def test_a_rewritten_memory_is_compared_with_the_current_code(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "Server.start opens the port", anchors=("src/other.py",))
    edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    engine.memories.update(memory_id, importance=0.9)
    assert fresh(engine, memory_id).verdict == "changed"
    engine.memories.update(memory_id, content="Server.start has a backlog of twenty; Server.stop waits")
    assert fresh(engine, memory_id).verdict == "fresh"
    assert anchors(engine, memory_id) == ["src/other.py", "src/server.py::Server.start", "src/server.py::Server.stop"]
    engine.memories.update(memory_id, anchors=("src/server.py::parse_file",))
    assert "src/other.py" not in anchors(engine, memory_id)
    engine.memories.update(memory_id, content="Nothing in particular", anchors=())
    assert anchors(engine, memory_id) == []


def test_deleting_and_bringing_back_takes_the_anchors_along(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "Server.start opens the port")
    deleted = engine.memories.delete(memory_id)
    assert (engine.store.count(Anchor), engine.store.count(AnchorState)) == (0, 0)
    edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    engine.admin.undo(deleted.batch)
    assert fresh(engine, memory_id).verdict == "changed"


# --- what becomes of it ---


@pytest.mark.promise("B2")
def test_comments_and_white_space_never_stale_a_memory(engine: Engine, indexed: Path) -> None:
    ids = [remember(engine, indexed, text) for text in ("parse_file is slow", "Server.stop waits", "see src/server.py")]
    text = SERVER.replace("# by hand", "# by foot\n\n    # and again").replace("        ", "            ")
    (indexed / "src" / "server.py").write_text(f"# new\n\n{text}\n\n", encoding="utf-8", newline="\r\n")
    engine.code.index(str(indexed))
    assert [fresh(engine, memory_id).verdict for memory_id in ids] == ["fresh"] * 3


@pytest.mark.promise("B2")
def test_a_memory_is_changed_moved_or_gone_with_its_code(engine: Engine, indexed: Path) -> None:
    start = remember(engine, indexed, "Server.start opens the port")
    parse = remember(engine, indexed, "parse_file is slow")
    edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    assert fresh(engine, start).note == "src/server.py::Server.start changed since this was written"
    assert fresh(engine, parse).verdict == "fresh"
    edit(engine, indexed, "src/server.py", "def parse_file", "def read_file")
    assert fresh(engine, parse).note == "src/server.py::parse_file moved to src/server.py::read_file"
    (indexed / "src" / "server.py").rename(indexed / "src" / "service.py")
    engine.code.index(str(indexed))
    assert fresh(engine, parse).anchors[0].now_path == "src/service.py"
    assert fresh(engine, start).verdict == "changed"
    assert fresh(engine, start).anchors[0].now_path == "src/service.py"
    text = (indexed / "src" / "service.py").read_text(encoding="utf-8")
    (indexed / "src" / "service.py").write_text(text.partition("def read_file")[0], encoding="utf-8")
    engine.code.index(str(indexed))
    assert fresh(engine, parse).note == "src/server.py::parse_file no longer in the code"
    write(indexed, FILES)
    engine.code.index(str(indexed))
    assert {fresh(engine, start).verdict, fresh(engine, parse).verdict} == {"fresh"}


def test_pasting_first_and_cutting_later_is_a_move(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "parse_file is slow")
    head, _, tail = SERVER.partition("def parse_file")
    (indexed / "src" / "reading.py").write_text("def parse_file" + tail, encoding="utf-8")
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).verdict == "fresh"
    (indexed / "src" / "server.py").write_text(head, encoding="utf-8")
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).note == "src/server.py::parse_file moved to src/reading.py::parse_file"


def test_cutting_first_and_pasting_later_is_a_move(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "parse_file is slow")
    head, _, tail = SERVER.partition("def parse_file")
    (indexed / "src" / "server.py").write_text(head, encoding="utf-8")
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).verdict == "gone"
    (indexed / "src" / "reading.py").write_text("def parse_file" + tail, encoding="utf-8")
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).verdict == "moved"


def test_git_tells_of_a_file_that_was_renamed_and_rewritten(engine: Engine, project: Path) -> None:
    lines = "".join(f"    step_{number}()\n" for number in range(30))
    write(project, {"src/steps.py": f"def run_steps():\n{lines}"})
    git(project, "init", "-q")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    engine.code.index(str(project))
    whole = remember(engine, project, "src/steps.py is long")
    git(project, "mv", "src/steps.py", "src/walk.py")
    text = (project / "src" / "walk.py").read_text(encoding="utf-8")
    (project / "src" / "walk.py").write_text("X = 1\n" + text.replace("step_1", "stride_1"), encoding="utf-8")
    git(project, "commit", "-qam", "two")
    engine.code.index(str(project))
    assert fresh(engine, whole).note == "src/steps.py changed since this was written, now src/walk.py"


def test_a_memory_of_several_things_is_gone_when_all_are(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "Server.stop and start_all wait")
    (indexed / "src" / "other.py").unlink()
    engine.code.index(str(indexed))
    verdict = fresh(engine, memory_id)
    assert (verdict.verdict, [row.verdict for row in verdict.anchors]) == ("changed", ["gone", "fresh"])
    (indexed / "src" / "server.py").unlink()
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).verdict == "gone"


def test_a_project_that_moved_takes_its_memories_along(engine: Engine, project: Path, tmp_path: Path) -> None:
    engine.code.index(str(project), namespace="app")
    memory = engine.memories.store("Server.start opens the port", namespace="app").memory
    moved = tmp_path / "elsewhere"
    shutil.move(project, moved)
    engine.code.index(str(moved), namespace="app")
    assert fresh(engine, memory.id).verdict == "fresh"
    # The tree of the old place is still known: it does not vouch for code that is not there any more.
    edit_at = moved / "src" / "server.py"
    edit_at.write_text(SERVER.replace("backlog=10", "backlog=20"), encoding="utf-8")
    engine.code.index(str(moved), namespace="app")
    assert fresh(engine, memory.id).verdict == "changed"


def test_what_a_process_that_died_did_not_compare_is_compared_by_the_next(
    engine: Engine, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = remember(engine, indexed, "Server.start opens the port")
    parse = remember(engine, indexed, "parse_file is slow")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(engine.anchor_tracking, "settle", die)
        edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    assert fresh(engine, start).verdict == "fresh"
    edit(engine, indexed, "src/other.py", "start(1)", "start(2)")
    assert (fresh(engine, start).verdict, fresh(engine, parse).verdict) == ("changed", "fresh")


def test_a_new_way_to_take_hashes_stales_nothing(
    engine: Engine, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from recollect.code.index import normal_form, update

    memory_id = remember(engine, indexed, "Server.start opens the port")
    digest = normal_form.digest
    monkeypatch.setattr(normal_form, "digest", lambda *parts: digest(*parts)[::-1])
    monkeypatch.setattr(update, "fingerprint", lambda: "another")
    monkeypatch.setenv("RECOLLECT_INDEX_WORKERS", "1")
    engine.code.index(str(indexed))
    assert fresh(engine, memory_id).verdict == "fresh"
    edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    assert fresh(engine, memory_id).verdict == "changed"


# --- what it means for a recall ---


def test_of_two_that_match_alike_the_one_whose_code_is_as_it_was_comes_first(engine: Engine, indexed: Path) -> None:
    edited = remember(engine, indexed, "Server.start keeps its ports by hand")
    kept = remember(engine, indexed, "Server.stop holds its ports by hand")

    def order() -> list[str]:
        found = engine.recall.search("ports by hand", min_score=0.0, code=False).hits
        return [row.memory.id for row in found]

    first = order()
    both = {edited: ("backlog=10", "backlog=20"), kept: ("wait=True", "wait=False")}
    edit(engine, indexed, "src/server.py", *both[first[0]])
    assert order() == first[::-1]
    (told,) = (row for row in engine.recall.search("ports by hand", min_score=0.0, explain=True, code=False).hits
               if row.memory.id == first[0])  # fmt: skip
    assert any("its code has changed" in share.meaning and share.share < 0 for share in told.signals.shares)


def test_a_pack_marks_what_changed_and_leaves_out_what_is_gone(engine: Engine, indexed: Path) -> None:
    remember(engine, indexed, "Ports are opened in Server.start by hand")
    remember(engine, indexed, "Ports are counted in start_all by hand")
    (indexed / "src" / "other.py").unlink()
    edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    pack = engine.recall.pack("ports by hand", min_score=0.0)
    assert "by hand (src/server.py::Server.start changed since this was written)\n" in pack.text
    assert "start_all" not in pack.text
    assert any(note.startswith("1 omitted") for note in pack.notes)


def test_memories_reached_by_links_have_a_verdict_too(engine: Engine, indexed: Path) -> None:
    seed = remember(engine, indexed, "Zeppelins are moored at the mast")
    linked = remember(engine, indexed, "Server.start opens the port")
    engine.memories.associate(seed, linked)
    edit(engine, indexed, "src/server.py", "backlog=10", "backlog=20")
    expanded = engine.graph.recall_with_expansion("Where are zeppelins moored?", min_score=0.0).hits
    assert {row.hit.memory.id: row.hit.freshness.verdict for row in expanded}[linked] == "changed"
    impact = engine.graph.recall_with_impact("Server.start port", min_score=0.0).hits
    assert {row.hit.memory.id: row.hit.freshness.verdict for row in impact}[linked] == "changed"


def test_a_watched_project_keeps_its_memories_up_to_date(engine: Engine, indexed: Path) -> None:
    memory_id = remember(engine, indexed, "Server.start opens the port")
    told: queue.SimpleQueue[object] = queue.SimpleQueue()
    stop = threading.Event()
    watching = threading.Thread(target=engine.code.watch, args=(indexed, told.put, stop))
    watching.start()
    try:
        told.get(timeout=PATIENCE_S)
        text = SERVER.replace("backlog=10", "backlog=20")
        put(indexed, "src/server.py", text)
        told.get(timeout=PATIENCE_S)
        assert fresh(engine, memory_id).verdict == "changed"
    finally:
        stop.set()
        watching.join()
