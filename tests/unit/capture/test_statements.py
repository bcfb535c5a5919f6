"""Statements are found in what people and assistants say, and nothing else is."""

from __future__ import annotations

import pytest
from tests.unit.capture.statement_corpus import ANSWERED, NEVER_ANSWERED, NEVER_STATED, STATED, lines

from recollect.capture.statement_model import KINDS
from recollect.capture.statements import MOST_ASKED, OF_A_MESSAGE, Speaker, statements, type_of
from recollect.providers.local import LocalEmbedder
from recollect.providers.provider_protocol import Answers, Classify

# Shares of the messages of each kind that are found, and of what is found that was stated.
LEAST_RECALL = {"rule": 0.95, "preference": 0.95, "decision": 0.95, "correction": 0.9, "cause": 0.9, "fact": 0.9}
LEAST_PRECISION = 0.98


def texts(text: str, speaker: Speaker = "user", classify: Classify | None = None) -> list[str]:
    return [each.text for each in statements(text, speaker, classify=classify)]


@pytest.fixture(scope="module")
def read() -> Classify:
    return LocalEmbedder().classify


@pytest.fixture(scope="module", params=["by words", "with the classifier"])
def classify(request: pytest.FixtureRequest) -> Classify | None:
    return None if request.param == "by words" else LocalEmbedder().classify


def test_the_corpus_is_large_enough_to_measure() -> None:
    assert sum(len(lines(block)) for block in (*STATED.values(), *ANSWERED.values())) >= 150
    assert sum(len(lines(block)) for block in (*NEVER_STATED, NEVER_ANSWERED)) >= 250


@pytest.mark.parametrize("kind", STATED)
def test_statements_of_people_are_found(kind: str, classify: Classify | None) -> None:
    messages = lines(STATED[kind])
    missed = [message for message in messages if not texts(message, classify=classify)]
    assert len(messages) - len(missed) >= LEAST_RECALL[kind] * len(messages), missed


@pytest.mark.parametrize("kind", ANSWERED)
def test_causes_and_decisions_of_assistants_are_found(kind: str) -> None:
    assert [message for message in lines(ANSWERED[kind]) if not texts(message, "assistant")] == []


def test_nearly_all_that_is_found_was_stated(classify: Classify | None) -> None:
    wrong = [message for block in NEVER_STATED for message in lines(block) if texts(message, classify=classify)]
    wrong += [message for message in lines(NEVER_ANSWERED) if texts(message, "assistant", classify)]
    right = sum(bool(texts(message, classify=classify)) for block in STATED.values() for message in lines(block))
    assert right / (right + len(wrong)) >= LEAST_PRECISION, wrong


def test_a_statement_has_the_kind_that_it_says(classify: Classify | None) -> None:
    messages = [(kind, message) for kind, block in STATED.items() for message in lines(block)]
    said = ((kind, message, statements(message, "user", classify=classify)) for kind, message in messages)
    other = [message for kind, message, found in said for each in found if each.kind != kind]
    assert len(other) <= (0.03 if classify else 0.035) * len(messages), other


