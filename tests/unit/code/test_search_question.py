"""What a question about code asks for is seen from its words alone."""

from __future__ import annotations

import pytest

from recollect.code.search.question import MAX_REPORT_NAMES, understand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("parse_header", ("parse_header",)),
        ("Server", ("Server",)),
        ("server", ("server",)),
        ("beacon lamp", ("beacon", "lamp")),
        ("Server.start", ("start",)),
        ("std::vec::Vec", ("Vec",)),
        ("Picker:find", ("Picker", "find")),
        ("ptr->next", ("next",)),
        ("Foo#bar", ("bar",)),
        ("größe", ("größe",)),
        ("猫", ("猫",)),
        ("how does parseHeader work", ("parseHeader",)),
        ("where is HTTPServer started", ("HTTPServer",)),
        ("what sets MAX_RETRIES and TTL", ("MAX_RETRIES", "TTL")),
        ("how does `load` find the file", ("load",)),
        ("retries are decided in client.retry of the pool", ("retry",)),
        ("how are retries decided", ()),
        ("How Monad composes effects", ()),
        ("", ()),
        ("?!", ()),
        ("12 34", ()),
    ],
)
def test_names_are_what_is_written_as_code_and_the_words_of_a_short_question(text: str, names: tuple[str, ...]) -> None:
    assert understand(text).names == names


@pytest.mark.parametrize("text", ["where is getUser?", "is it empty?", "getUser?"])
def test_a_question_mark_may_or_may_not_belong_to_a_name(text: str) -> None:
    if "getUser" in text:
        assert understand(text).names == ("getUser?", "getUser")
    else:
        assert understand(text).names == ()


def test_owners_are_kept_with_their_name() -> None:
    question = understand("does app.Server.start call `Socket::listen` or stop_all")
    assert dict(zip(question.names, question.owners, strict=True)) == {
        "listen": ("socket",),
        "start": ("app", "server"),
        "stop_all": (),
    }
    assert understand("start and `Server.start` and start_it").owners[0] == ("server",)


def test_only_the_first_names_of_a_long_text_count() -> None:
    question = understand(" ".join(f"call_{letter}{number}" for letter in "abcd" for number in range(20)))
    assert len(question.names) == len(question.owners) == len(question.places) == MAX_REPORT_NAMES
    assert question.names[0] == "call_a0"


@pytest.mark.parametrize(
    ("text", "by_name"),
    [
        ("parse_header", True),
        ("Server.start", True),
        ("beacon lamp", True),
        ("the beacon lamp", False),
        ("how are retries decided", False),
        ("404", False),
        ("a+b c/d", False),
    ],
)
def test_one_or_two_words_are_a_name(text: str, by_name: bool) -> None:
    assert understand(text).by_name == by_name


def test_terms_are_those_of_the_code_each_once() -> None:
    assert understand("parseHeader of the header parser, parsed").terms == ("pars", "header", "parseheader", "parser")


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("tests of the lamp", "tests"),
        ("the spec for lamps", "tests"),
        ("an example of a lamp", "examples"),
        ("lamp demo", "examples"),
        ("readme of the lamp", "prose"),
        ("documentation about lamps", "prose"),
        ("lamp settings in yaml", "data"),
        ("configuration of lamps", "data"),
        ("the latest inspection of lamps", ""),
        ("lamp", ""),
    ],
)
def test_what_is_asked_for_besides_code_is_seen(text: str, asked: str) -> None:
    question = understand(text)
    wanted = {
        "tests": question.wants_tests,
        "examples": question.wants_examples,
        "prose": question.wants_prose,
        "data": question.wants_data,
    }
    assert [name for name, is_wanted in wanted.items() if is_wanted] == ([asked] if asked else [])


REPORT = "Login fails in auth/session.py\n\n" + " ".join(
    f"then step{letter} of the pipeline broke something{letter} for customer{letter}" for letter in "bcdefghijk"
)


def test_a_long_text_is_a_report_with_a_headline_and_cited_files() -> None:
    report = understand(REPORT + " see django.core.files and the tests")
    assert report.is_report and not report.by_name
    assert {"login", "fail", "auth", "session"} <= report.lead
    assert "pipelin" in report.terms and "pipelin" not in report.lead
    assert report.report is not None
    assert ("auth", "session") in report.report.cited
    assert report.report.modules == (("django", "core", "files"),)
    # A report mentions tests in passing; it does not ask for them.
    assert not report.wants_tests
    assert not understand("Login fails in auth/session.py").is_report


def test_names_of_a_report_are_known_by_where_they_stand_first() -> None:
    text = REPORT + "\nI call Session.open_it and `load`\n```\nopen_it(); close_it()\n```"
    report = understand(f"`load` breaks: {text}")
    names = dict(zip(report.names, report.places, strict=True))
    assert names["load"] == "lead" and names["open_it"] == "said" and names["close_it"] == "shown"
    assert dict(zip(report.names, report.owners, strict=True))["open_it"] == ("session",)
    assert report.said["pipelin"] == 10 and "close_it" in report.shown and "close_it" not in report.said


def test_what_a_form_asks_of_everybody_is_no_term_of_a_report() -> None:
    report = understand(f"{REPORT}\n- [x] I searched the archives\n<!-- explain -->\nPython version: 3.11")
    assert {"archiv", "explain", "version"}.isdisjoint(report.terms)


def test_two_long_words_are_a_name_and_no_report() -> None:
    long_name = "_".join(["beam"] * 3 + ["lamp", "horn", "tide", "mast", "buoy"])
    assert understand(f"{long_name} {long_name[::-1]}").by_name
    assert not understand(f"{long_name} {long_name[::-1]}").is_report
