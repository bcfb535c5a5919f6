"""Amend: a statement changes another only where there is no doubt about it."""

from __future__ import annotations

from itertools import permutations

import pytest

from recollect.recall.amend import Amended, amends, may_amend, statements

CHANGES = (
    ("The request timeout is 30 seconds.", "The request timeout is 60 seconds.", "value"),
    ("The request timeout is 30 seconds", "The request timeout is now 2 minutes", "value"),
    ("The default port of the gateway is 8080.", "The default port of the gateway is 9090.", "value"),
    ("The API is thread-safe.", "The API is not thread-safe.", "opposite"),
    ("The API isn't thread-safe.", "The API is thread-safe.", "opposite"),
    ("The gateway retries failed calls.", "The gateway no longer retries failed calls.", "over"),
    ("The gateway retries failed calls.", "The gateway does not retry failed calls any more.", "over"),
    ("We deploy on Fridays.", "We deploy on Mondays now.", "value"),
    ("From the start we use tabs in Makefiles.", "From the start we use spaces in Makefiles now.", "value"),
    ("The database of the shop is MySQL.", "The database of the shop is PostgreSQL.", "value"),
    ("Orders of the shop are kept in MySQL.", "We moved the orders of the shop from MySQL to Postgres.", "said"),
    ("The orders service uses MySQL.", "The orders service switched from MySQL to Postgres.", "said"),
    (
        "The orders service stores sessions in Redis.",
        "The orders service now stores sessions in Postgres instead of Redis.",
        "said",
    ),
    ("Feature flag checkout_v2 is off in production.", "Feature flag checkout_v2 is on in production.", "value"),
    ("The minimum Python version is 3.10.", "The minimum Python version is 3.12.", "value"),
    ("CI runs on GitHub Actions.", "CI runs on GitLab now.", "value"),
    ("The maintainer of the parser is Alice.", "The maintainer of the parser is Bob.", "value"),
    ("The release is on Monday.", "The release is on Tuesday.", "value"),
    ("The config file lives in etc/app.toml.", "The config file lives in conf/app.toml.", "value"),
    ("Uploads are limited to 10 MB.", "Uploads are limited to 25 MB.", "value"),
    (
        "Sessions of the orders service are kept in Redis.",
        "Sessions of the orders service are kept in Postgres instead of Redis.",
        "said",
    ),
    ("Alice is 30 years old.", "Alice is 31 years old.", "value"),
)

# The same words, the same shape, and both can hold; or nobody can tell.
NO_CHANGES = (
    ("Alice likes tea.", "Bob likes tea."),
    ("Alice likes tea.", "Alice likes coffee."),
    ("The API server runs on port 8080.", "The web server runs on port 8080."),
    ("We use MySQL.", "We use SQLite for tests."),
    ("We use Redis for caching.", "We use Redis for sessions."),
    ("We use Redis for caching.", "We use Redis for sessions now."),
    ("The service uses Redis.", "The service uses Kafka."),
    ("Issue 12 is fixed.", "Issue 13 is fixed."),
    ("The error is in line 12.", "The error is in line 30."),
    ("Step 3 is to run the tests.", "Step 4 is to run the tests."),
    ("The build is slow.", "The build is broken."),
    ("The API is fast.", "The API is thread-safe."),
    ("On Monday 5 users signed up.", "On Monday 7 users signed up."),
    ("I was in Paris in May.", "I was in Rome in June."),
    ("The maintainers are Alice and Carol.", "The maintainers are Bob and Carol."),
    ("Is the request timeout 30 seconds?", "The request timeout is 60 seconds."),
    ("The request timeout is 30 seconds.", "Maybe the request timeout is 60 seconds."),
    ("If the request timeout is 30 seconds, retry.", "If the request timeout is 60 seconds, retry."),
    ("parse_file reads a file.", "parse_line reads a line."),
    ("The function gross returns a float.", "The function net returns a float."),
    ("The tests of the parser are in tests/test_parser.py.", "The tests of the lexer are in tests/test_lexer.py."),
    ("The client timeout is 30 seconds.", "The server timeout is 60 seconds."),
    ("We moved the docs from Sphinx to MkDocs.", "We moved the blog from Sphinx to MkDocs."),
    ("The orders service uses MySQL.", "The billing service switched from MySQL to Postgres."),
    ("Dependencies include numpy.", "Dependencies include scipy."),
    ("The API has a rate limit.", "The API has no rate limit for admins."),
    ("Do not commit to main.", "Do not commit secrets to main."),
    ("Tests run in parallel.", "Tests run in parallel on CI."),
    ("The cache is not shared between threads.", "The cache is shared between processes."),
    ("Version 1.2 is stable.", "Version 1.3 is stable."),
    ("The user logged in at 10:30.", "The user logged in at 11:45."),
    ("The meeting was on Monday.", "The meeting was on Tuesday."),
    ("A test takes 3 seconds.", "A test takes 5 minutes on CI."),
    ("The password must be at least 12 characters.", "The user name must be at least 3 characters."),
    ("Alice is 30 years old.", "Bob is 31 years old."),
    ("Endpoint /users returns 200.", "Endpoint /orders returns 404."),
    ("The log level is set by LOG_LEVEL.", "The log format is set by LOG_FORMAT."),
    ("The function load is in store.py.", "The function save is in store.py."),
    ("Use ruff for linting.", "Use black for formatting."),
    ("Prefer composition over inheritance.", "Prefer functions over classes."),
    ("The first argument is the path.", "The second argument is the mode."),
    ("Max is in Berlin.", "Max is in Berlin and Anna is in Rome."),
    ("Error E101 is raised when the file is missing.", "Error E102 is raised when the file is empty."),
    ("The deploy on staging takes 5 minutes.", "The deploy on production takes 20 minutes."),
    ("The orders service uses MySQL.", "We moved the reports of the orders service from MySQL to Postgres."),
    ("It takes 3 seconds.", "It takes 5 minutes."),
    ("This is version 2.", "This is version 3."),
    ("He is in Berlin.", "He is in Rome."),
    ("We are 5 people on call.", "I am 5 minutes late."),
    ("My name is Alice.", "Your name is Bob."),
    ("The test for parse runs in 3 seconds.", "The test for render runs in 9 seconds."),
    ("The API returns JSON.", "The API returns XML."),
    ("The tool supports Python 3.11.", "The tool supports Python 3.12."),
    ("User 5 is an admin.", "User 6 is an admin."),
    ("Alice works at Acme.", "Alice works at Globex."),
    ("Alice visited Rome in 2019.", "Alice visited Rome in 2021."),
    ("Caroline is going to a support group on Friday.", "Caroline is going to a concert on Saturday."),
    ("I have 2 kids.", "I have 3 cats."),
    ("The shop opens at 9:00 on weekdays.", "The shop opens at 10:00 on Sundays."),
    ("The timeout of login is 5 s.", "The timeout of upload is 50 s."),
    ("Tests must not sleep.", "Tests must not use the network."),
    ("Never log passwords.", "Always log requests."),
    ("Do not use print.", "Do use logging."),
    ("The table users has 5 columns.", "The table orders has 7 columns."),
    ("Bug: the cart is empty after login.", "Bug: the cart is full after logout."),
    ("The default branch of the shop is `main`.", "The default branch of the shop is `trunk_2`."),
    ("The build must pass with Python 3.10.", "The build must pass with Python 3.12."),
)