@pytest.mark.parametrize(
    ("message", "memory_type"),
    [
        ("From now on always use pytest -x, never unittest.", "preference"),
        ("In this repo we use pnpm, not npm.", "style"),
        ("Tests must not access the network.", "style"),
        ("Use structlog for logging, print is forbidden outside of scripts.", "preference"),
        ("For the record: all timestamps are UTC, naive datetimes are not allowed anywhere.", "style"),
        ("Keep in mind that recorded responses belong into tests/data, not into the test files.", "style"),
        ("Keep in mind that staging is rebuilt every night.", "context"),
        ("Let's go with Postgres for the queue.", "decision"),
        ("No, the port is 5433, not 5432.", "context"),
        ("Root cause: two workers share one connection.", "insight"),
        ("Where are login sessions kept?", "context"),
        ("squash merges only", "style"),
        ("money is Decimal, floats are banned in billing/", "style"),
        ("Payments must go through the ledger, nobody writes to balances directly", "style"),
        ("i hate mocks", "preference"),
    ],
)
def test_the_type_of_a_memory_follows_from_what_it_says(message: str, memory_type: str) -> None:
    assert type_of(message) == memory_type


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("OK so, please never commit without asking. Then run the tests.", ["Never commit without asking."]),
        ("no, the port is 5433, not 5432", ["The port is 5433, not 5432"]),
        ("We never mock the database here. Because mocks hid two bugs. Go on.",
         ["We never mock the database here. Because mocks hid two bugs."]),
        ("Never push to main, open a PR instead.", ["Never push to main, open a PR instead."]),
        ("Remember that this service must stay on Java 17.", ["This service must stay on Java 17."]),
        ("remember this: we never open port 8883", ["We never open port 8883"]),
        ("From now until the demo is over, always return the mocked prices", []),
        ("I'm not using Sentry. I want to set up Glitchtip instead.",
         ["I'm not using Sentry. I want to set up Glitchtip instead."]),
        ("Paid invoices are history. Those must not be changed.",
         ["Paid invoices are history. Those must not be changed."]),
        ("Those must not be changed.", []),
        ("Never do that again.", []),
        ("That's wrong. The default locale is de_AT.", ["The default locale is de_AT."]),
        ("I’d rather have one long file than five tiny ones.", ["I’d rather have one long file than five tiny ones."]),
        ("We spell it with one l in code and copy, can you fix the three places",
         ["We spell it with one l in code and copy"]),
        ("ok so here is the thing: the memory leak came from the event bus holding on to unmounted components.",
         ["Here is the thing: the memory leak came from the event bus holding on to unmounted components."]),
        ("this is a monorepo with three apps", ["This is a monorepo with three apps"]),
        ("no semicolons", ["No semicolons"]),
        ("tests please", []),
        ("use spaces", ["Use spaces"]),
        ("use fzf", []),
        ("all amounts must be Decimal", ["All amounts must be Decimal"]),
        ("lets go with pool_size 20", ["Lets go with pool_size 20"]),
        ("lets go with that", []),
        ("let's go with option b", []),
        ("redis. we decided that last week", ["redis. we decided that last week"]),
        ("can you always run the linter first?", ["Always run the linter first"]),
        ("could you please never commit to main?", ["Never commit to main"]),
        ("can you always see the logs?", []),
        ("Summarise the diff and from now on answer in one line", ["From now on answer in one line"]),
        ("fix the typo, and in future run the spell checker before you commit",
         ["In future run the spell checker before you commit"]),
        ("Could you review this and from now on list the risks first?", ["From now on list the risks first"]),
        ("Revert that and never again push to main without asking", ["Never again push to main without asking"]),
        ("Deploy it and always run the smoke tests after a deploy", ["Always run the smoke tests after a deploy"]),
        ("Use pytest -x and from now on never unittest", ["Use pytest -x and from now on never unittest"]),
        ("Write a function that loads the config and always returns a dict", []),
        ("Check that all terraform modules are pinned by git tag and never by branch", []),
        ("Check that the pipeline is green and from now on run the linter first",
         ["From now on run the linter first"]),
        ("Terraform modules must be pinned by git tag. Never by branch.",
         ["Terraform modules must be pinned by git tag. Never by branch."]),
        ("**Always** use tabs in Makefiles.", ["Always use tabs in Makefiles."]),
        ("we never mock the database, so write the test against sqlite", ["We never mock the database"]),
        ("never commit generated files, thanks", ["Never commit generated files"]),
        ("our cache is bbolt, we never use redis here, so refactor cache.go accordingly.",
         ["Our cache is bbolt, we never use redis here"]),
    ],
)  # fmt: skip
def test_a_statement_is_the_sentence_of_its_author_with_what_it_needs(message: str, found: list[str]) -> None:
    assert texts(message) == found


