"""Which files hold the words of a text at all: as a whole, and in their path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine
from recollect.engine.code.indexed_project import Sources
from recollect.engine.records.identity import namespace_of


@pytest.fixture
def sources(tmp_path: Path) -> Iterator[Sources]:
    """A project with a file that holds two rare words far apart, some that hold one, and many that hold none."""
    apart = "\n\n".join(f"def step_{number}():\n    return {number}" for number in range(120))
    files = {
        "apart.py": f"# the lantern\n{apart}\n\ndef last():\n    return 'buoy'\n",
        "one.py": "# lantern, lantern, lantern\n\ndef lantern():\n    return 'lantern'\n",
        "harbour/beacon.py": "def shine():\n    return 1\n",
        **{f"many/other_{number}.py": f"def other_{number}():\n    return {number}\n" for number in range(30)},
    }
    project = tmp_path / "project"
    write(project, files)
    with Engine(home=str(tmp_path / "home"), embed_provider="off") as engine:
        engine.code.index(str(project))
        yield engine.sources(namespace_of(str(project)) or "")


@pytest.mark.promise("H2")
def test_a_file_counts_as_a_whole_by_how_many_rare_words_it_holds(sources: Sources) -> None:
    assert sources.holding("a lantern on the buoy")[:2] == ["apart.py", "one.py"], "not by how often it holds one"


@pytest.mark.promise("H2")
def test_a_word_may_stand_in_the_path(sources: Sources) -> None:
    assert sources.holding("the beacon")[0] == "harbour/beacon.py"
    assert sources.holding("") == []
    assert sources.holding("nothing of zeppelins") == []
