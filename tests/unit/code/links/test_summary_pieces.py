"""Pieces: an edit of a file that a group looks into concerns the group exactly if it can reach what was edited."""

from __future__ import annotations

import pytest

from recollect.code.links import link_groups
from recollect.code.links.file_programs import read_offer, translated
from recollect.code.links.interface_summary import numbers, words
from recollect.code.links.link_groups import Known, plan
from recollect.code.links.module_finder import Facts

LIB = """
import other

class Server:
    kind = 1

    def __init__(self):
        self.app = other.make()

    def start(self):
        return self.inner()

    def inner(self):
        return other.make()

    def fill(self):
        self.more = other.make()

    def unasked(self):
        return other.make()

def make():
    return helper()

def helper():
    return Server()

def alone():
    return helper()

@other.register
def dressed():
    return 1
"""
MAIN = """
from lib import Server, make

def run(server: Server):
    make().start()
    return server.more
"""


def _digests(files: dict[str, str]) -> dict[str, str]:
    """Return the digest of every group; each folder is one."""
    programs = {}
    for path, text in files.items():
        found = translated(path, text.encode())
        assert not found.note
        programs[path] = Known(found.hash, link_groups.GROUP_BYTES, read_offer(found.outline))
    return {group.key: group.digest for group in plan(programs, Facts(), "").groups}


def _is_solved_again(old: str, new: str) -> bool:
    """Tell whether an edit of the library concerns the group of the main file."""
    assert old in LIB
    before = _digests({"a/main.py": MAIN, "lib.py": LIB, "other.py": "def make(): pass\n"})
    after = _digests({"a/main.py": MAIN, "lib.py": LIB.replace(old, new), "other.py": "def make(): pass\n"})
    (key,) = [each for each in before if "a/" in each]
    return before[key] != after[key]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def alone():\n    return helper()", "def alone():\n    return make()"),
        ("def alone():\n    return helper()\n", ""),
        ("def alone()", "def first(x):\n    return x.y\n\ndef alone()"),
        (
            "def unasked(self):\n        return",
            "def unasked(self):\n        def inside():\n            pass\n        return",
        ),
        ("    def unasked(self):", "    def between(self):\n        return self.kind\n\n    def unasked(self):"),
        ("def helper():\n", "def helper():\n    # a comment\n"),
        ("def make():\n", "def make():\n    print(5)\n"),
    ],
)
def test_unreachable_pieces_do_not_count(old: str, new: str) -> None:
    assert not _is_solved_again(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def make():\n    return helper()", "def make():\n    return alone()"),  # is called
        ("def helper():\n    return Server()", "def helper():\n    return None"),  # by what is called
        ("def inner(self):\n        return other", "def inner(self):\n        return helper"),  # a method of a method
        ("self.more = other.make()", "self.more = Server()"),  # gives to what is asked for
        ("    def unasked(self):\n        return other.make()", "    def unasked(self):\n        self.more = helper()"),
        ("self.app = other.make()", "self.app = 1"),  # a constructor
        ("kind = 1", "kind = make"),
        ("class Server:", "class Server(other.Base):"),
        ("@other.register\ndef dressed()", "def dressed()"),  # a decorator may do anything with it
        ("def dressed():\n    return 1", "def dressed():\n    return make"),
        ("import other\n", "import other\nfrom other import *\n"),
        ("def alone()", "def start():\n    return 1\n\ndef alone()"),  # of a name that is asked for
    ],
)
def test_reachable_pieces_count(old: str, new: str) -> None:
    assert _is_solved_again(old, new)


def test_words_include_every_possible_name() -> None:
    source = b"""getattr(box, "start")\nx = ["one", "two"]\nbox.stop(\n    'wait')\ncaf\xc3\xa9 = 1\n"""
    expected = [b"getattr", b"box", b"start", b"one", b"two", b"stop", b"wait", "café".encode(), b"1"]
    found = set(numbers(words(source)))
    for name in expected:
        assert set(numbers(words(name))) <= found, name
    assert not set(numbers(words(b"onetwo"))) & found


SCRIPT = """
import { made } from './other'
export function used() { return inner() }
function inner() { return made() }
export function alone() { return inner() }
export const arrow = () => made()
export class Box {
  open() { return made() }
  unasked() { return made() }
}
register(function named() { return made() })
"""
SCRIPT_USER = "import { used, arrow, Box } from '../lib'\nused(arrow())\nnew Box().open()\n"
JAVA = """package p;
class Lib {
  Other used() { return inner(); }
  Other inner() { return new Other(); }
  Other alone() { return new Other(); }
  void close() { }
}
"""
JAVA_USER = "package p;\nclass User { void run(Lib lib) { lib.used(); } }\n"


def _is_solved_after(files: dict[str, str], path: str, old: str, new: str) -> bool:
    assert old in files[path]
    before, after = _digests(files), _digests({**files, path: files[path].replace(old, new)})
    (key,) = [each for each in before if "a/" in each]
    return before[key] != after[key]


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("alone() { return inner()", "alone() { return Box", False),
        ("export function alone", "export function fresh() { return 1 }\nexport function alone", False),
        ("export function alone", "export const fresh = () => made()\nexport function alone", False),
        ("arrow = () => made()", "arrow = () => 1", True),
        ("unasked() { return made()", "unasked() { return Box", False),
        ("inner() { return made()", "inner() { return 1", True),
        ("export function used", "function used", True),  # it is no longer exported
        ("open() { return made()", "open() { return 1", True),
        ("named() { return made()", "named() { return 1", True),  # whoever registers it may call it
        ("export function alone", "export function used2() {}\nexport { used2 as Box2 }\nexport function alone", True),
    ],
)
def test_pieces_of_javascript(old: str, new: str, counts: bool) -> None:
    files = {"a/main.js": SCRIPT_USER, "lib.js": SCRIPT, "other.js": "export function made() {}\n"}
    assert _is_solved_after(files, "lib.js", old, new) is counts


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("alone() { return new Other()", "alone() { return null", False),
        ("  Other alone()", "  int fresh() { return 1; }\n  Other alone()", False),
        ("inner() { return new Other()", "inner() { return null", True),
        ("  Other alone()", "  Other used(int more) { return null; }\n  Other alone()", True),  # an overload
        ("void close() { }", "Other close() { return null; }", True),  # the language calls it
    ],
)
def test_pieces_of_java(old: str, new: str, counts: bool) -> None:
    files = {"a/User.java": JAVA_USER, "b/Lib.java": JAVA, "b/Other.java": "package p;\nclass Other { }\n"}
    assert _is_solved_after(files, "b/Lib.java", old, new) is counts