@pytest.mark.parametrize(
    ("message", "everywhere"),
    [
        ("In all my projects use four spaces for indentation.", True),
        ("For every repo: never rewrite published history.", True),
        ("I always want the diff before anything is committed.", False),
        ("Let's use zod for validation everywhere.", False),
        ("for all my projects: answer short, no summaries of what you just did", True),
        ("Never use tabs, everywhere.", True),
        ("my preference is small commits with an imperative subject line, in all repositories", True),
        ("Never index the notes in the two repositories of the customer.", False),
        ("Never install packages globally.", False),
        ("Just use structlog like we do everywhere else.", False),
        ("From now on always use pytest -x, never unittest.", False),
        ("Wherever you work for me, never touch generated files.", True),
        ("In every repo of mine: commit messages are in the imperative.", True),
        ("Always answer in German, everywhere, not only in this repo.", True),
    ],
)
def test_a_statement_holds_for_all_projects_only_if_it_says_so(message: str, everywhere: bool) -> None:
    assert [each.everywhere for each in statements(message, "user")] == [everywhere]


@pytest.mark.parametrize(
    "message",
    [
        "I was wrong about the redis cache. Sessions live in memcached",
        "scrap the png exports, they are huge. we ship webp instead",
        "we gave up on celery. background jobs run in postgres with procrastinate",
        "we gave up on celery for the shop. so its background jobs run in postgres with procrastinate",
    ],
)
def test_what_is_over_and_what_holds_instead_are_one_statement(message: str) -> None:
    (found,) = texts(message)
    assert found.lower() == message.lower()


@pytest.mark.parametrize(
    "message",
    [
        "I was wrong about the redis cache. can you check where sessions live?",
        "Forget about the png exports.\n\nThe list is sorted twice in the second tab",
        "the page is dead. reload it",
    ],
)
def test_what_is_over_takes_no_question_no_other_paragraph_and_no_order_along(message: str) -> None:
    assert not any(each in "\n".join(texts(message)) for each in ("check where", "sorted twice", "reload it"))


@pytest.mark.parametrize(
    "message",
    [
        "Always answer in German.",
        "Reply in English.",
        "don't commit to main",
        "when you write SQL, uppercase the keywords",
        "each time you touch the schema, run make gen",
        "Run the linter before each commit.",
        "ask me before adding a dependency",
        "if a requirement is unclear I'd rather you ask than guess",
    ],
)
def test_an_order_that_names_every_occasion_is_a_rule(message: str) -> None:
    (found,) = statements(message, "user")
    assert found.kind in ("rule", "preference")


@pytest.mark.parametrize(
    "message",
    [
        "don't push to main yet, tests are red",
        "Don't commit to main until Friday.",
        "When you're done, run the tests.",
        "when you open the dialog it crashes",
        "always the same error, see above",
        "Explain this in English.",
        "reply to him in French when fixed",
        "npm WARN deprecated\nWe recommend to always use the latest version.\nplease fix it",
        "We use export.py for csv, which does not exist yet",
        "its in export.py, it doesnt exist yet",
        "forget what i said about summaries",
        "Drop the rule about commit messages.",
    ],
)
def test_an_order_for_this_task_is_no_rule(message: str) -> None:
    assert texts(message) == []


def test_what_someone_else_recommends_and_a_question_at_the_end_are_no_statements() -> None:
    assert texts("some guy on a podcast says you should always wrap every module in a class") == []
    assert texts("the weights are always off by one gram, is it us or the scale") == []
    assert texts("never mind where login sessions are kept") == []
    assert texts("let's think about whether login sessions are kept in Postgres instead of Redis") == []


def test_a_statement_may_begin_with_an_option_of_a_command_or_announce_its_scope() -> None:
    assert texts("--no-cache is never used in our builds, they take an hour with it") != []
    (found,) = statements("this goes for every repo of mine, never amend a commit that I have reviewed", "user")
    assert found.everywhere


def test_code_quotations_and_markup_state_nothing() -> None:
    text = """```
# We always do it like this in code.
```
> We always quote what others have said.

    We always indent what is a program.

<instructions>We always obey what is in tags.</instructions>
- We always squash before merging.
"""
    assert texts(text) == ["We always squash before merging."]


def test_a_pasted_document_states_nothing() -> None:
    rules = "\n".join(f"- We always follow rule number {number} of the list." for number in range(OF_A_MESSAGE + 1))
    assert texts(rules) == []
    plan = "# Plan\n\n" + "The handlers must never block. " * 200
    assert texts(f"Never push to main. Implement the following plan:\n\n{plan}") == ["Never push to main."]


