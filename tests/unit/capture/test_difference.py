"""An edit is said in words."""

from __future__ import annotations

import pytest

from recollect.capture.difference import difference
from recollect.engine.sessions.hook_ingest import outline

BEFORE = '''import os


class Shop:
    """Sells things."""

    def open(self):
        self.door = True
        return self.door

    def close(self):
        self.door = False


def main():
    Shop().open()
'''


def told(after: str, before: str = BEFORE, path: str = "shop.py") -> str:
    return difference(path, before, after, outline).told()


@pytest.mark.promise("E20")
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("self.door = True", "self.door = 1", "`self.door = True` became `self.door = 1` in Shop.open"),
        ("        return self.door\n", "", "removed `return self.door` in Shop.open"),
        ("import os\n", "import os\nimport sys\n", "added `import sys`"),
        ("def main():\n    Shop().open()\n", "def run():\n    Shop().open()\n", "`def main():` became `def run():`"),
        ("    Shop().open()", "  Shop().open()", "only white space"),
        ('    """Sells things."""\n', "    # Sells things.\n", 'only comments in Shop'),
    ],
)  # fmt: skip
def test_a_small_edit_says_which_line_became_which(old: str, new: str, expected: str) -> None:
    assert expected in told(BEFORE.replace(old, new))


@pytest.mark.promise("E20")
def test_of_long_lines_the_place_where_they_differ_is_shown() -> None:
    query = 'fun pick(id: Long): Int = db.one("SELECT number FROM cabin WHERE sailing = ? AND free LIMIT 1{}", sailing)'
    edit = difference("Cabins.kt", query.format(""), query.format(" FOR UPDATE SKIP LOCKED"), lambda path, text: ())
    assert edit.told() == (
        '`…WHERE sailing = ? AND free LIMIT 1", sailing)` became '
        '`…WHERE sailing = ? AND free LIMIT 1 FOR UPDATE SKIP LOCKED", sailing)`'
    )


@pytest.mark.promise("E20")
def test_a_large_edit_says_which_symbols_came_went_and_changed() -> None:
    after = BEFORE.replace("    def close(self):\n        self.door = False\n", "")
    after = after.replace("        return self.door\n", "        print(self.door)\n        return bool(self.door)\n")
    after += "\n\ndef stop():\n    pass\n\n\ndef go():\n    return 1\n"
    assert told(after) == "added stop, go; removed Shop.close; changed Shop.open"


def test_a_renamed_function_is_no_new_one() -> None:
    before = "def a():\n    x = 1\n    y = 2\n    return x + y\n\n\ndef z():\n    pass\n"
    after = before.replace("def a", "def b").replace("pass", "return [\n        1,\n        2,\n        3,\n    ]")
    assert told(after, before) == "renamed a to b; changed z"


def test_comments_and_nothing_are_said_to_be_that() -> None:
    assert told(BEFORE.replace("import os", "# first\nimport os")) == "only comments"
    assert told(BEFORE) == "nothing"


def test_lines_are_counted_and_shown_in_short() -> None:
    found = difference("a.txt", "a\nb\nc\n", "a\nB\nc\n" + "x\n" * 500, outline)
    assert (found.added, found.removed) == (501, 1)
    assert found.excerpt.startswith("- b\n+ B")
    assert len(found.excerpt) < 1_000


def test_very_long_texts_are_compared_at_their_ends() -> None:
    before = "\n".join(f"line {number % 3}" for number in range(20_000))
    found = difference("a.txt", f"begin\n{before}\nend", f"begin\n{before.replace('line 1', 'row 1')}\nend", outline)
    assert found.added == found.removed
    assert found.excerpt
