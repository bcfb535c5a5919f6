"""Which records are kept: one for each change, the worthiest, no more than the limit."""

from __future__ import annotations

from typing import Any

from recollect.history.change_worth import HALF_LIFE_S, OLDEST, aged, is_aside, worth
from recollect.history.commit_message import read
from recollect.history.history_record import Found, Landed
from recollect.history.history_selection import select
from recollect.text.passages import passages

NOW = 2_000_000_000


def record(key: str, content: str, **about: Any) -> Found:
    return Found(**{"key": key, "rule": "reason", "content": content, "memory_type": "decision", "at": NOW, **about})


def change(key: str, text: str, version: str = "1.0", **about: Any) -> Found:
    named = {"metadata": {"path": "CHANGES", "version": version}, "group": f"CHANGES#{version}", **about}
    named = {"release": f"app {version} (2020-01-01)", **named}
    return record(key, f"app {version} (2020-01-01): {text}", rule="change", **named)


def test_the_worthiest_are_kept_and_of_equals_the_newer() -> None:
    year = 365 * 86_400
    rows = [
        record("old", "why the zebra is striped", worth=0.6, at=NOW - 15 * year),
        record("new", "why the giraffe is tall", worth=0.6),
        record("rule", "never feed animals", worth=1.0, at=NOW - 15 * year),
        record("weak", "why a lion sleeps", worth=0.46),
    ]
    assert [row.key for row in select({"git": rows}, 2, {}).kept["git"]] == ["new", "rule"]
    assert aged(0.8, NOW - HALF_LIFE_S, NOW) == 0.8 * (OLDEST + (1 - OLDEST) / 2)


def test_the_fuller_of_two_records_of_a_change_is_kept_and_names_the_other() -> None:
    full = record(
        "commit",
        "Remove Reader.lines (#12)\n\nIt kept whole files in memory.\n\nCommit abc",
        metadata={"sha": "abc"},
        refers=("#12",),
    )
    line = change("line", "Remove Reader.lines from module", refers=("#12",))
    found = select({"git": [full], "changelog": [line]}, 9, {})
    (kept,) = found.kept["git"]
    assert kept.content.endswith("Released in app 1.0 (2020-01-01): Remove Reader.lines from module.")
    assert kept.metadata["also"] == [{"from": "changelog", "path": "CHANGES", "version": "1.0"}]
    assert (found.kept["changelog"], found.merged, found.found) == ([], 1, {"git": 1, "changelog": 1})


def test_a_commit_that_begins_with_the_words_of_a_line_is_one_record_with_it() -> None:
    subject = "Allow the skipIf decorator to specify that a test class is skipped"
    body = "Runners look for the attribute that the standard library sets on a class or on one of its methods."
    line = change("line", "trial now allows the skipIf decorator to specify that an entire test class is skipped")
    day = 86_400
    for made, records in ((NOW - 90 * day, 1), (NOW + day, 2), (NOW - 500 * day, 2)):
        commit = record("commit", f"{subject}\n\n{body}\n\nCommit abc", at=made)
        kept = select({"git": [commit], "changelog": [line]}, 9, {}).kept
        assert len(kept["git"]) + len(kept["changelog"]) == records
    other = change("line", "the skipIf decorator of methods takes a reason")
    assert select({"git": [commit._replace(at=NOW)], "changelog": [other]}, 9, {}).merged == 0


def test_a_change_and_its_revert_stay_two_records() -> None:
    words = "Cache answers of the parser in a file so that they survive"
    rows = [record("b", f'Revert "{words}"', rule="revert", refers=("#1",)), record("a", words, refers=("#1",))]
    assert len(select({"git": rows}, 9, {}).kept["git"]) == 2


def test_the_revert_in_a_changelog_is_told_with_the_commit_that_reverted() -> None:
    words = "Fix that eager tasks have no name"
    rows = [record("b", f'Revert "{words}" (#2)', rule="revert", refers=("#2",), metadata={"sha": "f" * 40})]
    lines = [change("c", words, refers=("#1",)), change("d", f"Revert {words}", refers=("#2",))]
    found = select({"git": rows, "changelog": lines}, 9, {})
    assert [row.key for row in found.kept["changelog"]] == ["c"]
    assert found.kept["git"][0].metadata["also"] == [{"from": "changelog", "path": "CHANGES", "version": "1.0"}]