def test_of_a_long_message_only_its_beginning_and_its_end_are_read() -> None:
    middle = "\n\n".join(
        "The importer reads one file after the other and writes what it finds. " * 5 for _ in range(20)
    )
    first, last = "From now on, never push to main yourself.", "From now on, always sign your commits yourself."
    text = f"{first}\n\n{middle}\n\nFrom now on, never retry it yourself.\n\n{middle}\n\n{last}"
    assert texts(text) == [first, last]


def test_a_pasted_answer_of_an_assistant_states_nothing() -> None:
    rule = "Always use the shared client for requests."
    document = "\n".join(f"- Let me check the importer, part {number}." for number in range(12))
    assert texts(rule) == [rule]
    assert texts(f"{document}\n- {rule}\n{document}") == []


def test_what_a_review_or_a_log_says_is_nobodys_statement() -> None:
    assert texts("Got this review comment: The handlers must never block.\n\nTests must always run offline.") == []
    assert texts("I get this when I deploy\n[WARN] We always use the default port\n  at start (server.js:12)") == []


@pytest.mark.parametrize(
    "message",
    [
        "Antworte bitte immer auf Deutsch.",
        "ab jetzt keine print-Ausgaben mehr, nimm den Logger",
        "ne touche jamais au dossier legacy/",
        "désormais pas de lib externe sans mon accord",
        "A partir de ahora los commits van en inglés.",
        "nunca uses console.log",
        "de agora em diante uma dependência por commit",
        "D'ora in poi i branch partono da develop.",
        "больше никаких force push",
        "以后提交信息都用英文",
        "今後コミットメッセージは日本語で書いてください",
    ],
)
def test_standing_orders_are_found_in_other_languages(message: str) -> None:
    (found,) = statements(message, "user")
    assert (found.kind, found.memory_type) == ("rule", "preference")


@pytest.mark.parametrize(
    "message",
    [
        "der Test ist immer noch kaputt",
        "ausnahmsweise künftig ohne Prüfung",
        "ça marche toujours pas",
        "el test siempre falla en CI",
        "não faz commit ainda não, por enquanto",
        "sempre lo stesso NullPointerException alla riga 88",
        "почему рекурсия никогда не доходит до базового случая?",
        "这次先别改，以后再说",
        "今後どうすればいいですか？",
    ],
)
def test_faults_questions_and_orders_for_once_are_no_rules_in_other_languages(message: str) -> None:
    assert texts(message) == []


def test_sentences_of_chinese_and_japanese_end_without_a_space() -> None:
    assert texts("以后都用中文回答我。这个 segfault 是什么原因？") == ["以后都用中文回答我。"]


OPEN = "What we agreed on: a reserved set is held for five days at the desk."


@pytest.mark.parametrize(("odds", "found"), [(9.0, [OPEN]), (-3.0, []), (-9.0, []), (None, [])])
def test_the_classifier_decides_about_what_only_looks_like_a_question(odds: float | None, found: list[str]) -> None:
    def classify(sentence: str, around: str) -> Answers | None:
        return None if odds is None else Answers(odds, (0, 0, 1, 0, 0, 0), 0, 0)

    assert texts(OPEN, classify=classify) == found
    assert texts("What did we agree on, five days at the desk?", classify=classify) == []


@pytest.mark.parametrize(
    ("kind", "standing", "memory_type"),
    [
        ("rule", 6.0, "style"),
        ("rule", 2.0, "decision"),
        ("preference", 6.0, "preference"),
        ("decision", 6.0, "style"),
        ("decision", 2.0, "decision"),
        ("correction", 6.0, "style"),
        ("correction", 2.0, "context"),
        ("fact", 6.0, "style"),
        ("fact", 2.0, "context"),
        ("cause", 6.0, "insight"),
    ],
)
def test_what_says_how_people_work_is_a_convention_and_what_says_how_the_product_is_is_none(
    kind: str, standing: float, memory_type: str
) -> None:
    def classify(sentence: str, around: str) -> Answers:
        return Answers(9.0, tuple(float(each == kind) for each in KINDS), 0, standing)

    (found,) = statements("Amounts are kept in cents, a float is never stored.", "user", classify=classify)
    assert found.memory_type == memory_type


