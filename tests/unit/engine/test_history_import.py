"""The past of a project becomes memories: once, with sources, and without what nobody should see."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.trees import write

from recollect import Engine, progress
from recollect.errors import Cancelled, InvalidInput, NotFound
from recollect.model import Edge, Learnt, Memory

TOKEN = "ghp_" + "Zk3vQ8sT1mB7xW2cR9yL4dF6hJ0nP5aGuE1i"
ADA, BOB = "Ada Lovelace", "Bob Stone"


class Repository:
    """A repository whose commits are a day apart."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._day = 0
        root.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, author: str = ADA) -> str:
        at = f"{1_700_000_000 + 86_400 * self._day} +0000"
        identity = {
            "GIT_AUTHOR_NAME": author, "GIT_AUTHOR_EMAIL": "somebody@secret.example", "GIT_AUTHOR_DATE": at,
            "GIT_COMMITTER_NAME": author, "GIT_COMMITTER_EMAIL": "somebody@secret.example", "GIT_COMMITTER_DATE": at,
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *words], cwd=self.root, env={**os.environ, **identity}, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, message: str, *paths: str, author: str = ADA) -> str:
        """Change files, and say why; returns the commit."""
        self._day += 1
        for path in paths:
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as opened:
                opened.write(f"{path} on day {self._day}\n" * 5)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, author=author)
        return self.git("rev-parse", "HEAD")

    def revert(self, sha: str, why: str = "") -> str:
        self._day += 1
        self.git("revert", "--no-edit", sha)
        if why:
            said = self.git("log", "-1", "--format=%B")
            self.git("commit", "-q", "--amend", "-m", f"{said}\n\n{why}")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def app(tmp_path: Path) -> Repository:
    return Repository(Path(os.path.realpath(tmp_path)) / "app")


def learn(engine: Engine, app: Repository, **options: object) -> Learnt:
    return engine.history.import_history(str(app.root), **{"only": ("git",), **options})  # type: ignore[arg-type]


def memories(engine: Engine, rule: str = "") -> list[Memory]:
    rows = engine.store.find(Memory, {"source": "import"}, order="seq")
    return [row for row in rows if not rule or row.category == rule]


def kept(engine: Engine) -> list[str]:
    """Everything that is kept, in order of its text: what was written later need not be numbered later."""
    return sorted((engine.archive.export().content or "").splitlines())


# --- what is learnt ---


@pytest.mark.promise("B8")
def test_a_commit_becomes_a_memory_with_its_source_time_and_reason(engine: Engine, app: Repository) -> None:
    sha = app.commit(
        "Read files lazily (#7)\n\nBecause they are larger than memory.\n\nSigned-off-by: Ada <ada@secret.example>",
        "src/reader.py",
        "tests/test_reader.py",
    )
    learnt = learn(engine, app)
    (memory,) = memories(engine, "reason")
    assert memory.content == (
        f"Read files lazily (#7)\n\nBecause they are larger than memory.\n\nCommit {sha[:12]}, 2023-11-15"
    )
    assert (memory.memory_type, memory.source, memory.tags) == ("decision", "import", ("git",))
    assert memory.namespace == str(app.root) == learnt.namespace
    assert memory.valid_from == memory.created_at == 1_700_086_400
    assert memory.author == ADA
    assert memory.metadata["sha"] == memory.head == sha
    assert memory.metadata["files"] == ["src/reader.py", "tests/test_reader.py"]
    assert memory.metadata["issues"] == ["#7"]
    assert learnt.sources[0].rules["reason"] == 1