def test_the_line_that_names_a_pull_request_is_told_with_it_in_other_words() -> None:
    commit = record(
        "commit:a", "moby: bound requests to Docker on all hosts\n\nA daemon may hang.", refers=("#12",), pull="#12"
    )
    line = change("line", "Docker: an unresponsive daemon froze discovery", refers=("#12",))
    other = change("other", "Docker: an unresponsive daemon froze discovery", "2.0", refers=("#13",))
    found = select({"git": [commit], "changelog": [line, other]}, 9, {})
    assert found.kept["git"][0].content.endswith(
        "Released in app 1.0 (2020-01-01): " + line.content.partition(": ")[2] + "."
    )
    assert [row.key for row in found.kept["changelog"]] == ["other"]


def test_what_one_release_deprecates_and_another_removes_are_two_records() -> None:
    lines = [
        change("a", "switch to columns and deprecate the legacy format of listing", "1.0", refers=("#1",)),
        change("b", "remove the legacy format from listing", "2.0", refers=("#1",)),
        change("c", "remove the legacy format from listing", "1.9", refers=("#1",)),
    ]
    kept = select({"changelog": lines}, 9, {}).kept["changelog"]
    assert [row.key for row in kept] == ["a", "b"]
    assert kept[1].content.endswith("Also in app 1.9 (2020-01-01).")


def test_of_too_many_changes_the_rest_of_a_release_is_one_record() -> None:
    rows = [
        change(str(n), f"add the option number{n} to parser{n}", f"{n // 10}.0", worth=0.6, at=NOW + n)
        for n in range(60)
    ]
    found = select({"changelog": rows}, 30, {})
    kept = found.kept["changelog"]
    joined = [row for row in kept if row.rule == "release"]
    assert 0 < len(joined) <= 30 // 3
    assert len(kept) == 30, "no place is left empty"
    assert sum(row.metadata["changes"] for row in joined) == 60 - len(kept) + len(joined), "every change is in one"
    assert found.merged == 60 - len(kept)
    assert joined[0].content.startswith("app 3.0 (2020-01-01), other changes:\n\n- add the option")
    assert joined[0].title is None, "it would be a part of the meaning of each line"
    assert len(passages(joined[0].content)) == joined[0].metadata["changes"], "a question finds each by its own words"
    assert not {row.key for row in rows} & {row.key for row in joined}


def test_where_releases_are_too_many_a_list_holds_several_and_each_line_names_its_own() -> None:
    rows = [change(str(n), f"fix reader{n} of parser{n}", f"1.{n}", worth=0.2, at=NOW + n) for n in range(40)]
    kept = select({"changelog": rows}, 9, {}).kept["changelog"]
    assert sum(row.metadata["changes"] for row in kept) == 40, "the oldest release is not lost"
    assert kept[0].content.startswith("app 1.")
    assert " to app 1.39 (2020-01-01), other changes:\n\n- 1.39: fix reader39" in kept[0].content
    assert kept[0].metadata["version"] == "1.39"
    assert kept[0].metadata["also"][0] == {"version": "1.38"}


def test_changes_that_name_requests_of_their_own_are_two_records() -> None:
    lines = [
        change("a", "traverse of expressions: remove finally from completion record in statement", refers=("#1",)),
        change("b", "traverse of expressions: labeled completion record in statement", "2.0", refers=("#2",)),
    ]
    assert select({"changelog": lines}, 9, {}).merged == 0
    body = "Updates the rule so that it accounts for static blocks of a class, which are no functions.\n\nCommit abc"
    parts = [
        record(name, f"update {name} for class static blocks\n\n{body}", refers=(pull, "#9"), pull=pull)
        for name, pull in (("max-depth", "#3"), ("complexity", "#4"))
    ]
    assert len(select({"git": parts}, 9, {}).kept["git"]) == 2, "one issue, two requests"
    line = change("line", "update max-depth for class static blocks", refers=("#3",), at=NOW + 1)
    found = select({"git": parts, "changelog": [line]}, 9, {})
    assert (found.kept["git"][0].metadata["also"][0]["version"], found.merged) == ("1.0", 1)