@pytest.mark.parametrize(
    ("message", "memory_type"),
    [
        ("an order leaves the warehouse within two days, always", "decision"),
        ("every table has a created_at column in our schema files, reviewers check that", "style"),
        ("please always show me the diff before you commit", "preference"),
    ],
)
def test_rules_of_work_are_told_from_rules_of_the_product(read: Classify, message: str, memory_type: str) -> None:
    (found,) = statements(message, "user", classify=read)
    assert found.memory_type == memory_type


@pytest.mark.parametrize(
    "message",
    [
        "orders without a customer vanish from the list",
        "nobody under 18 can register at the moment",
        "everything after midnight lands on the wrong day. why?",
        "saving twice creates two rows, can you look",
    ],
)
def test_a_report_of_a_bug_is_no_fact(read: Classify, message: str) -> None:
    assert texts(message, classify=read) == []


@pytest.mark.parametrize(
    "message",
    [
        "Check with me before you rename a column, this time and every time, the reports break otherwise.",
        "give me german commit messages, the client reads them",
        "It is always Time.current in our code, never Time.now.",
    ],
)
def test_a_rule_that_begins_like_an_order_or_with_it_is_kept_whole(read: Classify, message: str) -> None:
    assert [each.casefold() for each in texts(message, classify=read)] == [message.casefold()]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("never log the customer's IBAN, right?", ["Never log the customer's IBAN"]),
        ("always use kebab-case for file names, alright?", ["Always use kebab-case for file names"]),
        ("please don't ever touch third_party/ again, ok?", ["Don't ever touch third_party/ again"]),
        (
            "would you mind always running the linter before you say done?",
            ["Always running the linter before you say done"],
        ),
        ("we never use yarn here, right?", []),
        ("don't worry, ok?", []),
        ("Me diga onde ficam os backups, por favor.", []),
        ("Leg me uit hoe de facturen worden genummerd", []),
    ],
)
def test_an_order_with_a_tag_is_kept_and_a_question_is_not(read: Classify, message: str, expected: list[str]) -> None:
    assert texts(message, classify=read) == expected


def test_the_classifier_reads_a_sentence_with_its_neighbours_and_few_of_a_document() -> None:
    asked: list[tuple[str, str]] = []

    def classify(sentence: str, around: str) -> None:
        asked.append((sentence, around))

    texts("The build is red. We always squash before a merge. Fix it.", classify=classify)
    assert ("We always squash before a merge.", "The build is red. … Fix it.") in asked
    asked.clear()
    texts(" ".join(f"We always run step {number} before the others." for number in range(200)), classify=classify)
    assert len(asked) <= MOST_ASKED


def test_regret_about_what_was_done_is_no_rule(classify: Classify | None) -> None:
    assert texts("we should never have merged that, revert it", classify=classify) == []


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Add the gauge metric, and in general I prefer counters over gauges", ["I prefer counters over gauges"]),
        ("write the migration, but we never drop columns in the same release",
         ["We never drop columns in the same release"]),
        ("implement the export, we decided on csv instead of xlsx", ["We decided on csv instead of xlsx"]),
        ("please add tests for the parser and note that our tests are table driven", ["Our tests are table driven"]),
        ("add a retry to the client, and use exponential backoff", []),
        ("change the title to Orders, it looks better", []),
        ("add logging to the worker, I want to see why it hangs", []),
    ],
)  # fmt: skip
def test_of_a_request_and_a_statement_in_one_sentence_the_statement_is_kept(message: str, found: list[str]) -> None:
    assert texts(message, classify=LocalEmbedder().classify) == found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        (
            "decision: no graphql, REST only. reason: the mobile team cant cache it",
            ["Decision: no graphql, REST only. reason: the mobile team cant cache it"],
        ),
        (
            "never use cgo, the binaries have to be static. because customers run alpine",
            ["Never use cgo, the binaries have to be static. because customers run alpine"],
        ),
        (
            "commit messages in english, code comments in english, but talk to me in german",
            ["Commit messages in english, code comments in english, but talk to me in german"],
        ),
        (
            "shipping: labels come from our DHL contract. tracking ids are stored per parcel",
            ["Shipping: labels come from our DHL contract.", "Shipping: tracking ids are stored per parcel"],
        ),
    ],
)
def test_a_statement_keeps_its_reason_its_first_clause_and_its_topic(message: str, found: list[str]) -> None:
    assert texts(message, classify=LocalEmbedder().classify) == found


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("xml presets are horrible to diff. json from now on",
         ["Xml presets are horrible to diff. json from now on"]),
        ("you wrote the changelog in german again. english from now on, please",
         ["You wrote the changelog in german again. english from now on"]),
        ("thanks, works. json from now on", ["Json from now on"]),
        ("fix the parser of the presets. json from now on", ["Json from now on"]),
        ("which format do we have for presets? json from now on", ["Json from now on"]),
        ("xml presets are horrible to diff.\n\njson from now on", ["Json from now on"]),
        ("the build of the presets is red. no semicolons from now on", ["No semicolons from now on"]),
    ],
)  # fmt: skip
def test_a_change_in_two_words_keeps_what_it_is_about(read: Classify, message: str, found: list[str]) -> None:
    assert texts(message, classify=read) == found


