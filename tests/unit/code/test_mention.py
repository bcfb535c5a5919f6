"""What a text speaks of in the code: names in the form of code and files, and nothing that is only a word."""

from __future__ import annotations

import pytest

from recollect.code.anchors.mention import MAX_NAMES, Mentions, Path, mentions


def names(text: str) -> list[str]:
    return [".".join((*name.owners, name.name)) for name in mentions(text).names]


def firm(text: str) -> list[str]:
    return [name.name for name in mentions(text).names if name.firm]


@pytest.mark.parametrize(
    "text",
    [
        "The parser starts quickly and the server runs; we open, close, read and write files.",
        "Start the server before you run the tests. Stop it when you are done.",
        "A Client asks the Server, and the Manager of the Session handles the Request.",
        "Deploys happen on Friday (see the calendar). The build is green, e.g. on main, i.e. always.",
        "We host on GitHub, write JavaScript and TypeScript, and store data in PostgreSQL, SQLite and MongoDB.",
        "Version 1.2.3 of the API costs $4.50 and takes 3.5 s; see RFC 7231, section 6.",
        "The TODO list says: use HTTP, JSON, UTF-8 and ISO-8601.",
        "Ask ada@example.com, or look at https://example.com/src/server.py and www.example.com/parse_file.",
        "It's the user's choice -- don't ask! yes/no, and/or, either/or.",
        "I/O is slow; 50/50 chance; n/a; w/o tests; TCP/IP; CI/CD.",
        "Größe zählt: die Straße ist lang — “really” … ‘so’.",
        "x = y + z; a*b/c - d",
        "",
        "   \n\t ",
    ],
)
def test_ordinary_prose_names_nothing(text: str) -> None:
    found = mentions(text)
    assert found.names == ()
    # A word with a slash may be a file without an extension; only a file that is there at exactly that path counts.
    assert all("/" in path.path and "." not in path.path for path in found.paths)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Server.start opens the port", ["Server.start"]),
        ("call net::Server::listen first", ["net.Server.listen"]),
        ("Client#close is idempotent", ["Client.close"]),
        ("parse_file reads it all", ["parse_file"]),
        ("the HttpServer closes it", ["HttpServer"]),
        ("getUserName is slow", ["getUserName"]),
        ("MAX_RETRIES is five", ["MAX_RETRIES"]),
        ("start() must be called first", ["start"]),
        ("self.start() calls this.stop()", ["start", "stop"]),
        ("`Server` and `parse`", ["Server", "parse"]),
        ("`def start(port)` and `class Server`", ["start", "Server"]),
        ("`parse(x, y)` twice, parse_all(1)", ["parse", "parse_all"]),
        ("`pip install thing` and `a b c`", []),
        ("`GitHub` is our own class", ["GitHub"]),
        ("__init__ and `__repr__`", []),
        ("Server.__init__", ["Server.__init__"]),
    ],
)
def test_names_are_found_in_the_form_of_code(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "is_firm", "kinds"),
    [
        ("`start` is slow", False, False),
        ("the `start` method is slow", False, True),
        ("the function `start` is slow", False, True),
        ("tests use the fixtures `start`", False, True),
        ("`start()` is slow", True, False),
        ("`Start` is slow", True, False),
        ("`GET` is slow", False, False),
        ("a class of its own is `start`", False, False),
    ],
)
def test_a_marked_word_needs_support_unless_it_has_the_form_of_a_name(text: str, is_firm: bool, kinds: bool) -> None:
    (name,) = mentions(text).names
    assert (name.firm, bool(name.kinds)) == (is_firm, kinds)


def test_said_twice_a_name_is_as_certain_as_its_clearest_mention() -> None:
    assert firm("`start` is slow; so call `start()` late") == ["start"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/app/server.py", Path("src/app/server.py")),
        ("see ./src/app/server.py.", Path("src/app/server.py")),
        ("see `server.py:42`, please", Path("server.py", 42)),
        ("(src/a.py::Server.start)", Path("src/a.py", None, "Server.start")),
        ("/home/me/app/src/a.go:7: undefined", Path("/home/me/app/src/a.go", 7)),
        ("package.json says so", Path("package.json")),
        ("docs/Makefile.am", Path("docs/Makefile.am")),
        ("web/Dockerfile", Path("web/Dockerfile")),
    ],
)
def test_files_are_found_with_the_line_or_symbol_behind_them(text: str, expected: Path) -> None:
    assert mentions(text).paths == (expected,)


def test_the_parts_of_a_path_are_no_names() -> None:
    assert names("src/my_app/big_server.py::Server.start and lib/other_thing.go:3") == []


def test_code_in_a_fence_names_nothing_but_its_files() -> None:
    text = "It broke:\n```\nparse_file(read_all())\n  at src/a.py:3\n```\nIn load_all.\n~~~\nother_name()\n"
    assert names(text) == ["load_all"]
    assert mentions(text).paths == (Path("src/a.py", 3),)


def test_a_list_of_everything_is_cut() -> None:
    assert len(mentions(" ".join(f"name_{number}" for number in range(100))).names) == MAX_NAMES


def test_nothing_is_false() -> None:
    assert not mentions("nothing here")
    assert not Mentions()
    assert mentions("a_name")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Requests reach the Blueprint before the app", ["Blueprint"]),
        ("Blueprint is registered once. Blueprint again; - Blueprint", []),
        ("the redirect function keeps the query", ["redirect"]),
        ("the whole function, this class, a helper method, the test function", []),
        ("We deploy with Docker on Friday and store it in Redis", []),
        ("`Blueprint` and the Blueprint", []),
        ("the redirect-function and redirect() and redirect.go", []),
    ],
)
def test_plain_words_may_be_names_of_types_or_of_the_kind_that_follows(text: str, expected: list[str]) -> None:
    assert [name.name for name in mentions(text).plain] == expected
