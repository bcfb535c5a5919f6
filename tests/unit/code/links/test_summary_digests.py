"""Digests: an edit of a file that a group looks into concerns the group exactly if others see what was edited."""

from __future__ import annotations

import pytest

from recollect.code.links import link_groups
from recollect.code.links.file_programs import read_offer, translated
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


SCRIPT = """
import { made } from './other'
export function used() { return inner() }
function inner() { return made() }
export class Box {
  open() { return made() }
}
register(function named() { return made() })
"""
SCRIPT_USER = "import { used, Box } from '../lib'\nused()\nnew Box().open()\n"
JAVA = """package p;
class Lib {
  Other used() { return inner(); }
  Other inner() { return new Other(); }
}
"""
JAVA_USER = "package p;\nclass User { void run(Lib lib) { lib.used(); } }\n"
TREES = {
    "lib.py": {"a/main.py": MAIN, "lib.py": LIB, "other.py": "def make(): pass\n"},
    "lib.js": {"a/main.js": SCRIPT_USER, "lib.js": SCRIPT, "other.js": "export function made() {}\n"},
    "b/Lib.java": {"a/User.java": JAVA_USER, "b/Lib.java": JAVA, "b/Other.java": "package p;\nclass Other { }\n"},
}


def _is_solved_again(path: str, old: str, new: str) -> bool:
    """Tell whether an edit of a file concerns the group of another folder that needs it."""
    files = TREES[path]
    assert old in files[path]
    before, after = _digests(files), _digests({**files, path: files[path].replace(old, new)})
    (key,) = [each for each in before if "a/" in each]
    return before[key] != after[key]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("lib.py", "def helper():\n", "def helper():\n    # a comment\n"),
        ("lib.py", "def make():\n", "def make():\n    print(5)\n"),
        ("lib.js", "inner() { return", "inner() { made(); return"),
        ("b/Lib.java", "inner() { return", "inner() { used(); return"),
    ],
)
def test_an_edit_that_others_do_not_see_does_not_count(path: str, old: str, new: str) -> None:
    assert not _is_solved_again(path, old, new)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("lib.py", "def make():\n    return helper()", "def make():\n    return alone()"),
        ("lib.py", "def helper():\n    return Server()", "def helper():\n    return None"),
        ("lib.py", "self.more = other.make()", "self.more = Server()"),
        ("lib.py", "self.app = other.make()", "self.app = 1"),
        ("lib.py", "kind = 1", "kind = make"),
        ("lib.py", "class Server:", "class Server(other.Base):"),
        ("lib.py", "@other.register\ndef dressed()", "def dressed()"),
        ("lib.py", "import other\n", "import other\nfrom other import *\n"),
        ("lib.js", "inner() { return made()", "inner() { return 1"),
        ("lib.js", "export function used", "function used"),
        ("lib.js", "open() { return made()", "open() { return 1"),
        ("lib.js", "named() { return made()", "named() { return 1"),
        ("b/Lib.java", "inner() { return new Other()", "inner() { return null"),
        ("b/Lib.java", "  Other inner()", "  Other used(int more) { return null; }\n  Other inner()"),
    ],
)
def test_an_edit_that_others_see_counts(path: str, old: str, new: str) -> None:
    assert _is_solved_again(path, old, new)


def test_a_module_that_is_imported_from_its_package_counts() -> None:
    files = {"a/main.py": "from lib import tools\ntools.make()\n", "lib/__init__.py": ""}
    before = _digests(files)["python a/**"]
    made = _digests({**files, "lib/tools.py": "def make(): return 1\n"})["python a/**"]
    changed = _digests({**files, "lib/tools.py": "def make(): return make\n"})["python a/**"]
    assert len({before, made, changed}) == 3