@pytest.mark.parametrize(
    ("first", "second", "is_kept"),
    [
        ("we add clap after all.", "so its vst3, au and clap", True),
        ("ci runs on biscuit, the mac mini m1 in my flat.",
         "its off at night so dont wonder if jobs hang after 11", True),
        ("the jquery stays at 1.12 until the php move is through.", "so don't suggest alpine again", True),
        ("never touch the legacy folder.", "it is generated from the xsd files", True),
        ("we add clap after all.", "so please fix the header", False),
        ("never touch the legacy folder.", "so what now", False),
        ("never touch the legacy folder.", "so we always write adapters in src/compat", False),
        ("never touch the legacy folder.", "that took me hours", False),
        ("ci runs on biscuit, the mac mini m1 in my flat.", "it's failing again, look", False),
        ("staging runs on the old server in linz.", "it's down again", False),
        ("never touch the legacy folder.", "that broke the build yesterday", False),
        ("never touch the legacy folder.\n\n", "it is generated from the xsd files", False),
        ("never touch the legacy folder.", "it is generated from the xsd files" + ", sometimes" * 32, False),
    ],
)  # fmt: skip
def test_a_statement_keeps_its_result_but_no_request_and_no_fault(
    read: Classify, first: str, second: str, is_kept: bool
) -> None:
    found = [each.casefold() for each in texts(f"{first} {second}", classify=read)]
    assert (f"{first} {second}" in found, first.rstrip() in found) == (is_kept, not is_kept)


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Fyi prices in the db are in cents", "Prices in the db are in cents"),
        ("Note to self and to you: the seed script needs redis", "The seed script needs redis"),
        ("I told you already, use uv and not pip!!", "Use uv and not pip!!"),
        ("Lets settle it: we go with postgres", "We go with postgres"),
        ("Merk dir: wir nutzen pnpm", "Wir nutzen pnpm"),
        ("Would you please stop adding emojis to commit messages", "Stop adding emojis to commit messages"),
    ],
)
def test_what_announces_a_statement_is_no_part_of_it(message: str, found: str) -> None:
    assert texts(message, classify=LocalEmbedder().classify) == [found]


@pytest.mark.parametrize(
    ("message", "speaker", "found"),
    [
        ("remember the free plan allows 3 projects", "user", ["The free plan allows 3 projects"]),
        ("remember the tests for orders when you refactor", "user", []),
        ("recuerda que el servidor de pruebas es test1.acme.es", "user", ["El servidor de pruebas es test1.acme.es"]),
        (
            "Important: the worker must start after the seed script, otherwise it hangs.",
            "assistant",
            ["The worker must start after the seed script, otherwise it hangs."],
        ),
        ("You must restart the server, otherwise the change is not visible.", "assistant", []),
        ("Entscheidung: Wir behalten das Monorepo.", "assistant", ["Entscheidung: Wir behalten das Monorepo."]),
        ("the customer said: from now on always deliver before noon. how would we model this?", "user", []),
    ],
)
def test_what_is_to_be_remembered_is_kept_and_what_others_demand_is_not(
    message: str, speaker: Speaker, found: list[str]
) -> None:
    assert texts(message, speaker, LocalEmbedder().classify) == found