def test_repairs_without_a_cause_are_listed_with_their_release() -> None:
    rows = [
        change("a", "fix the parser of lines", worth=0.2),
        change("b", "remove `lines`", worth=0.8),
        change("c", "fix the printer of pages", worth=0.2),
        change("d", "fix the only thing of a release", "2.0", worth=0.2),
    ]
    found = select({"changelog": rows}, 12, {})
    assert [row.rule for row in found.kept["changelog"]] == ["change", "release", "release"]
    assert found.kept["changelog"][1].content.endswith("- fix the parser of lines\n- fix the printer of pages")
    assert found.kept["changelog"][2].content.endswith(", other changes:\n\n- fix the only thing of a release")
    assert (found.found, found.merged) == ({"changelog": 4}, 1)


def test_a_commit_that_lost_its_place_is_listed_with_its_release() -> None:
    rows = [
        record(
            f"commit:{n}",
            f"Bound reader{n} to page{n}\n\nIt kept file{n} in memory.\n\nCommit {n:012}, 2020-01-01",
            group="release v1.0",
            release="app 1.0 (2020-01-01)",
            metadata={"sha": str(n) * 40},
        )
        for n in range(5)
    ]
    kept = select({"git": rows}, 4, {}).kept["git"]
    assert [row.rule for row in kept] == ["reason"] * 3 + ["release"]
    assert kept[3].content == (
        "app 1.0 (2020-01-01), other changes:\n\n"
        "- Bound reader3 to page3 It kept file3 in memory.\n- Bound reader4 to page4 It kept file4 in memory."
    )
    assert kept[3].metadata["commits"] == ["3" * 40, "4" * 40]


def test_a_listed_pull_request_has_its_commits_and_the_words_of_the_changelog() -> None:
    rows = [
        record(
            f"commit:{n}",
            f"Bound reader{n} to page{n} (#{n})\n\nIt kept file{n}.\n\nCommit {n:012}, 2020-01-01",
            group="release v1.0",
            release="app 1.0 (2020-01-01)",
            metadata={"sha": str(n) * 40, "commits": [f"{n}a"]},
            refers=(f"#{n}",),
            pull=f"#{n}",
            worth=0.9 if n < 3 else 0.5,
        )
        for n in range(5)
    ]
    line = change("line", "reader4 takes page4 without growing", refers=("#4",), worth=0.5)
    kept = select({"git": rows, "changelog": [line]}, 4, {}).kept["git"]
    assert kept[3].content.endswith("- Bound reader4 to page4 (#4) It kept file4. reader4 takes page4 without growing.")
    assert kept[3].metadata["commits"] == ["3a", "3" * 40, "4a", "4" * 40]


def test_subjects_of_commits_are_the_changelog_only_where_none_is_written() -> None:
    at = {"early": NOW - 20, "within": NOW - 5, "late": NOW + 10}
    lines = [change(name, f"add `{name}` to parser", at=when) for name, when in at.items()]
    written = [change("w", "add `five` to six", at=NOW), change("x", "add `six` to seven", at=NOW - 10)]
    assert [row.key for row in select({"git": lines, "changelog": written}, 9, {}).kept["git"]] == ["early", "late"]


def test_a_change_is_anchored_at_the_commit_that_its_number_names() -> None:
    found = select(
        {"changelog": [change("a", "remove `lines`", refers=("#12",))]}, 9, {"#12": Landed("f" * 40, ("a.py",))}
    )
    (kept,) = found.kept["changelog"]
    assert (kept.head, kept.metadata["files"]) == ("f" * 40, ["a.py"])


def test_tests_documents_and_settings_alone_are_worth_nothing() -> None:
    message = read("Read lazily\n\nBecause files are larger than memory.")
    assert worth(message, ["src/reader.py", "tests/test_reader.py"]) > 0.45
    for path in (
        "tests/test_reader.py",
        "docs/guide.rst",
        ".github/workflows/ci.yml",
        "README.md",
        "pkg/reader_test.go",
    ):
        assert worth(message, [path]) == 0, path
    assert not is_aside([])
