"""Branches lay over the memory of a project: what was learnt on one is seen from the others as what it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import FrozenClock
from tests.payloads import ROOT, claude, ran
from tests.trees import git, write

from recollect import Engine
from recollect.engine.records import branches as asking
from recollect.engine.records.checkout import checkout, tip
from recollect.git import Repository
from recollect.model import Hit, Memory, MemoryType
from recollect.render import to_text


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit on main, which is also the current folder."""
    root = Path(os.path.realpath(tmp_path)) / "app"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "a.py", "first")
    monkeypatch.chdir(root)
    return root


def commit(root: Path, path: str, text: str) -> str:
    write(root, {path: text})
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", text)
    return sha(root)


def sha(root: Path, name: str = "HEAD") -> str:
    return subprocess.run(
        ["git", "rev-parse", name], cwd=root, check=True, capture_output=True, text=True
    ).stdout.strip()


def stored(engine: Engine, content: str, where: str = ".") -> Memory:
    return engine.memories.store(content, namespace=where).memory


def recalled(engine: Engine, query: str, where: str = ".") -> dict[str, Hit]:
    return {hit.memory.content: hit for hit in engine.recall.search(query, namespace=where, min_score=0.0).hits}


def standing(engine: Engine, content: str, where: str = ".") -> str | None:
    """How the branch of a memory stands as seen from a work tree; None: it is the project's."""
    hit = recalled(engine, content, where)[content]
    return hit.branch.standing if hit.branch is not None else None


# --- what is recorded ---


@pytest.mark.promise("B10")
def test_a_memory_of_a_branch_records_the_branch_and_the_commit(engine: Engine, app: Path) -> None:
    git(app, "switch", "-q", "-c", "feature/retry")
    at = commit(app, "b.py", "second")
    memory = stored(engine, "Retries are bounded by three attempts")
    assert (memory.branch, memory.head) == ("feature/retry", at)


def test_the_default_branch_is_the_project_itself(engine: Engine, app: Path) -> None:
    memory = stored(engine, "Retries are bounded by three attempts")
    assert (memory.branch, memory.head) == (None, sha(app))
    assert standing(engine, memory.content) is None


def test_what_is_written_before_the_first_commit_of_a_branch_says_so(engine: Engine, app: Path) -> None:
    base = sha(app)
    git(app, "switch", "-q", "-c", "feature")
    assert stored(engine, "Retries are bounded").head == f"{base}+"
    git(app, "switch", "-q", "main")
    commit(app, "b.py", "main goes on")
    git(app, "switch", "-q", "feature")
    assert stored(engine, "Retries are bounded by three").head == f"{base}+"


def test_memories_of_no_project_or_of_another_have_no_branch(engine: Engine, app: Path, tmp_path: Path) -> None:
    git(app, "switch", "-q", "-c", "feature")
    plain = tmp_path / "plain"
    plain.mkdir()
    for where in ("", "another-project", str(plain)):
        memory = stored(engine, f"Something of {where!r}", where)
        assert (memory.branch, memory.head) == (None, None)


