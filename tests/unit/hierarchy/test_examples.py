# ruff: noqa: E501 - what programs print
"""The examples of document 004 run and say what it says they do; so does the page about it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from recollect import hierarchy

EXAMPLES = Path(__file__).parents[3] / "examples" / "hierarchy"

SAID = {
    "cost.py": """\
files: 11 bytes: 2344
without the hierarchy: 937 tokens a task
with it: 47 tokens in levels 1 and 2
saved: True level 4 is computed once: True
level 1, immediate context: 1 items
level 2, working set: 0 items
level 3, archive: 11 items
level 4, global knowledge: 6 items
""",
    "demotion.py": """\
{'task complete'} {}
payment_handler.py: level 2 → 3, unused for 30 minutes
still known: True
payment_handler.py: level 2 is full; least recently used
['auth_middleware.py', 'cache_config.py', 'cache_manager.py', 'logging_utils.py', 'redis_backend.py', 'tests/test_cache_manager.py']
""",
    "levels.py": """\
Editing: user_service.py
Context Level 1 includes: ['cache_manager.py', 'error', 'user_model.py', 'user_service.py']
TypeError: 'NoneType' object is not callable
Working on: Add caching feature
Working Set includes:
├─ cache_manager.py
├─ redis_backend.py
├─ cache_config.py
├─ tests/test_cache_manager.py
├─ logging_utils.py
Available in Archive but not loaded: ['auth_middleware.py', 'payment_handler.py', 'docs/architecture.md']
\"\"\"Taking money.\"\"\"
Global knowledge: ['Architecture', 'Design patterns in use', 'Technology']
no actual code: True at most 50 KB: True
""",
    "memory_interface.py": """\
Editing the cache
['redis_backend.py']
LIFETIME_S = 300
- payment_handler.py
NOT_FOUND unknown.py is not an indexed file of this project
immediate (1,) served by level 1
RedisBackend (1, 2, 4, 3) served by level 3
RedisBackend (1, 2) served by level 2
gardening (1, 2, 4) served by level 0
True True 2344 True
hit rate 50%
expired: ()
""",
    "pressure.py": """\
spill: whole cache_manager.py in level 1, fits: True
  stays accessible: True
split: part cache_manager.py in level 1, fits: True
  stays accessible: True
compress: outline cache_manager.py in level 1, fits: True
  stays accessible: True
move_oldest: level 2 is within 1,000 bytes, 1 moved out
widen: level 2 is wider than 1,000 bytes, 0 moved out
shorten: level 2 is within 1,000 bytes, 1 moved out
""",
    "promotion.py": """\
levels asked: (1, 2, 4, 3) found: cache_invalidation.py
promoted: [('cache_invalidation.py', 2)]
redis_backend.py → level 2: cache_manager.py was read and uses RedisBackend.__init__
cache_config.py → level 2: cache_manager.py was read and uses LIFETIME_S
logging_utils.py → level 2: cache_manager.py was read and uses log
3 accesses in 5 minutes
accesses: 3
in level 1: ['payment_handler.py']
read 3 times in 5 minutes
""",
    "tuning.py": """\
standard: [50, 500, 50] KB, unused for 30 and 30 minutes
small: [10, 100, 10] KB, unused for 30 and 30 minutes
large: [30, 2000, 50] KB, unused for 30 and 30 minutes
interactive: [50, 500, 50] KB, unused for 60 and 120 minutes
this project is small
unknown profile 'huge' One of: standard, small, large, interactive, auto.
""",
}


@pytest.mark.promise("H1", "H2", "H3", "H4", "H5", "H6", "H7", "H8")
@pytest.mark.parametrize("name", SAID)
def test_an_example_says_what_the_document_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    said = capsys.readouterr()
    assert (said.out, said.err) == (SAID[name], "")


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} - {"shop.py"} == set(SAID)


def test_the_examples_show_every_method_of_the_document() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py"))
    queries = ("get_immediate_context", "get_working_set", "get_archive_item", "query_global_knowledge")
    writes = ("set_immediate_context", "promote_to_working_set", "demote_to_archive")
    others = ("get_memory_stats", "cleanup", "check_promotion", "start_task", "complete_task", "look_up")
    assert [name for name in (*queries, *writes, *others) if f".{name}(" not in text] == []


def test_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "hierarchy.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, {})
    said = capsys.readouterr().out
    assert said.startswith("=== price.py ===\ndef gross(net):\n")
    assert said.endswith("price.py search\n")


def test_the_names_of_the_package_resolve() -> None:
    for name in hierarchy.__all__:
        assert getattr(hierarchy, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        hierarchy.nonsense  # noqa: B018