def test_noise_is_left_out_and_nobodys_address_is_kept(engine: Engine, app: Repository, home: Path) -> None:
    because = "\n\nBecause a line was lost otherwise."
    app.commit(f"Add a parser for lines{because}", "a.py", author="grace@secret.example")
    app.commit(f"Bump pytest from 7.0 to 7.1{because}", "a.py")
    app.commit(f"Address review comments{because}", "a.py")
    app.commit(f"Sort imports of all the files{because}", "a.py", author="tidy[bot]")
    app.commit(f"Describe the parser{because}", "docs/parser.md")
    app.commit("Add a printer for lines", "b.py")
    learn(engine, app)
    (kept,) = memories(engine, "reason")
    assert kept.content.startswith("Add a parser for lines")
    assert kept.author == "grace"
    engine.close()
    assert not any(b"secret.example" in file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_what_was_reverted_says_by_whom_and_why_and_no_longer_holds(engine: Engine, app: Repository) -> None:
    old = app.commit("Cache answers in a file\n\nSo that they survive a restart.", "cache.py")
    app.commit("Add a parser for lines", "a.py")
    new = app.revert(old, "It turned out that the file was read by two processes at once.")
    learn(engine, app)
    (undone,) = memories(engine, "reason")
    (revert,) = memories(engine, "revert")
    assert (undone.metadata["sha"], undone.metadata["reverted_by"]) == (old, new)
    assert undone.superseded_by == revert.id
    assert undone.valid_to == revert.valid_from
    why = "It turned out that the file was read by two processes at once."
    assert f"It was reverted by commit {new[:12]} on 2023-11-17: {why}" in undone.content
    assert (revert.metadata["sha"], revert.metadata["reverts"]) == (new, old)
    (edge,) = engine.store.find(Edge, {"relationship": "SUPERSEDES"})
    assert (edge.src, edge.dst) == (f"mem:{revert.id}", f"mem:{undone.id}")


def test_a_revert_that_was_reverted_took_nothing_back(engine: Engine, app: Repository) -> None:
    first = app.commit("Cache answers in a file\n\nSo that they survive a restart.", "cache.py")
    second = app.revert(first)
    third = app.revert(second)
    learn(engine, app)
    by_sha = {row.metadata["sha"]: row for row in memories(engine) if "sha" in row.metadata}
    assert by_sha[first].superseded_by is None
    assert by_sha[second].superseded_by == by_sha[third].id
    assert by_sha[third].superseded_by is None


def test_files_that_change_together_are_followed_through_renames(engine: Engine, app: Repository) -> None:
    for number in range(4):
        app.commit(f"Change number {number} of the reader", "old.py", "tests/test_reader.py")
    app.git("mv", "old.py", "reader.py")
    app.commit("Give the reader a better name")
    app.commit("Change the reader alone", "reader.py")
    learn(engine, app)
    told = {row.metadata["path"]: row for row in memories(engine, "together")}
    assert set(told) == {"reader.py"}, "nobody asks what changes with a test"
    assert told["reader.py"].metadata["together"] == [{"path": "tests/test_reader.py", "commits": 4}]
    assert "tests/test_reader.py (in 4 of its 6 commits, 66 %)" in told["reader.py"].content
    hit = engine.recall.search("what changes together with reader.py", namespace=str(app.root)).hits[0]
    assert hit.memory.id == told["reader.py"].id


def test_documents_decisions_and_changelogs_are_learnt_too(engine: Engine, app: Repository) -> None:
    write(
        app.root,
        {
            "AGENTS.md": "# Rules\n\nAlways run make check before anything is committed.\n",
            "docs/adr/0001-sqlite.md": "# SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nOne file keeps it all.\n",
            "a.py": "x = 1\n",
            "CHANGES.rst": "Version 1.2.0\n-------------\n\nReleased 2023-04-25\n\n"
            "-   Remove ``Reader.lines``, use ``Reader.rows`` instead. :issue:`12`\n-   Fix docs typo.\n",
        },
    )
    app.commit("Start the project\n\nBecause the old one could not be repaired.")
    learnt = learn(engine, app, only=())
    assert {part.source: part.created for part in learnt.sources} == {
        "git": 1,
        "changelog": 1,
        "adr": 1,
        "docs": 1,
    }
    assert "AGENTS.md › Rules" in learnt.examples
    assert {row.metadata["from"] for row in memories(engine)} == {"git", "changelog", "adr", "docs"}
    assert {row.head for row in memories(engine) if row.category != "change"} == {app.git("rev-parse", "HEAD")}
    (rule,) = memories(engine, "rule")
    assert rule.valid_from == 1_700_086_400, "the time of the commit, not of the file on disk"


# --- once, and again ---


def busy(app: Repository) -> None:
    for number in range(9):
        app.commit(f"Use way {number}\n\nBecause way {number - 1} was slow.", f"src/a{number % 3}.py", "src/b.py")
    app.revert(app.commit("Use threads instead of processes\n\nThey are cheaper.", "src/pool.py"))


def test_importing_twice_leaves_the_same_memories(engine: Engine, app: Repository) -> None:
    busy(app)
    first = learn(engine, app)
    before, changes = kept(engine), engine.admin.changes().total
    second = learn(engine, app)
    assert kept(engine) == before
    assert engine.admin.changes().total == changes
    assert second.sources[0].known == first.sources[0].created == first.sources[0].found > 9
    assert (second.batch, second.examples) == ("", ())


def test_importing_again_replaces_the_lists_of_releases(engine: Engine, app: Repository) -> None:
    lines = [f"- Fix the parser of a {name}" for name in ("line", "page", "word", "byte")]
    write(app.root, {"CHANGELOG.md": "# Log\n\n## 1.0.0\n\n" + "\n".join(lines[:2]) + "\n"})
    app.commit("Start the project", "a.py")
    options = {"only": ("changelog",)}
    learn(engine, app, **options)
    (old,) = memories(engine, "release")
    write(app.root, {"CHANGELOG.md": "# Log\n\n## 1.0.1\n\n" + "\n".join(lines) + "\n"})
    assert learn(engine, app, **options, since="1d").notes == ()
    assert len(memories(engine, "release")) == 2, "a part of the history replaces nothing"
    assert learn(engine, app, **options, dry_run=True).notes == ("replaces 1 list of an earlier import",)
    assert old in memories(engine, "release"), "nothing was written"
    again = learn(engine, app, **options)
    (new,) = memories(engine, "release")
    assert new.content.startswith("app 1.0.1, other changes:")
    engine.admin.undo(again.batch)
    assert [row.id for row in memories(engine, "release")] == [old.id, new.id]
    engine.memories.update(old.id, content="app 1.0.0: the parsers of lines and pages")
    assert learn(engine, app, **options).notes == ()
    assert len(memories(engine, "release")) == 2, "an edited list is the user's"


CHILD = """
import os, sys
from recollect import Engine
from recollect.engine.importing import history_import as learning
from recollect.model import Memory

learning.BATCH = 3
written = learning.HistoryWriter._write

def write(self, ready):
    fates = written(self, ready)
    if self._store.count(Memory) > 6:
        os._exit(9)
    return fates

learning.HistoryWriter._write = write
Engine(embed_provider="off").history.import_history(sys.argv[1], only=("git",))
"""


def test_an_import_that_was_killed_goes_on_to_the_same_memories(
    open_engine: Callable[..., Engine], app: Repository, tmp_path: Path
) -> None:
    busy(app)
    done = subprocess.run([sys.executable, "-c", CHILD, str(app.root)], check=False, capture_output=True)
    assert done.returncode == 9, done.stderr.decode()
    stopped = open_engine(embed_provider="off")
    assert 6 < len(memories(stopped)) < 14
    learn(stopped, app)
    whole = open_engine(embed_provider="off", home=str(tmp_path / "other"))
    learn(whole, app)
    assert kept(stopped) == kept(whole)


def test_an_import_that_is_cancelled_keeps_what_it_has(engine: Engine, app: Repository) -> None:
    busy(app)

    def stop(_done: int, _total: int | None, message: str) -> None:
        if message == "storing memories":
            raise Cancelled("nobody wants it")

    with pytest.raises(Cancelled), progress.reporting_to(stop):
        learn(engine, app)
    learn(engine, app)
    assert learn(engine, app).sources[0].known == len(memories(engine))


def test_progress_is_told(engine: Engine, app: Repository) -> None:
    busy(app)
    told: list[tuple[int, int | None, str]] = []
    with progress.reporting_to(lambda *row: told.append(row)):
        learn(engine, app)
    assert (0, 11, "reading commits") in told
    assert any(message == "storing memories" for _, _, message in told)


def test_what_happened_since_is_added_and_put_right(engine: Engine, app: Repository) -> None:
    old = app.commit("Cache answers in a file\n\nSo that they survive a restart.", "cache.py")
    learn(engine, app)
    (before,) = memories(engine, "reason")
    assert before.superseded_by is None
    app.revert(old)
    learnt = learn(engine, app)
    (after,) = memories(engine, "reason")
    (revert,) = memories(engine, "revert")
    assert (after.id, after.superseded_by) == (before.id, revert.id)
    assert learnt.sources[0].updated >= 1


def test_what_somebody_changed_or_deleted_stays_so(engine: Engine, app: Repository) -> None:
    first = app.commit("Cache answers in a file\n\nSo that they survive a restart.", "cache.py")
    app.commit("Use a queue\n\nBecause a lock was slow.", "queue.py")
    learn(engine, app)
    rows = {row.metadata["sha"]: row for row in memories(engine, "reason")}
    engine.memories.update(rows[first].id, content="Answers are cached in a file, says Ada")
    engine.memories.delete(next(row.id for sha, row in rows.items() if sha != first))
    app.revert(first)
    learnt = learn(engine, app)
    assert [row.content for row in memories(engine, "reason")] == ["Answers are cached in a file, says Ada"]
    assert learnt.sources[0].refused == 1


def test_an_import_can_be_undone_and_done_again(engine: Engine, app: Repository) -> None:
    busy(app)
    learnt = learn(engine, app)
    before = kept(engine)
    engine.admin.undo(learnt.batch)
    assert memories(engine) == []
    learn(engine, app)
    assert kept(engine) == before


# --- bounds ---


def test_since_limit_and_dry_run(engine: Engine, app: Repository) -> None:
    app.commit("Start the parser with a grammar\n\nBecause it is small.", "a.py")
    app.commit("Add a printer for lines", "b.py")
    late = app.commit("Use a queue\n\nBecause a lock was slow.", "c.py")
    dry = learn(engine, app, dry_run=True)
    assert (dry.dry_run, dry.batch, memories(engine)) == (True, "", [])
    assert dry.sources[0].created == dry.sources[0].found == 2
    few = learn(engine, app, limit=1)
    assert [row.category for row in memories(engine)] == ["reason"]
    assert (few.limit, few.sources[0].found, few.sources[0].created) == (1, 2, 1)
    other = learn(engine, app, since=1_700_000_000 + 3 * 86_400, dry_run=True)
    assert other.sources[0].rules["reason"] == 1
    assert late == app.git("rev-parse", "HEAD")


def test_secrets_in_messages_are_never_written(engine: Engine, app: Repository, home: Path) -> None:
    app.commit(f"Use another token\n\nBecause {TOKEN} was published.", "a.py")
    learnt = learn(engine, app)
    (memory,) = memories(engine, "reason")
    assert "[secret:github-token] was published" in memory.content
    assert learnt.redacted == {"github-token": 1}
    engine.close()
    assert not any(TOKEN.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_commits_of_a_branch_are_of_that_branch(
    engine: Engine, app: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.commit("Use a queue\n\nBecause a lock was slow.", "c.py")
    app.git("switch", "-q", "-c", "feature")
    app.commit("Use a ring\n\nBecause a queue was slow.", "d.py")
    learn(engine, app)
    assert [row.branch for row in memories(engine, "reason")] == ["feature", None]
    app.git("switch", "-q", "main")
    hits = engine.recall.search("why a ring", namespace=str(app.root)).hits
    assert hits[0].memory.content.startswith("Use a ring")
    assert hits[0].branch is not None
    assert hits[0].branch.standing == "elsewhere"
    app.git("merge", "-q", "feature")
    hits = engine.recall.search("why a ring", namespace=str(app.root)).hits
    assert hits[0].branch is not None
    assert hits[0].branch.standing == "merged"


def test_a_folder_without_a_repository_says_so_and_other_mistakes_are_refused(engine: Engine, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    write(plain, {"README.md": "# Plain\n\nNothing but a folder with a file that describes it.\n"})
    learnt = engine.history.import_history(str(plain))
    assert {part.source: part.created for part in learnt.sources} == {
        "git": 0,
        "changelog": 0,
        "adr": 0,
        "docs": 1,
    }
    assert "not a git work tree" in learnt.notes[0]
    with pytest.raises(NotFound):
        engine.history.import_history(str(tmp_path / "nothing"))
    for wrong in ({"only": ("svn",)}, {"limit": 0}, {"since": "soon"}):
        with pytest.raises(InvalidInput):
            engine.history.import_history(str(plain), **wrong)  # type: ignore[arg-type]


def test_file_names_and_messages_of_any_kind_are_read(engine: Engine, app: Repository) -> None:
    app.commit(
        "Größe ändern\n\nWeil sie falsch war, because of \x1f and 🧠.", "ordner/größe 1.py", 'quo"te.py', "new\nline.py"
    )
    learn(engine, app)
    (memory,) = memories(engine, "reason")
    assert memory.metadata["files"] == ["new\nline.py", "ordner/größe 1.py", 'quo"te.py']
    assert "🧠" in memory.content


def test_what_commits_speak_of_is_tied_to_the_code(engine: Engine, app: Repository) -> None:
    write(app.root, {"src/reader.py": "class LazyReader:\n    def read_line(self):\n        return 1\n"})
    sha = app.commit("Make LazyReader.read_line lazy\n\nBecause files are larger than memory.")
    engine.code.index(str(app.root))
    learn(engine, app)
    (memory,) = memories(engine, "reason")
    assert memory.metadata["sha"] == sha
    hit = engine.recall.search("why lazy files", namespace=str(app.root)).hits[0]
    assert hit.memory.id == memory.id
    assert [(row.path, row.symbol, row.verdict) for row in hit.freshness.anchors] == [
        ("src/reader.py", "LazyReader.read_line", "fresh")
    ]
    write(app.root, {"src/reader.py": "class LazyReader:\n    def read_line(self):\n        return 2\n"})
    engine.code.index(str(app.root))
    hit = engine.recall.search("why lazy files", namespace=str(app.root)).hits[0]
    assert hit.freshness.verdict == "changed"
    drift = engine.freshness.drift(namespace=str(app.root))
    assert ([row.memory.id for row in drift.memories], drift.imported) == ([memory.id], 1)


@pytest.mark.promise("B8")
def test_without_git_the_files_are_still_read(
    engine: Engine, app: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(app.root, {"AGENTS.md": "# Rules\n\nAlways run make check before anything is committed.\n"})
    app.commit("Start the project with its rules")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing-here"))
    learnt = engine.history.import_history(str(app.root))
    assert {part.source: part.created for part in learnt.sources} == {
        "git": 0,
        "changelog": 0,
        "adr": 0,
        "docs": 1,
    }
    assert "git is not installed" in learnt.notes[0]


def test_a_long_history_does_not_crowd_out_what_was_said_here(engine: Engine, app: Repository) -> None:
    for number in range(20):
        app.commit(f"feat!: use format {number}\n\nBecause format {number - 1} was slow.", "a.py")
    learn(engine, app)
    assert "use format 19" in engine.presence.context(namespace=str(app.root)).text, "nobody starts empty"
    engine.memories.store("Small things are said here", namespace=str(app.root), importance=0.4)
    lines = engine.presence.context(namespace=str(app.root)).text.splitlines()
    places = [
        next(place for place, line in enumerate(lines) if text in line) for text in ("Small things", "use format")
    ]
    assert places == sorted(places)


def test_a_pull_request_is_one_memory_with_the_reasons_of_its_commits(engine: Engine, app: Repository) -> None:
    app.commit("Start the project", "a.py")
    app.git("switch", "-q", "-c", "lazy")
    first = app.commit("Read lines lazily\n\nBecause files are larger than memory.", "a.py")
    app.commit("fix lint", "a.py")
    last = app.commit("Close the file\n\nOtherwise Windows cannot delete it.", "b.py")
    app.git("switch", "-q", "main")
    app.git("merge", "-q", "--no-ff", "-m", "Merge pull request #7 from ada/lazy\n\nLazy reader", "lazy")
    learn(engine, app)
    (memory,) = memories(engine, "reason")
    assert memory.content.startswith(
        "Lazy reader (#7)\n\nBecause files are larger than memory. Otherwise Windows cannot delete it.\n\nCommit "
    )
    assert memory.head == memory.metadata["sha"] == app.git("rev-parse", "HEAD")
    assert set(memory.metadata["commits"]) == {first, last}
    assert memory.metadata["files"] == ["a.py", "b.py"]


def test_a_merge_in_the_words_of_another_tool_tells_its_reason(engine: Engine, app: Repository) -> None:
    app.commit("Start the project", "a.py")
    app.git("switch", "-q", "-c", "lazy")
    app.commit("lazy", "a.py")
    app.git("switch", "-q", "main")
    app.git("merge", "-q", "--no-ff", "-m", "bug #7 Read lines lazily\n\nBecause files are larger than memory.", "lazy")
    learn(engine, app)
    (memory,) = memories(engine)
    assert memory.content.startswith("bug #7 Read lines lazily\n\nBecause files are larger than memory.")


def test_a_change_in_commit_and_changelog_is_one_memory_with_both_sources(engine: Engine, app: Repository) -> None:
    write(
        app.root,
        {"CHANGELOG.md": "# Log\n\n## 2.0.0 (2023-11-20)\n\n### Removed\n\n- Remove `Reader.lines`, use rows (#12)\n"},
    )
    sha = app.commit(
        "Remove `Reader.lines`, use rows (#12)\n\nBecause it read the whole file into memory before the first line.",
        "a.py",
    )
    learnt = learn(engine, app, only=("git", "changelog"))
    (memory,) = [row for row in memories(engine) if "Reader.lines" in row.content]
    assert memory.head == sha
    assert memory.content.endswith("Released in app 2.0.0 (2023-11-20).")
    assert memory.metadata["also"] == [{"from": "changelog", "path": "CHANGELOG.md", "version": "2.0.0"}]
    assert learnt.merged == 1


def test_a_folder_of_repositories_is_refused(engine: Engine, tmp_path: Path) -> None:
    for name in ("one", "two"):
        Repository(tmp_path / name)
    with pytest.raises(InvalidInput, match="folder of repositories"):
        engine.history.import_history(str(tmp_path))
    with pytest.raises(InvalidInput):
        engine.history.import_history("/tmp")


def test_without_vectors_the_answer_says_what_that_means(
    open_engine: Callable[..., Engine], embedder: HashingEmbedder, app: Repository
) -> None:
    engine = open_engine(embedder=embedder)
    app.commit("Use a queue\n\nBecause a lock was slow.", "c.py")
    learnt = learn(engine, app, vectors=False)
    assert embedder.embedded == []
    assert learnt.notes[-1].startswith("1 of 1 memory is not embedded: search finds them by words")
    app.commit("Use a ring\n\nBecause a queue was slow.", "d.py")
    assert learn(engine, app).notes == ()
    made, total = engine.embedding.coverage()
    assert made == total > 1


def exported(tmp_path: Path, rows: object, *, lines: bool = False) -> str:
    file = tmp_path / "threads.json"
    text = "\n".join(json.dumps(row) for row in rows) if lines else json.dumps(rows)  # type: ignore[attr-defined]
    file.write_text(text, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("lines", [False, True])
def test_pull_requests_and_issues_of_an_export_become_memories(
    engine: Engine, app: Repository, tmp_path: Path, lines: bool
) -> None:
    app.commit("Start the project", "a.py")
    url = "https://example.org/app"
    rows = [
        {"number": 7, "title": "Read lazily", "body": "Because files are larger than memory.\n\n- [x] tests",
         "mergedAt": "2024-01-02T03:04:05Z", "url": f"{url}/pull/7", "files": [{"path": "a.py"}], "comments": []},
        {"number": 8, "title": "Use threads", "body": "", "mergedAt": None, "state": "CLOSED", "url": f"{url}/pull/8",
         "closedAt": "2024-01-03T00:00:00Z",
         "comments": [{"body": "We decided against it, because the lock is held for seconds."}]},
        {"number": 9, "title": "Fix typo", "body": "Because it was wrong.", "mergedAt": "2024-01-04T00:00:00Z"},
        {"number": 10, "title": "Which license?", "body": "?", "url": f"{url}/issues/10"},
    ]  # fmt: skip
    file = exported(tmp_path, rows, lines=lines)
    learnt = learn(engine, app, only=("threads",), from_json=file)
    assert {part.source: part.created for part in learnt.sources} == {"threads": 2}
    (merged,) = memories(engine, "reason")
    assert merged.content == (
        "Read lazily (#7)\n\nBecause files are larger than memory.\n\nPull request #7 of 2024-01-02"
    )
    (refused,) = memories(engine, "rejected")
    assert "Comment: We decided against it" in refused.content
    assert "closed without a merge" in refused.content
    assert learn(engine, app, only=("threads",), from_json=file).sources[0].known == 2


def test_an_export_that_is_none_is_refused(engine: Engine, app: Repository, tmp_path: Path) -> None:
    app.commit("Start the project", "a.py")
    bad = tmp_path / "bad.json"
    for text in ("{", "[1, 2]", '[{"number": 1}]', "[" * 100_000, "\x00\xff"):
        bad.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidInput):
            learn(engine, app, from_json=str(bad))
    for wrong in ({"from_json": str(tmp_path / "none.json")}, {"from_json": str(tmp_path)}, {"only": ("threads",)}):
        with pytest.raises(InvalidInput):
            learn(engine, app, **wrong)
    odd = [
        {"title": 1},
        {"title": "Read lazily because it is fast enough", "number": {}, "files": 3, "comments": [None, {}]},
    ]
    learn(engine, app, from_json=exported(tmp_path, odd))