def test_a_repository_without_a_commit_and_a_folder_without_one_record_nothing(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    assert stored(engine, "The first thought", str(root)).head is None
    git(root, "switch", "-q", "-c", "idea")
    assert stored(engine, "The second thought", str(root)).branch is None
    assert standing(engine, "The second thought", str(root)) is None


@pytest.mark.promise("B10")
def test_what_hooks_see_in_a_work_tree_is_of_its_branch(
    engine: Engine, app: Path, tmp_path: Path, frozen: FrozenClock
) -> None:
    side = tmp_path / "side"
    git(app, "worktree", "add", "-q", "-b", "fix", str(side))
    at = commit(side, "c.py", "a fix")
    frozen.at = int(time.time())
    for number, folder in enumerate((app, side)):
        raw = ran(f"make target-{number}", "done", call=str(number))
        engine.capture.put(raw.replace(ROOT.encode(), str(folder).encode()))
    engine.capture.drain()
    rows = engine.memories.list(namespace=str(side), order="oldest", observed=True).memories
    assert [(row.branch, row.head) for row in rows] == [(None, sha(app)), ("fix", at)]


@pytest.mark.parametrize(("branch", "kept"), [("modulation", 0), ("feature/modulation", 0), ("delay", 1)])
def test_a_prompt_that_only_names_the_branch_states_nothing(
    app: Path, frozen: FrozenClock, branch: str, kept: int
) -> None:
    git(app, "switch", "-q", "-c", branch)
    frozen.at = int(time.time())
    said = "We are on branch modulation now. add an lfo to the delay lines so the tail moves a bit"
    with Engine() as engine:
        engine.capture.put(claude("UserPromptSubmit", prompt=said).replace(ROOT.encode(), str(app).encode()))
        engine.capture.drain()
        assert len(engine.memories.list(namespace=str(app), observed=False).memories) == kept


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch, frozen: FrozenClock) -> FrozenClock:
    """A clock that git follows, too: `later` moves both."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{frozen.at} +0000")
    return frozen


def later(clocked: FrozenClock, monkeypatch: pytest.MonkeyPatch, seconds: int = 5) -> None:
    clocked.advance(seconds)
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{clocked.at} +0000")


def says(engine: Engine, text: str, cwd: Path) -> None:
    """Leave a prompt in the queue, as a hook without a server does."""
    engine.capture.put(claude("UserPromptSubmit", prompt=text).replace(ROOT.encode(), str(cwd).encode()))


def branches_of(engine: Engine, root: Path) -> list[tuple[str | None, str | None]]:
    engine.capture.drain()
    rows = engine.memories.list(namespace=str(root), order="oldest").memories
    return [(row.branch, row.head) for row in rows]


@pytest.mark.promise("B10")
def test_an_event_is_of_the_branch_of_its_time_whatever_is_checked_out_when_the_queue_is_read(
    engine: Engine, clocked: FrozenClock, app: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, side = sha(app), tmp_path / "side"
    (app / "web").mkdir()
    git(app, "worktree", "add", "-q", "-b", "fix", str(side))
    at = commit(side, "c.py", "a fix")
    later(clocked, monkeypatch)
    says(engine, "remember: the staging db runs on port 5544", app / "web")
    says(engine, "remember: the mail relay runs on port 2525", side)
    later(clocked, monkeypatch)
    git(app, "switch", "-q", "-c", "feat/x")
    says(engine, "remember: the queue is drained by two workers", app)  # in the second of the checkout
    later(clocked, monkeypatch)
    commit(app, "b.py", "second")
    git(side, "switch", "-q", "--detach", base)
    says(engine, "remember: the cache is emptied every ten minutes", side)
    later(clocked, monkeypatch)
    git(side, "switch", "-q", "-c", "another")
    git(app, "switch", "-q", "main")
    assert branches_of(engine, app) == [(None, base), ("fix", at), ("feat/x", f"{base}+"), (None, base)]


@pytest.mark.parametrize("is_before", [True, False])
def test_an_event_in_the_second_of_a_checkout_is_of_the_branch_of_its_moment(
    engine: Engine, clocked: FrozenClock, app: Path, is_before: bool
) -> None:
    git(app, "switch", "-q", "-c", "feat/x")
    says(engine, "remember: the staging db runs on port 5544", app)
    at_ns = (clocked.at + 1) * 10**9 - 1 if is_before else clocked.at * 10**9
    os.utime(app / ".git" / "logs" / "HEAD", ns=(at_ns, at_ns))
    assert branches_of(engine, app) == [(None, sha(app)) if is_before else ("feat/x", f"{sha(app)}+")]


def test_an_event_before_the_first_commit_is_of_no_branch(
    engine: Engine, clocked: FrozenClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "new"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    says(engine, "remember: the staging db runs on port 5544", root)
    later(clocked, monkeypatch)
    commit(root, "a.py", "first")
    git(root, "switch", "-q", "-c", "feat/x")
    assert branches_of(engine, root) == [(None, None)]


@pytest.mark.parametrize(
    "log",
    [
        None,
        b"",
        os.urandom(200_000),
        b"a" * 40 + b" " + b"> 1 +0000" * 20_000,
        b"a" * 40 + b" > " + b"9" * 5_000 + b" +0000\tcheckout: moving from x to y\n",
    ],
)
def test_without_a_readable_reflog_an_event_is_of_what_is_checked_out(
    engine: Engine, clocked: FrozenClock, app: Path, monkeypatch: pytest.MonkeyPatch, log: bytes | None
) -> None:
    says(engine, "remember: the staging db runs on port 5544", app)
    later(clocked, monkeypatch)
    git(app, "switch", "-q", "-c", "feat/x")
    place = app / ".git" / "logs" / "HEAD"
    place.unlink()
    os.mkfifo(place) if log is None else place.write_bytes(log)
    assert branches_of(engine, app) == [("feat/x", f"{sha(app)}+")]


@pytest.mark.parametrize("name", ["../../../secret", ".invalid", "/x", "b" * 300, "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2])
def test_a_strange_name_in_the_reflog_names_nothing(
    engine: Engine, clocked: FrozenClock, app: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    says(engine, "remember: the staging db runs on port 5544", app)
    later(clocked, monkeypatch)
    with (app / ".git" / "logs" / "HEAD").open("a") as log:
        log.write(f"{sha(app)} {sha(app)} a <a@b> {clocked.at} +0000\tcheckout: moving from {name} to main\n")
    assert branches_of(engine, app) == [(None, sha(app))]


# --- how it is seen ---


@pytest.mark.promise("B10")
def test_work_trees_share_memories_and_each_sees_the_other_marked(engine: Engine, app: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(app, "worktree", "add", "-q", "-b", "feature/y", str(side))
    commit(side, "b.py", "second")
    content = "The queue is drained by two workers"
    stored(engine, content, str(side))
    assert standing(engine, content, str(side)) == "here"
    hit = recalled(engine, content, str(app))[content]
    assert hit.branch is not None
    assert (hit.branch.name, hit.branch.standing) == ("feature/y", "elsewhere")
    assert hit.branch.note == "on branch feature/y, not merged here"
    assert ", on branch feature/y, not merged here · " in to_text(hit)


@pytest.mark.promise("B10")
def test_this_branch_comes_first_the_default_one_next_and_unmerged_ones_last(engine: Engine, app: Path) -> None:
    told = "The importer writes {} rows in each batch"
    stored(engine, told.format(500))
    for name, rows in (("mine", 700), ("other", 900)):
        git(app, "switch", "-q", "-c", name, "main")
        commit(app, f"{name}.py", name)
        stored(engine, told.format(rows))
    git(app, "switch", "-q", "mine")
    hits = engine.recall.search("importer rows in each batch", namespace=".", explain=True).hits
    assert [hit.memory.content for hit in hits] == [told.format(rows) for rows in (700, 500, 900)]
    meanings = [{share.meaning for share in hit.signals.shares} for hit in hits]
    assert "written on the current branch" in meanings[0]
    assert "written on a branch that is not merged here" in meanings[2]
    assert not any("branch" in meaning for meaning in meanings[1])


@pytest.mark.promise("B10")
@pytest.mark.parametrize("how", ["--no-ff", "--ff-only"])
def test_what_is_merged_counts_as_ordinary(engine: Engine, app: Path, how: str) -> None:
    git(app, "switch", "-q", "-c", "feature")
    before = stored(engine, "The lock is taken before the file is opened").content
    commit(app, "b.py", "second")
    after = stored(engine, "The lock is released after the file is closed").content
    git(app, "switch", "-q", "main")
    assert [standing(engine, text) for text in (before, after)] == ["elsewhere", "elsewhere"]
    git(app, "merge", "-q", how, "feature")
    assert [standing(engine, text) for text in (before, after)] == ["merged", "merged"]
    git(app, "branch", "-q", "-d", "feature")
    assert [standing(engine, text) for text in (before, after)] == ["merged", "merged"]
    notes = [hit.branch.note for text in (before, after) if (hit := recalled(engine, text)[text]).branch is not None]
    assert notes == ["from branch feature, now deleted", "from branch feature, merged here"]


@pytest.mark.promise("B10")
def test_a_branch_without_a_commit_of_its_own_holds_wherever_its_commit_does(engine: Engine, app: Path) -> None:
    old = stored(engine, "The staging db runs on port 5432")
    git(app, "switch", "-q", "-c", "feature")
    new = engine.memories.store("The staging db runs on port 5544", namespace=".", supersedes=old.id).memory
    git(app, "switch", "-q", "main")
    for text in ("at the same commit", "at an ancestor"):
        hits = recalled(engine, "staging db port")
        assert next(iter(hits)) == new.content
        assert hits[old.content].superseded_by == new.id
        branch = hits[new.content].branch
        assert branch is not None
        assert (branch.standing, branch.note) == ("merged", "from branch feature, which has no commit of its own")
        assert new.content in engine.presence.context(namespace=".").text
        commit(app, "b.py", text)
    git(app, "switch", "-q", "feature")
    commit(app, "c.py", "its first commit")
    git(app, "switch", "-q", "main")
    assert standing(engine, new.content) == "elsewhere"


def test_a_branch_continued_after_a_merge_is_merged_up_to_that_commit(engine: Engine, app: Path) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    early = stored(engine, "Keys are compared byte by byte").content
    git(app, "switch", "-q", "main")
    git(app, "merge", "-q", "--no-ff", "feature")
    git(app, "switch", "-q", "feature")
    commit(app, "c.py", "third")
    late = stored(engine, "Values are hashed once more").content
    git(app, "switch", "-q", "main")
    assert (standing(engine, early), standing(engine, late)) == ("merged", "elsewhere")


@pytest.mark.parametrize("how", ["squash", "rebase"])
def test_a_branch_that_was_squashed_or_rebased_is_merged(engine: Engine, app: Path, how: str) -> None:
    git(app, "switch", "-q", "-c", "feature")
    before = stored(engine, "The lock is taken before the file is opened").content
    commit(app, "b.py", "second")
    commit(app, "a.py", "changed")
    after = stored(engine, "The lock is released after the file is closed").content
    git(app, "switch", "-q", "main")
    commit(app, "c.py", "main goes on")
    assert [standing(engine, text) for text in (before, after)] == ["elsewhere", "elsewhere"]
    if how == "squash":
        git(app, "merge", "-q", "--squash", "feature")
        git(app, "commit", "-q", "-m", "Feature (#7)")
    else:
        git(app, "cherry-pick", "main..feature")
    assert [standing(engine, text) for text in (before, after)] == ["merged", "merged"]
    commit(app, "b.py", "main changes it again")
    assert [standing(engine, text) for text in (before, after)] == ["merged", "merged"]
    git(app, "switch", "-q", "feature")
    commit(app, "b.py", "the branch goes on")
    git(app, "switch", "-q", "main")
    assert standing(engine, after) == "elsewhere"


def test_a_branch_that_is_gone_is_marked_and_not_lowered(engine: Engine, app: Path) -> None:
    git(app, "switch", "-q", "-c", "idea")
    commit(app, "b.py", "second")
    content = stored(engine, "Everything is kept in one large table").content
    git(app, "switch", "-q", "main")
    git(app, "branch", "-q", "-D", "idea")
    gone = "on branch idea, deleted and not merged here"
    assert standing(engine, content) == "unknown"
    assert recalled(engine, content)[content].branch.note == gone  # type: ignore[union-attr]
    git(app, "reflog", "expire", "--expire=now", "--all")
    git(app, "gc", "-q", "--prune=now")
    engine.branches._known.clear()
    assert recalled(engine, content)[content].branch.note == gone  # type: ignore[union-attr]


def test_a_renamed_branch_keeps_its_memories(engine: Engine, app: Path) -> None:
    git(app, "switch", "-q", "-c", "old-name")
    commit(app, "b.py", "second")
    content = stored(engine, "Ports below 1024 are refused").content
    git(app, "branch", "-q", "-m", "new-name")
    commit(app, "c.py", "third")
    assert standing(engine, content) == "merged"
    git(app, "switch", "-q", "main")
    assert standing(engine, content) == "elsewhere"


def test_a_detached_head_sees_what_is_part_of_its_history(engine: Engine, app: Path) -> None:
    base = sha(app)
    git(app, "switch", "-q", "-c", "feature")
    at = commit(app, "b.py", "second")
    content = stored(engine, "Ports below 1024 are refused").content
    git(app, "switch", "-q", "--detach", base)
    assert standing(engine, content) == "elsewhere"
    memory = stored(engine, "Looking at an old version")
    assert (memory.branch, memory.head) == (None, base)
    git(app, "switch", "-q", "--detach", at)
    assert standing(engine, content) == "merged"


def test_during_a_rebase_the_branch_is_still_the_branch(engine: Engine, app: Path) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "a.py", "one way")
    content = stored(engine, "Ports below 1024 are refused").content
    git(app, "switch", "-q", "main")
    commit(app, "a.py", "the other way")
    git(app, "switch", "-q", "feature")
    with pytest.raises(subprocess.CalledProcessError):
        git(app, "rebase", "-q", "main")
    assert standing(engine, content) == "here"


# --- what follows from it ---


def test_a_newer_version_on_an_unmerged_branch_does_not_replace_what_holds_here(engine: Engine, app: Path) -> None:
    old = stored(engine, "The request timeout is 30 seconds")
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    new = engine.memories.store("The request timeout is 60 seconds", namespace=".", supersedes=old.id).memory
    here = recalled(engine, "request timeout seconds")
    assert next(iter(here)) == new.content
    assert here[old.content].superseded_by == new.id
    git(app, "switch", "-q", "main")
    there = recalled(engine, "request timeout seconds")
    assert (there[old.content].superseded_by, there[old.content].doubted_by) == (None, new.id)
    assert f"a later note may replace it: {new.id[:8]}" in to_text(there[old.content])
    packed = engine.recall.pack("request timeout seconds", namespace=".", min_score=0.0).text
    assert f"{old.content} (a later note may replace it: {new.id[:8]})" in packed
    assert f"{new.content} (on branch feature, not merged here)" in packed
    git(app, "merge", "-q", "feature")
    assert recalled(engine, "request timeout seconds")[old.content].superseded_by == new.id


def test_a_memory_stored_on_two_branches_belongs_to_the_project(engine: Engine, app: Path) -> None:
    content = "Tests are run with make check"
    git(app, "switch", "-q", "-c", "one")
    first = stored(engine, content)
    assert stored(engine, content).branch == "one"
    git(app, "switch", "-q", "-c", "two")
    again = stored(engine, content)
    assert (again.id, again.branch) == (first.id, None)
    git(app, "switch", "-q", "main")
    assert standing(engine, content) is None


@pytest.mark.promise("B10")
@pytest.mark.parametrize("kind", ["preference", "style"])
def test_a_preference_that_is_stored_on_a_branch_holds_on_all(engine: Engine, app: Path, kind: MemoryType) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    memory = engine.memories.store("Commit messages are in the imperative", memory_type=kind, namespace=".").memory
    git(app, "switch", "-q", "main")
    assert standing(engine, memory.content) is None
    assert memory.content in engine.presence.context(namespace=".").text


@pytest.mark.promise("B10")
@pytest.mark.parametrize("rule", ["On this branch use yaml for the config", "Use yaml for the config of feature"])
def test_a_rule_that_names_a_branch_is_of_that_branch(
    engine: Engine, clocked: FrozenClock, app: Path, rule: str
) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    engine.memories.store(rule, memory_type="style", namespace=".")
    says(engine, "from now on always use tabs on this branch", app)
    branches_of(engine, app)
    git(app, "switch", "-q", "main")
    assert standing(engine, rule) == "elsewhere"
    text = engine.presence.context(namespace=".").text
    assert rule not in text
    assert "tabs on this branch (on branch feature, not merged here)" in text


def test_memories_can_be_asked_for_by_branch(engine: Engine, app: Path) -> None:
    stored(engine, "The parser is written by hand")
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    stored(engine, "The parser is generated")
    for branch, expected in (("feature", "The parser is generated"), ("main", "The parser is written by hand")):
        hits = engine.recall.search("parser", namespace=".", branch=branch).hits
        assert [hit.memory.content for hit in hits] == [expected]
        assert [row.content for row in engine.memories.list(namespace=".", branch=branch).memories] == [expected]
    assert engine.recall.search("parser", namespace=".", branch="no-such-branch").hits == ()


def test_a_pack_says_of_which_branch_something_is(engine: Engine, app: Path) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    stored(engine, "The parser is generated from a grammar")
    git(app, "switch", "-q", "main")
    assert "(on branch feature, not merged here)" in engine.recall.pack("parser grammar", min_score=0.0).text


def test_the_context_of_a_session_leaves_out_what_belongs_to_other_work(engine: Engine, app: Path) -> None:
    stored(engine, "The parser is written by hand")
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    stored(engine, "The parser is generated from a grammar")
    assert "generated from a grammar" in engine.presence.context(namespace=".").text
    git(app, "switch", "-q", "main")
    text = engine.presence.context(namespace=".").text
    assert "written by hand" in text
    assert "generated from a grammar" not in text


OLD, NEW = "The request timeout is 30 seconds.", "The request timeout is 60 seconds."
BOTH = f"{NEW} (on branch feature, not merged here; earlier, may no longer hold: {OLD})"


@pytest.fixture(params=["replaced", "perhaps replaced"])
def unmerged(request: pytest.FixtureRequest, engine: Engine, app: Path) -> str:
    """The id of a memory of an unmerged branch that has replaced one of main, or may have."""
    old = engine.memories.store(OLD, namespace=".", importance=0.95, amend=False).memory
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    given = {"supersedes": old.id} if request.param == "replaced" else {"amend": False}
    new = engine.memories.store(NEW, namespace=".", importance=0.95, **given).memory
    if request.param != "replaced":
        engine.memories.associate(new.id, old.id, relationship="CONTRADICTS", weight=0.6)
    git(app, "switch", "-q", "main")
    return new.id


@pytest.mark.promise("B10")
def test_what_an_unmerged_branch_has_replaced_is_never_told_alone(engine: Engine, app: Path, unmerged: str) -> None:
    first, second = engine.recall.search("what is the request timeout?", namespace=".").hits
    assert (first.memory.content, second.memory.content) == (NEW, OLD)
    assert first.branch is not None
    assert (first.branch.standing, second.doubted_by) == ("elsewhere", unmerged)
    assert BOTH in engine.presence.context(namespace=".").text
    raw = claude("UserPromptSubmit", prompt="what is the request timeout?")
    assert BOTH in (engine.presence.answer(raw.replace(ROOT.encode(), str(app).encode())) or "")
    git(app, "merge", "-q", "feature")
    assert "not merged here" not in engine.presence.context(namespace=".").text


@pytest.mark.promise("B10")
def test_what_a_prompt_stated_on_another_branch_is_told_with_the_branch(
    engine: Engine, clocked: FrozenClock, app: Path
) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    says(engine, "remember: invoices are kept for ten years", app)
    branches_of(engine, app)
    git(app, "switch", "-q", "main")
    text = engine.presence.context(namespace=".").text
    assert "nvoices are kept for ten years (on branch feature, not merged here)" in text


# --- when git cannot be asked ---


def test_without_git_nothing_is_claimed(
    engine: Engine, app: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, open_engine: Callable[..., Engine]
) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    content = stored(engine, "The parser is generated from a grammar").content
    git(app, "switch", "-q", "main")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing-here"))
    assert shutil.which("git") is None
    hit = recalled(open_engine(embed_provider="off"), content)[content]
    assert hit.branch is not None
    assert (hit.branch.standing, hit.branch.note) == ("unknown", "on branch feature")


def test_who_cannot_wait_reads_files_only_and_uses_what_is_known(
    engine: Engine, app: Path, monkeypatch: pytest.MonkeyPatch, open_engine: Callable[..., Engine]
) -> None:
    git(app, "switch", "-q", "-c", "feature")
    commit(app, "b.py", "second")
    content = stored(engine, "The parser is generated from a grammar").content
    engine = open_engine(embed_provider="off")

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a program was run")

    def without_git() -> str | None:
        with monkeypatch.context() as patch:
            patch.setattr(Repository, "run", never)
            engine.branches.asks_git = False
            try:
                return standing(engine, content)
            finally:
                engine.branches.asks_git = True

    assert without_git() == "here"
    git(app, "switch", "-q", "main")
    assert without_git() == "unknown"
    assert standing(engine, content) == "elsewhere"
    assert without_git() == "elsewhere"


def test_git_is_asked_once_for_each_state_of_the_repository(
    engine: Engine, app: Path, monkeypatch: pytest.MonkeyPatch, open_engine: Callable[..., Engine]
) -> None:
    for name in ("one", "two"):
        git(app, "switch", "-q", "-c", name, "main")
        commit(app, f"{name}.py", name)
        stored(engine, f"The parser of {name} is generated")
    git(app, "switch", "-q", "main")
    engine = open_engine(embed_provider="off")
    calls: list[object] = []
    original = asking.part_of

    def counted(*words: object) -> dict[str, bool]:
        calls.append(words)
        return original(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(asking, "part_of", counted)
    for _ in range(3):
        assert len(recalled(engine, "parser generated")) == 2
    assert len(calls) == 1
    commit(app, "c.py", "main goes on")
    assert len(recalled(engine, "parser generated")) == 2
    assert len(calls) == 2


# --- reading git's files ---


def test_the_default_branch_is_the_one_the_remote_names(app: Path, tmp_path: Path) -> None:
    git(app, "switch", "-q", "-c", "develop")
    git(tmp_path, "clone", "-q", str(app), "copy")
    found = checkout(str(tmp_path / "copy"))
    assert found is not None
    assert (found.branch, found.default) == ("develop", "develop")


@pytest.mark.parametrize(
    ("names", "default"),
    [(("master",), "master"), (("trunk", "x"), "trunk"), (("only",), "only"), (("one", "another"), "")],
)
def test_the_default_branch_without_a_remote(app: Path, names: tuple[str, ...], default: str) -> None:
    git(app, "branch", "-m", names[0])
    for name in names[1:]:
        git(app, "switch", "-q", "-c", name)
    for _ in range(2):
        found = checkout(str(app))
        assert found is not None
        assert (found.branch, found.default, found.head) == (names[-1], default, sha(app))
        git(app, "pack-refs", "--all")


def test_packed_refs_and_linked_work_trees_are_read(app: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    git(app, "worktree", "add", "-q", "-b", "a/b/c", str(side))
    at = commit(side, "b.py", "second")
    git(app, "pack-refs", "--all")
    found = checkout(str(side))
    assert found is not None
    assert (found.branch, found.head, found.default) == ("a/b/c", at, "main")
    assert tip(found.common, "main") == sha(app)
    assert tip(found.common, "b/c") == ""


@pytest.mark.parametrize("head", ["", "ref: refs/heads/../../../secret", "ref: refs/heads/.invalid", "garbage", "\0"])
def test_a_strange_head_names_nothing(app: Path, head: str) -> None:
    (app / ".git" / "HEAD").write_text(head, encoding="utf-8")
    found = checkout(str(app))
    assert found is None or (found.branch, found.head) == ("", "")


def test_a_recall_survives_a_work_tree_that_is_gone(
    open_engine: Callable[..., Engine], app: Path, tmp_path: Path
) -> None:
    engine = open_engine(embed_provider="off")
    side = tmp_path / "side"
    git(app, "worktree", "add", "-q", "-b", "feature", str(side))
    commit(side, "b.py", "second")
    content = stored(engine, "The parser is generated from a grammar", str(side)).content
    shutil.rmtree(app)
    shutil.rmtree(side)
    hits = engine.recall.search(content).hits
    assert [hit.branch.standing for hit in hits if hit.branch is not None] == ["unknown"]


@pytest.mark.parametrize("is_merged", [True, False])
def test_a_statement_replaces_what_a_merged_branch_said(engine: Engine, app: Path, is_merged: bool) -> None:
    git(app, "switch", "-q", "-c", "feature/retry")
    commit(app, "b.py", "second")
    old = stored(engine, "The request timeout is 30 seconds.")
    git(app, "switch", "-q", "main")
    if is_merged:
        git(app, "merge", "-q", "--no-ff", "-m", "merge", "feature/retry")
    new = stored(engine, "The request timeout is 60 seconds.")
    assert engine.memories.get(old.id).superseded_by == (new.id if is_merged else None)
