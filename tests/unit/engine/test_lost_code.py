"""Code that is not where it was: gone only where nothing similar came into the repository since."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Engine
from recollect.model import Anchored
from recollect.render import to_brief, to_text

OLD = """class Pool:
    def __init__(self, size, retries, timeout):
        self.size = size
        self.retries = retries
        self.timeout = timeout
        self.free = [connect(timeout) for _ in range(size)]
        self.used = set()
        self.closed = False
"""
EDITED = OLD.replace("class Pool", "class ConnectionPool").replace("self.closed = False", "self.closed = None")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    return root


def anchored(engine: Engine, project: Path) -> Anchored:
    (hit,) = engine.recall.search("zebra", namespace=str(project), code=False).hits
    (row,) = hit.freshness.anchors
    return row


def remember(engine: Engine, project: Path) -> None:
    (project / "pool.py").write_text(OLD, encoding="utf-8")
    engine.code.index(str(project))
    engine.memories.store(
        "zebra: it opens all connections at once", namespace=str(project), anchors=("pool.py::Pool.__init__",)
    )


def test_an_edited_copy_of_an_earlier_update_is_where_deleted_code_went(engine: Engine, project: Path) -> None:
    remember(engine, project)
    (project / "connections.py").write_text(EDITED, encoding="utf-8")
    engine.code.index(str(project))
    (project / "pool.py").unlink()
    engine.code.index(str(project))
    row = anchored(engine, project)
    assert (row.verdict, row.now_path, row.now_symbol) == ("changed", "connections.py", "ConnectionPool.__init__")


def test_a_similar_symbol_that_was_there_before_is_not_where_deleted_code_went(engine: Engine, project: Path) -> None:
    (project / "connections.py").write_text(EDITED, encoding="utf-8")
    remember(engine, project)
    (project / "pool.py").unlink()
    engine.code.index(str(project))
    assert anchored(engine, project).verdict == "gone"


def test_another_symbol_of_the_same_name_is_not_where_deleted_code_went(engine: Engine, project: Path) -> None:
    remember(engine, project)
    other = "class Log:\n    def __init__(self, at):\n        self.file = open(at)\n        print('writing', at)\n"
    (project / "log.py").write_text(other, encoding="utf-8")
    engine.code.index(str(project))
    (project / "pool.py").unlink()
    engine.code.index(str(project))
    assert anchored(engine, project).verdict == "gone"


def test_a_memory_in_full_says_whether_its_code_changed(engine: Engine, project: Path) -> None:
    remember(engine, project)
    (hit,) = engine.recall.search("zebra", namespace=str(project), code=False).hits
    assert engine.memories.get(hit.memory.id).freshness.verdict == "fresh"
    (project / "pool.py").write_text(OLD.replace("= False", "= None"), encoding="utf-8")
    engine.code.index(str(project))
    shown = engine.memories.get(hit.memory.id)
    assert shown.freshness.verdict == "changed"
    assert "pool.py::Pool.__init__ changed since this was written" in to_text(shown)
    assert "pool.py::Pool.__init__ changed since this was written" in str(to_brief(shown))


def test_a_renamed_symbol_that_names_itself_in_a_literal_only_moved(engine: Engine, project: Path) -> None:
    view = "def {name}(request, session, user):\n    check(user)\n    return render('{name}.html', user=user)\n"
    (project / "views.py").write_text(view.format(name="profile"), encoding="utf-8")
    engine.code.index(str(project))
    engine.memories.store("zebra: it needs a user", namespace=str(project), anchors=("views.py::profile",))
    (project / "views.py").write_text(view.format(name="account"), encoding="utf-8")
    engine.code.index(str(project))
    row = anchored(engine, project)
    assert (row.verdict, row.now_symbol) == ("moved", "account")
