"""Amend: a statement changes another only where there is no doubt about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recollect import Engine
from recollect.providers.provider_protocol import Answers, Classify
from recollect.recall.amend import Amended, amends, changed_part, likelihood, may_amend
from recollect.recall.parsed_statement import statements

CHANGES = (
    ("The request timeout is 30 seconds.", "The request timeout is 60 seconds.", "value"),
    ("The request timeout is 30 seconds", "The request timeout is now 2 minutes", "value"),
    ("The default port of the gateway is 8080.", "The default port of the gateway is 9090.", "value"),
    ("The API is thread-safe.", "The API is not thread-safe.", "opposite"),
    ("The API isn't thread-safe.", "The API is thread-safe.", "opposite"),
    ("The gateway retries failed calls.", "The gateway no longer retries failed calls.", "over"),
    ("The gateway retries failed calls.", "The gateway does not retry failed calls any more.", "over"),
    ("We deploy on Fridays.", "We deploy on Mondays now.", "value"),
    ("The database of the shop is MySQL.", "The database of the shop is PostgreSQL.", "value"),
    ("Orders of the shop are kept in MySQL.", "We moved the orders of the shop from MySQL to Postgres.", "ended"),
    ("The orders service uses MySQL.", "The orders service switched from MySQL to Postgres.", "ended"),
    (
        "The orders service stores sessions in Redis.",
        "The orders service now stores sessions in Postgres instead of Redis.",
        "ended",
    ),
    ("Feature flag checkout_v2 is off in production.", "Feature flag checkout_v2 is on in production.", "value"),
    ("The minimum Python version is 3.10.", "The minimum Python version is 3.12.", "value"),
    ("CI runs on GitHub Actions.", "CI runs on GitLab now.", "value"),
    ("The maintainer of the parser is Alice.", "The maintainer of the parser is Bob.", "value"),
    ("The release is on Monday.", "The release is on Tuesday.", "value"),
    ("The config file lives in etc/app.toml.", "The config file lives in conf/app.toml.", "value"),
    ("Uploads are limited to 10 MB.", "Uploads are limited to 25 MB.", "value"),
    (
        "The build cache of quillmap sits on the NFS share in room 2.",
        "Build cache has moved to the object store, bucket `qm-build-cache`.",
        "said",
    ),
    (
        "Sessions of the orders service are kept in Redis.",
        "Sessions of the orders service are kept in Postgres instead of Redis.",
        "ended",
    ),
    ("Labels are printed with cups.", "We print the labels with the vendor's sdk now, cups is out.", "ended"),
    ("Alice is 30 years old.", "Alice is 31 years old.", "value"),
    ("Always use pytest -x, never unittest.", "From now on use unittest again, not pytest.", "ended"),
    ("We use pnpm, not npm.", "We use npm again, not pnpm.", "ended"),
    ("The staging port is 5432.", "The staging port is 5433, not 5432.", "ended"),
    ("Arguments are parsed with argparse.", "we parse arguments with typer", "value"),
    ("Use python 3.10 for everything.", "python 3.12 is what we use", "value"),
    ("A checkout session expires after 30 minutes.", "checkout sessions expire after an hour", "value"),
    ("Tomas is the product owner.", "Ingrid is our product owner, Tomas went to ads", "ended"),
    ("Card payments go through Stripe.", "We switched from Stripe to Adyen for cards.", "ended"),
    ("I like snapshot tests for the components.", "no more snapshot tests, they hide bugs", "over"),
    ("DNS is managed in Route53.", "dns is at cloudflare now", "value"),
    ("The docs are deployed once a day at noon.", "docs deploy on every merge", "value"),
    ("Lunch orders close at ten o'clock.", "The deadline for lunch orders moves from ten to eight o'clock.", "value"),
    ("The worker image is on node 18.", "The worker image is on node 22.", "value"),
    ("Raw scans are kept for 18 months.", "Legal says that we keep raw scans for 24 months instead of 18.", "ended"),
)

# The same words, the same shape, and both can hold; or nobody can tell.
NO_CHANGES = (
    ("`connect()` has property 2", "`connect()` has property 3"),
    ("group 0 member 1", "group 1 member 1"),
    ("Exports for finance are CSV.", "Exports above 2 million lines ran out of memory in the CSV writer."),
    ("The statement renderer is written in Go.", "The statement renderer has moved its log output to JSON."),
    ("Alice likes tea.", "Bob likes tea."),
    ("Alice likes tea.", "Alice likes coffee."),
    ("The API server runs on port 8080.", "The web server runs on port 8080."),
    ("We use MySQL.", "We use SQLite for tests."),
    ("We use Redis for caching.", "We use Redis for sessions."),
    ("We use Redis for caching.", "We use Redis for sessions now."),
    ("The service uses Redis.", "The service uses Kafka."),
    ("We use pnpm, not npm.", "We use pnpm in CI, not npm."),
    ("We use pytest for unit tests.", "Browser tests are written with Playwright, not with pytest."),
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
    ("The user logged in at 10:30.", "The user logged in at 11:45."),
    ("The meeting was on Monday.", "The meeting was on Tuesday."),
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
    ("The build must pass with Python 3.10.", "The build must pass with Python 3.12."),
    ("Supplier 4 delivers to warehouse 4 on Mondays.", "Supplier 5 delivers to warehouse 5 on Mondays."),
    ("Shard 1 is on host a3.", "Shard 2 is on host b7."),
    ("Use ruff for linting and formatting.", "Use ruff 0.9 in the tools folder."),
    ("Uploads are encrypted.", "Uploads by guests are not encrypted."),
    ("Fans stop at 40 degrees.", "Fans in quiet mode stop at 55 degrees."),
    ("Writes are traced to the ledger.", "Reads are not traced to the ledger."),
    ("Lane 1 is reserved for buses.", "Lane 2 is reserved for new bikes."),
    ("Members can pay by invoice.", "Members can pay by voucher."),
    ("Dark mode is on.", "Dark mode is off in the editor."),
    ("The nightly job runs at 2 am.", "The nightly job runs at 6 am this weekend."),
    ("Avatars are stored in the bucket media-prod.", "Not sure where avatars are stored"),
    ("Avatars are stored in the bucket media-prod.", "No longer sure where avatars are stored."),
    ("Sessions are kept in Redis for 45 minutes.", "Please always check where sessions are kept now."),
    ("Tests marked online are skipped in CI.", "The online tests don't run in CI."),
    ("Labels are printed with cups.", "One forum post says we should print labels with lpr instead."),
    ("A stitch can be 12.1 mm at most because of the format.", "Scratch the 7 mm, we cut the thread from 5 mm on now"),
    ("Ring seals are tested at 40 bar.", "Forget the 25 bar, hoses are tested at 30 bar from now on"),
    ("Orders are archived after 90 days.", "Scratch the 30 days, drafts are deleted after 14 days now"),
)


# The pairs that the rules were developed on: 111 amendments, and 128 later memories that only look like one.
DEVELOPED = [
    json.loads(line) for line in Path(__file__).with_name("amendment_pairs.jsonl").read_text("utf-8").splitlines()
]
# How many of the amendments have to be found at least.
LEAST_DEVELOPED = 96

Find = Callable[[str, str], Amended | None]


def is_replaced(found: Amended | None) -> bool:
    return found is not None and found.change != "opposite"


@pytest.fixture(scope="module", params=["by words", "with the classifier"])
def amended(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Find]:
    """Returns how a text changes another, with the vectors of the shipped model."""
    with Engine(home=str(tmp_path_factory.mktemp("home"))) as engine:
        classify = None if request.param == "by words" else engine.embedding.classify

        def find(old: str, new: str) -> Amended | None:
            told = [one for one in statements(new, whole=True) if may_amend(one, is_read=classify is not None)]
            pairs = [(one, other) for one in told for other in statements(old)]
            close = engine.amendments.closeness([(one.text, other.text) for one, other in pairs])
            found = [
                amends(one, other, near, classify=classify) for (one, other), near in zip(pairs, close, strict=True)
            ]
            return max(filter(None, found), key=lambda each: each.evidence, default=None)

        yield find


@pytest.mark.parametrize(("old", "new", "change"), CHANGES)
def test_what_changes_another_statement_is_found(amended: Find, old: str, new: str, change: str) -> None:
    found = amended(old, new)
    assert found is not None and found.change == change
    assert old in found.why and new in found.why


@pytest.mark.parametrize(("one", "other"), NO_CHANGES)
def test_what_only_might_change_another_statement_is_left_alone(amended: Find, one: str, other: str) -> None:
    assert not is_replaced(amended(one, other))
    assert not is_replaced(amended(other, one))


def test_amendments_are_found_in_the_wordings_people_use(amended: Find) -> None:
    wanted = [row for row in DEVELOPED if row["amends"]]
    missed = [row["new"] for row in wanted if not is_replaced(amended(row["old"], row["new"]))]
    assert len(wanted) - len(missed) >= LEAST_DEVELOPED, missed


def test_no_look_alike_is_taken_for_an_amendment(amended: Find) -> None:
    look_alikes = [row for row in DEVELOPED if not row["amends"]]
    assert [row["new"] for row in look_alikes if is_replaced(amended(row["old"], row["new"]))] == []


def test_the_classifier_decides_where_the_words_alone_cannot() -> None:
    old, new = (
        statements(text)[0] for text in ("The committee settled on six weeks per loan.", "A loan lasts ten weeks.")
    )
    asked: list[tuple[str, str]] = []

    def says(odds: float) -> Classify:
        def classify(first: str, second: str) -> Answers:
            asked.append((first, second))
            return Answers(0.0, (0.0,) * 6, odds, 0.0)

        return classify

    assert amends(new, old, 0.57) is None
    assert amends(new, old, 0.57, classify=lambda first, second: None) is None
    changes = [
        found and found.change for odds in (9.0, 3.0, -9.0) for found in [amends(new, old, 0.57, classify=says(odds))]
    ]
    assert changes == ["said", "opposite", None]
    assert set(asked) == {(new.text, old.text)}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Cron job 1 runs at 01:15 on host marmot.", "Cron job 2 runs at 02:15 on host marmot."),
        ("Rack A12 draws 3.1 kW.", "Rack B07 draws 4.4 kW."),
        ("Printer P1 is on floor 2.", "Printer P2 is on floor 3."),
        ("Queue q-orders keeps messages for 4 days.", "Queue q-mail keeps messages for 2 days."),
        ("Worker 7 needs 4 GB.", "Worker 8 needs 6 GB."),
    ],
)
def test_things_of_one_kind_do_not_replace_each_other(amended: Find, old: str, new: str) -> None:
    assert amended(old, new) is None


def test_of_two_orders_in_a_sentence_one_is_changed() -> None:
    old = "Always run the linter before you commit, and keep commit subjects below 60 characters."
    assert (
        changed_part("Commit subjects may be up to 72 characters now.", old)
        == "keep commit subjects below 60 characters."
    )
    assert changed_part("Deploys run on Fridays.", "Deploys run on Mondays.") == "Deploys run on Mondays."


def test_what_people_say_of_themselves_is_changed_by_themselves_only() -> None:
    old, new = (statements(text)[0] for text in ("My alarm is at 6:30.", "My alarm is at 7:00."))
    assert amends(new, old, 1.0) is not None
    assert amends(new, old, 1.0, same_author=False) is None


def test_what_is_about_something_else_changes_nothing_whatever_words_it_shares() -> None:
    old, new = (statements(f"The request timeout is {seconds} seconds.")[0] for seconds in (30, 60))
    assert amends(new, old, 0.9) is not None
    assert amends(new, old, 0.3) is None


@pytest.mark.parametrize(
    "text", ["Where are prices kept?", "Maybe we should move to Redis.", "The import failed on Monday.", "That is it."]
)
def test_most_sentences_need_not_be_looked_up(text: str) -> None:
    assert not any(may_amend(statement) for statement in statements(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use tabs for indentation.", "Use spaces for indentation."),
        ("Use black for formatting.", "please use ruff for formatting"),
        ("code comments in French", "write code comments in English"),
        ("Always answer in German.", "Reply in English."),
        ("Our warehouse is Redshift.", "the warehouse is bigquery"),
        ("We deploy with Buildkite.", "We deploy with GitHub Actions."),
        ("Never push to main.", "You may push to main."),
        ("never use unwrap()", "unwrap() is ok everywhere in this crate"),
        ("printing to stdout is fine for logging", "no print() for logging, use structlog"),
        ("use unittest, we dont do pytest here", "write the tests with pytest"),
        ("ask me before running migrations", "you can run migrations without asking"),
        ("make the api handlers async", "keep api handlers sync"),
        ("The default branch of the shop is `main`.", "The default branch of the shop is `trunk_2`."),
    ],
)
def test_a_contrary_statement_needs_no_word_of_change(amended: Find, old: str, new: str) -> None:
    found = amended(old, new)
    assert found is not None
    assert found.change in ("said", "value", "ended")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("use ruff for linting", "use mypy for types"),
        ("use camelCase for json keys", "use camelCase for js variables"),
        ("never log passwords", "never log access tokens"),
        ("production deploys need my ok", "staging deploys dont need my ok"),
        ("snapshot tests for components are fine", "no snapshot tests for api responses"),
        ("never touch the prod db", "you can reset the local db whenever"),
        ("emails to customers in german", "emails to suppliers in english"),
        ("exports are CSV", "exports are limited to one file"),
        ("dark mode works on android", "dark mode works on the web"),
        ("ISRs must not block", "ISRs must not allocate"),
        ("sam's off on fridays", "on fridays sam isnt around"),
    ],
)
def test_what_can_both_be_followed_is_not_contrary(amended: Find, one: str, other: str) -> None:
    assert not is_replaced(amended(one, other))
    assert not is_replaced(amended(other, one))


def test_in_a_conversation_a_contrary_turn_is_another_occasion() -> None:
    old, new = (statements(f"We go to the office by {vehicle}.")[0] for vehicle in ("train", "bike"))
    assert amends(new, old, 0.9) is not None
    assert amends(new, old, 0.9, is_talk=True) is None


def test_an_answer_that_tells_nothing_is_no_statement() -> None:
    said = "Ann: Good morning, Ben. Ben: Understood.\nAnn: Oh, certainly!\nAnn: The port of staging is 5433."
    assert [each.text for each in statements(said)] == ["Ann: The port of staging is 5433."]


def test_of_a_conversation_only_pairs_with_a_sign_of_a_change_are_compared() -> None:
    old = statements("We deploy with Jenkins every evening.")[0]
    reworded = statements("Deployments every evening run through GitHub Actions.")[0]
    said = statements("We no longer deploy with Jenkins in the evening.")[0]
    assert [likelihood(each, old, is_talk=True) > 0 for each in (reworded, said)] == [False, True]


def test_an_order_for_one_task_changes_no_rule() -> None:
    old = statements("Generated files are never committed.")[0]
    task, rule = (statements(text)[0] for text in ("Commit the generated files", "We commit generated files now."))
    assert amends(task, old, 0.75) is None
    assert amends(rule, old, 0.75) is not None