def amended(old: str, new: str, *, same_author: bool = True) -> Amended | None:
    """Return how a text changes another, as storing it would find out."""
    for statement in filter(may_amend, statements(new)):
        for older in statements(old):
            if found := amends(statement, older, old, same_author=same_author):
                return found
    return None


@pytest.mark.parametrize(("old", "new", "change"), CHANGES)
def test_what_changes_another_statement_is_found(old: str, new: str, change: str) -> None:
    found = amended(old, new)
    assert found is not None and (found.change, found.is_whole) == (change, True)
    assert old in found.why and new in found.why


@pytest.mark.parametrize(("one", "other"), NO_CHANGES)
def test_what_only_might_change_another_statement_is_left_alone(one: str, other: str) -> None:
    assert amended(one, other) is None
    assert amended(other, one) is None


def test_of_all_other_pairs_only_those_about_the_same_thing_change_each_other() -> None:
    texts = sorted({text for row in (*CHANGES, *NO_CHANGES) for text in row[:2]})
    meant = {frozenset(row[:2]) for row in CHANGES}
    found = [pair for pair in permutations(texts, 2) if frozenset(pair) not in meant and amended(*pair)]
    assert len(texts) > 150
    # Three statements of the timeout, and two of where sessions are kept: each of these pairs is a change, too.
    assert 0 < len(found) < 10
    for old, new in found:
        assert any(word in old.lower() and word in new.lower() for word in ("timeout", "sessions")), (old, new)


def test_nothing_changes_itself() -> None:
    for row in CHANGES:
        for text in row[:2]:
            assert amended(text, text) is None


def test_what_people_say_of_themselves_is_not_changed_by_others() -> None:
    old, new = "My alarm is at 6:30.", "My alarm is at 7:00."
    assert amended(old, new) is not None
    assert amended(old, new, same_author=False) is None
    assert amended("The limit is 5 MB.", "The limit is 9 MB.", same_author=False) is not None


def test_a_text_that_says_more_is_not_changed_as_a_whole() -> None:
    old = "The request timeout is 30 seconds. Retries are made three times, each after twice the pause of the last one."
    found = amended(old, "The request timeout is 60 seconds.")
    assert found is not None and not found.is_whole
    assert amended("The request timeout is 30 seconds. See above.", "The request timeout is 60 seconds.") is not None


@pytest.mark.parametrize("text", ["", "...", "Yes", "What is it?", "word " * 200, "日本語の文章です。"])
def test_texts_that_state_nothing_are_no_statements(text: str) -> None:
    assert statements(text) == []


def test_only_so_many_statements_of_a_text_are_compared() -> None:
    assert len(statements("The limit is 5 MB. " * 50)) == 6
