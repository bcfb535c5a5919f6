"""Changelogs, release notes and upgrade guides: their changes, with version and date."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import git, write

from recollect.history.change_worth import FLOOR, LISTED, line_worth
from recollect.history.changelogs import Changelogs, cleaned, is_changelog, is_guide, lines, version_of
from recollect.history.history_record import moment

RST = """Version 3.2.0
-------------

Unreleased

-   Drop support for Python 3.9. :pr:`5730`
-   ``redirect`` returns a ``303`` status code by default instead of ``302``.
    This tells the client to always switch to ``GET``. :issue:`5895`


Version 3.1.3
-------------

Released 2026-02-18

-   Add :meth:`~app.Flask.run_async`:

    -   It takes a loop.
"""
MARKDOWN = """# [1.1.0](https://example.org/compare/1.0.0...1.1.0) (2026-07-13)

### Bug Fixes

* **cache:** release `QueryRunner` when storing fails ([#12](https://example.org/issues/12)) ([a84b9b3](https://example.org/commit/a84b9b3d39c44cc0e580))

## Gin v1.0.9

- feat: add `Context.Copy` by @ada in #4

### Python 3.9 minimum version

- Drop `compat.str` (Issue #5).
"""
ASCIIDOC = "= Notes\n\n== 2.1 (May 3rd, 2024)\n\n=== Removed\n\n* `lines()`: use `rows()`\n"
PLAIN = """5.2.1 / 2025-12-01
==================

  * deps: qs@1
  * Deprecate `app.del()`
    - use `app.delete()` instead
"""
NOTES = """Release notes
=============

*December 2, 2017*

Removals
--------

The ``Model.old`` method was removed from the API of all models.
"""


def changes(text: str, path: str) -> list[tuple[str, str, str]]:
    return [(line.release.version, line.section, line.text) for line in lines(text, path)]


def test_changes_of_restructured_text_markdown_asciidoc_and_plain_text() -> None:
    redirect = (
        "`redirect` returns a `303` status code by default instead of `302`. This tells the client to always switch"
    )
    assert changes(RST, "CHANGES.rst")[1:] == [
        ("3.2.0", "", "Drop support for Python 3.9."),
        ("3.2.0", "", f"{redirect} to `GET`."),
        ("3.1.3", "", "Released 2026-02-18"),
        ("3.1.3", "", "Add `app.Flask.run_async`: • It takes a loop."),
    ]
    assert changes(MARKDOWN, "CHANGELOG.md") == [
        ("1.1.0", "Bug Fixes", "cache: release `QueryRunner` when storing fails"),
        ("1.0.9", "Features", "add `Context.Copy`"),
        ("1.0.9", "Python 3.9 minimum version", "Drop `compat.str`"),
    ]
    assert changes(ASCIIDOC, "CHANGES.adoc") == [("2.1", "Removed", "`lines()`: use `rows()`")]
    assert changes(PLAIN, "History.md")[1] == (
        "5.2.1",
        "",
        "Deprecate `app.del()` • use `app.delete()` instead",
    )
    assert changes(NOTES, "docs/releases/2.0.txt")[-1] == (
        "2.0",
        "Removals",
        "The `Model.old` method was removed from the API of all models.",
    )


@pytest.mark.parametrize(
    ("heading", "version", "day"),
    [
        ("Version 2.0.1", "2.0.1", 0),
        ("[2.3.0] - 2023-04-25", "2.3.0", 1_682_380_800),
        ("1.53.1 (July 20th, 2026)", "1.53.1", 1_784_505_600),
        ("v3.0.0-rc.1 / 25 April 2023", "3.0.0-rc.1", 1_682_380_800),
        ("@scope/pack@1.2.3", "1.2.3", 0),
        ("Minor Changes", "", 0),
        ("Support for 3.8 was added to the parser of all files", "", 0),
        ("2026-07-13", "", 0),
    ],
)
def test_versions_and_dates_of_headings(heading: str, version: str, day: int) -> None:
    found = version_of(heading)
    assert (found.version if found else "", found.at if found else 0) == (version, day)


def test_links_credits_and_numbers_are_taken_out_of_a_change() -> None:
    said = "[#123](https://x.org/pull/123) [`a1b2c3d4`](https://x.org/c) Thanks [@ada](https://x.org)! - Fix `use` (#9)"
    assert cleaned(said) == ("Fix `use`", ("#123", "#9", "a1b2c3d"))
    assert cleaned("Fix `use` [GH-9]") == ("Fix `use`", ("#9",))
    assert cleaned("Allow what is passed in") == ("Allow what is passed in", ())
    assert cleaned("[`a1b2c3d`](https://x.org/c) Fix: use (fixes #8) (#9) (Ada L)") == (
        "Fix: use",
        ("#8", "#9", "a1b2c3d"),
    )


def test_a_version_on_a_line_of_its_own_begins_a_release() -> None:
    text = "v1.1.0 - August 21, 2026\n\n* add `one`\n\nv1.0.0 - May 2, 2025\n\n* add `two`\n"
    assert changes(text, "CHANGELOG.md") == [("1.1.0", "", "add `one`"), ("1.0.0", "", "add `two`")]


def test_a_heading_that_is_a_date_dates_the_release_and_is_no_section() -> None:
    text = "News in Fjord\n=============\n\nApr 23, 2012\n------------\n\nFixes\n~~~~~\n\n* `a()` takes `b`.\n"
    (line,) = lines(text, "docs/releases/v2.2.1.rst")
    assert (line.section, line.release.version) == ("Fixes", "2.2.1")
    assert line.release.at == moment("2012-04-23")


def test_the_kind_before_a_change_and_a_label_above_it_are_its_section() -> None:
    text = """## 1.2.0

BUG FIXES:

* **reader:** keep the last line

* [Fix] keep the first line

Improvements:

* New: `rows` rule
* Breaking: drop `lines`

## 1.1.0

* feat(reader): add `rows`
* Docs: describe `rows`

These were the changes:

* keep every line
"""
    assert changes(text, "CHANGELOG.md") == [
        ("1.2.0", "BUG FIXES", "reader: keep the last line"),
        ("1.2.0", "BUG FIXES", "keep the first line"),
        ("1.2.0", "Improvements", "`rows` rule"),
        ("1.2.0", "Breaking changes", "drop `lines`"),
        ("1.1.0", "Features", "reader: add `rows`"),
        ("1.1.0", "", "Docs: describe `rows`"),
        ("1.1.0", "These were the changes", "keep every line"),
    ]


def test_items_below_the_names_of_packages_are_changes_of_their_own() -> None:
    text = """## 1.0.0

* `parser`, `core`
  * [#13](https://example.org/pull/13) fix: keep the last token
  * [#14](https://example.org/pull/14) Keep the first token
* Other
  * [#15](https://example.org/pull/15) [ts] Exit at once
* `a`, `b`, `c`
  * Stay
* Print more:
  * names
  * numbers
"""
    assert [(line.text, line.refers) for line in lines(text, "CHANGELOG-v1.0.0-v1.9.2.md")] == [
        ("`parser`, `core`: keep the last token", ("#13",)),
        ("`parser`, `core`: Keep the first token", ("#14",)),
        ("Other: [ts] Exit at once", ("#15",)),
        ("`a`, `b`, …: Stay", ()),
        ("Print more: • names • numbers", ()),
    ]


def test_a_change_that_breaks_something_is_kept_in_any_section() -> None:
    for text in ("[BREAKING] Remove `toBeCalled`", "Drop support for Node.js 14", "Dropped Python 3.8 support"):
        assert line_worth(text, "Chore & Maintenance") >= FLOOR, text
    assert line_worth("Simplify `toBeCalled`", "Chore & Maintenance") == 0
    assert line_worth("`rows` rule", "Features") == LISTED


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("Remove `Reader.lines`", True),
        ("Drop support for Python 3.8", True),
        ("Add a `rows` parameter to `Reader`", True),
        ("Fix CVE-2024-1234", True),
        ("`Reader.rows` does not fail when a file is empty", True),
        ("Fix docs typo", False),
        ("Update dependencies to 2.0", False),
        ("docs: add an example of `Reader`", False),
        ("Fix build", False),
    ],
)
def test_which_changes_are_worth_a_memory(text: str, is_kept: bool) -> None:
    assert (line_worth(text) >= FLOOR) is is_kept


def test_changes_inside_a_project_are_listed_only() -> None:
    text = "Replace the hand-written parser of `options` by argparse"
    assert line_worth(text) >= FLOOR
    assert line_worth(text, "Trivial/Internal Changes") == line_worth(text, "Internal") == LISTED
    assert line_worth(text, "Documentation") == line_worth("Tidy up", "Internal") == 0


def test_which_files_are_read() -> None:
    for path in ("CHANGES", "CHANGELOG.md", "pack/HISTORY.rst", "NEWS", "docs/releases/1.2.txt", "docs/changes.rst",
                 "RELEASE_NOTES.adoc", "docs/whatsnew/v1.0.0.rst", "CHANGELOG-v1.0.0-v1.9.2.md"):  # fmt: skip
        assert is_changelog(path), path
    for path in ("UPGRADING.md", "docs/guide/migration.md", "docs/upgrade-from-2.rst", "MIGRATION_GUIDE.adoc"):
        assert is_guide(path) and not is_changelog(path), path
    for path in ("src/history.py", "tests/CHANGELOG.md", "docs/migrations/01-why.md", "docs/guide.md", "newsletter.md"):
        assert not is_changelog(path) and not is_guide(path), path


def test_a_change_has_the_commit_of_its_release_tag(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, {"CHANGELOG.md": "## 1.0\n\n- Remove `Reader.lines`\n\n## 0.9\n\n- Add `Reader.rows` to it\n"})
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "one")
    git(tmp_path, "tag", "v1.0")
    new, old = Changelogs().records(tmp_path, None)
    assert new.content.startswith(f"{tmp_path.name} 1.0 (")
    assert (len(new.head or ""), old.head) == (40, None)
    assert new.metadata == {"path": "CHANGELOG.md", "version": "1.0"}


def test_an_upgrade_guide_is_read_by_sections(tmp_path: Path) -> None:
    said = "Use `rows` wherever your code has called `lines` before, since that was removed in this version."
    contents = "\n".join(f"- [Step {n} of the way to the newest version](#step-{n})" for n in range(5))
    parts = f'## Contents\n\n{contents}\n\n## <a name="reader"></a> Reader\n\n{said}\n\n## Code\n\n```\na = 1\n```'
    write(tmp_path, {"UPGRADING.md": f"# Upgrade\n\n{parts}\n"})
    (found,) = Changelogs().records(tmp_path, None)
    assert (found.rule, found.title) == ("upgrade", "UPGRADING.md › Upgrade › Reader")
