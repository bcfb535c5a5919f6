"""Find mentions of code in a text: paths and names. Whether the code exists is checked by `find`.

    src/app/server.py, server.py:42, src/a.py::Server.start     a file, a line of it, a symbol in it
    Server.start, net::listen, start(), parse_file, HttpServer  a name in the form of code
    `Server`, `def start(port)`                                 a name that is marked as code
    `start`                                                     a word that is marked: only with support beside it
    the Server, the redirect function                           a plain word: a type, or of the kind that is named

Other words are not names, even if a symbol has them. A wrong anchor makes a memory stale for no reason; a missing
anchor only costs the freshness verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from recollect.code.index.languages import BY_EXTENSION

# More names are a list rather than a statement, and looking them up would slow down storing.
MAX_NAMES = 24
MAX_PATHS = 12
# Only the beginning is read: a log of a megabyte mentions everything.
MAX_CHARACTERS = 100_000
# Shorter names are variables of an example, or abbreviations.
SHORTEST = 3

# Products and formats in camel case. In backticks they are names.
PRODUCTS = frozenset(
    """ActiveDirectory AppStore BitBucket ChatGPT ClickHouse CloudFlare CloudFormation CloudFront CloudWatch CircleCI
    CockroachDB CoffeeScript ConfigMap CouchDB DevOps DockerHub DuckDB DynamoDB ElasticSearch FastAPI FreeBSD GitHub
    GitLab GitOps GraphQL HashMap IntelliJ JavaDoc JavaFX JavaScript JUnit KeyCloak LangChain LaTeX LinkedIn MacBook
    MariaDB MemCached MongoDB MySQL NextJS NoSQL NodeJS NumPy OAuth OpenAI OpenAPI OpenBSD OpenGL OpenID OpenSSH
    OpenSSL OpenShift OpenTelemetry PayPal PostgreSQL PowerPoint PowerShell PyCharm PyPI PyPy PyTorch RabbitMQ ReactJS
    RubyGems SaaS SciPy SharePoint SourceTree SpringBoot SQLAlchemy SQLite StackOverflow SvelteKit TailwindCSS
    TensorFlow TypeScript VMware VSCode VueJS WebAssembly WebGL WebRTC WebSocket WebSockets WhatsApp WordPress YouTube
    iCloud iOS iPad iPhone macOS eBPF gRPC jQuery
    Angular Ansible Apache Celery Chrome Debian Django Docker Elastic Electron Firefox Flask Grafana Helm Java Jenkins
    Jira Kafka Kotlin Kubernetes Linux Node Perl Postgres Python Rails React Redis Ruby Rust Safari Scala Sentry Slack
    Spring Swift Ubuntu Windows""".split()
)
# Words before "function" or "class" in any sentence, and words that are always capitalised.
ORDINARY = frozenset(
    """abstract actual anonymous another async base both caller called child class common custom default each either
    empty entire every existing fake first following former function generic given global good helper inner internal
    large last latter local long main many member method mock more nested next only original other outer parent pure
    private public same second separate short simple single small some static such test that their these this those
    type unit unused utility whole which wrapper your
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december english french german spanish chinese japanese internet""".split()
)
TYPES = frozenset({"Class", "Interface", "Type"})
MAX_PLAIN = 8

# Extensions of files that have no grammar and are still mentioned.
FURTHER_EXTENSIONS = frozenset(".txt .cfg .ini .lock .env .properties .xml .svg .rst .adoc".split())

_FENCED = re.compile(r"^[ \t]*(```|~~~).*?^[ \t]*\1[`~]*[ \t]*$|^[ \t]*(?:```|~~~).*\Z", re.DOTALL | re.MULTILINE)
_ELSEWHERE = re.compile(r"\b[a-z][a-z0-9+.\-]{0,20}://\S+|\bwww\.\S+|\b[\w.+\-]{1,64}@[\w\-]{1,64}\.[\w.\-]+")
_QUOTED = re.compile(r"(?<!`)`([^`\n]{1,200})`(?!`)")
_PATH = re.compile(
    r"(?<![\w/\\.@:-])(?P<path>(?:~|\.{1,2})?/?(?:[\w.@+\-]+/)*[\w@+\-][\w.@+\-]*)"
    r"(?:::(?P<symbol>[A-Za-z_$~][\w$.:#~]*)|:(?P<line>[1-9]\d{0,6})(?!\d))?"
)
_CHAIN = re.compile(
    r"(?<![\w$@/\\.\-])(?P<chain>[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?P<call>\((?:[^()\n]{0,80})\))?(?![\w$/\\])"
)
_CODE = re.compile(r"\s*(?P<chain>[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)\s*(?P<call>\([^\n]*\))?[;:]?\s*")
_DEFINED = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|static|async|pub|abstract|final)\s+)*"
    r"(?:def|func|function|fn|class|struct|interface|type|enum|trait|module|object|protocol)\s+"
    r"(?P<chain>[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*)"
)
_SEPARATOR = re.compile(r"\.|::|#|->")
_PLAIN = re.compile(r"(?<![\w$@/\\.\-#&])[A-Za-z][a-z]{3,}(?![\w$/\\(@-]|\.\w|::)")
# After this a capital means nothing: a sentence, a list item, a title or a quotation begins.
_BEGINS = re.compile(r"(?:^|[.!?:;\n(\[\"*>#|-])[ \t]*$")
# Words for kinds, and the kinds of symbols that they mean.
KINDS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        "function method hook helper handler decorator macro procedure routine callback".split(),
        frozenset({"Function", "Method", "Endpoint", "Test"}),
    ),
    **dict.fromkeys("class struct".split(), frozenset({"Class", "Type"})),
    **dict.fromkeys("interface trait protocol".split(), frozenset({"Interface", "Class", "Type"})),
    **dict.fromkeys("enum type".split(), frozenset({"Type", "Class", "Interface"})),
    "component": frozenset({"Function", "Class", "Constant"}),
    "constant": frozenset({"Constant"}),
    "endpoint": frozenset({"Endpoint", "Function", "Method"}),
    "fixture": frozenset({"Function", "Method"}),
    "test": frozenset({"Test", "Function", "Method"}),
    "module": frozenset({"Module"}),
}
_KIND = "(" + "|".join(KINDS) + ")(?:e?s)?"
_KIND_BEFORE = re.compile(rf"\b{_KIND}\s*$", re.IGNORECASE)
_KIND_AFTER = re.compile(rf"\s*{_KIND}\b", re.IGNORECASE)
# Characters before a name that may hold a word for its kind.
_REACH = 24

# The form of a name: two words in one.
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SNAKE = re.compile(r"[A-Za-z0-9]_+[A-Za-z0-9]")
_SPECIAL = re.compile(r"__\w+__")
# Words for the current object, which are no owners.
_SELVES = frozenset({"self", "this", "cls", "super", "Self", "$this"})


class Name(NamedTuple):
    """A name in the form of code, with the owners written before it.

    firm: it is certainly a name. Otherwise it needs a word for its kind beside it ("the `start` method": kinds), or a
    file in the same text that defines it.
    """

    name: str
    owners: tuple[str, ...] = ()
    firm: bool = True
    kinds: frozenset[str] = frozenset()


class Path(NamedTuple):
    """A path in a text, with the line or the symbol written after it."""

    path: str
    line: int | None = None
    symbol: str | None = None


class Mentions(NamedTuple):
    """The files and names that a text mentions, in the order of the text.

    plain: ordinary words; they are names if the project has one symbol of that name and kind
    """

    paths: tuple[Path, ...] = ()
    names: tuple[Name, ...] = ()
    plain: tuple[Name, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.paths or self.names or self.plain)


def mentions(text: str) -> Mentions:
    """Return the code that a text mentions."""
    text = text[:MAX_CHARACTERS]
    if not text.isascii():
        text = text.translate(_PUNCTUATION)
    plain = _ELSEWHERE.sub(" ", text)
    paths = list(dict.fromkeys(_paths(plain)))
    prose = _PATH.sub(_without_places, _FENCED.sub("\n", plain))
    found: dict[tuple[str, tuple[str, ...]], Name] = {}
    bare = _QUOTED.sub(" ", prose)
    for name in (*_quoted(prose), *_bare(bare)):
        known = found.get(name[:2], name)
        found[name[:2]] = name._replace(firm=name.firm or known.firm, kinds=name.kinds | known.kinds)
    words = dict.fromkeys(name for name in _plain(bare) if (name.name, ()) not in found)
    return Mentions(tuple(paths[:MAX_PATHS]), tuple(found.values())[:MAX_NAMES], tuple(words)[:MAX_PLAIN])


# Typographic quotation marks and dashes separate words.
_PUNCTUATION = {ord(mark): " " for mark in "“”„«»‚‘’…–—→←"}


def _paths(text: str) -> Iterable[Path]:
    for match in _PATH.finditer(text):
        path = match["path"].rstrip(".").removeprefix("./")
        if is_path(path):
            line = int(match["line"]) if match["line"] else None
            yield Path(path, line, match["symbol"])


def _without_places(match: re.Match[str]) -> str:
    """Return a blank for a certain path: its parts are no names."""
    is_place = match["symbol"] or match["line"] or "/" in match["path"]
    return " " if is_place and is_path(match["path"].rstrip(".")) else match[0]


def is_path(text: str) -> bool:
    """Tell whether a word may be a path: it has folders, or a known extension."""
    name = text.rpartition("/")[2]
    dot = name.rfind(".")
    if dot <= 0:
        return "/" in text.strip("/") and bool(name)
    return "/" in text or name[dot:].lower() in BY_EXTENSION or name[dot:].lower() in FURTHER_EXTENSIONS


def _quoted(text: str) -> Iterable[Name]:
    """Yield the names in backticks."""
    for match in _QUOTED.finditer(text):
        defined = _DEFINED.match(match[1])
        whole = defined or _CODE.fullmatch(match[1])
        if whole is None:
            continue
        before, after = match.start(), match.end()
        kind = _KIND_AFTER.match(text, after) or _KIND_BEFORE.search(text[max(0, before - _REACH) : before])
        named = _name(whole["chain"])
        if named is None:
            continue
        capital = named.name[0].isupper() and not named.name.isupper() and len(named.name) > SHORTEST
        called = bool(defined) or bool(whole["call"])
        firm = called or capital or bool(named.owners) or _has_form(named.name)
        yield named._replace(firm=firm, kinds=KINDS[kind[1].lower()] if kind else frozenset())


def _bare(text: str) -> Iterable[Name]:
    """Yield the words of a sentence that have the form of a name."""
    for match in _CHAIN.finditer(text):
        if is_path(match["chain"]) and not match["call"]:
            continue
        named = _name(match["chain"])
        if named is None:
            continue
        # Brackets after a blank are a note, not a call.
        called = match["call"] is not None and match["call"] == "()"
        if called or named.owners or (_has_form(named.name) and named.name not in PRODUCTS):
            yield named


def _plain(text: str) -> Iterable[Name]:
    """Yield plain words before the word for their kind, and capital words inside of a sentence."""
    for match in _PLAIN.finditer(text):
        word = match[0]
        if word.lower() in ORDINARY or word in PRODUCTS:
            continue
        kind = _KIND_AFTER.match(text, match.end())
        if kind:
            yield Name(word, firm=False, kinds=KINDS[kind[1].lower()])
        elif word[0].isupper() and not _BEGINS.search(text, max(0, match.start() - _REACH), match.start()):
            yield Name(word, firm=False, kinds=TYPES)


def _name(chain: str) -> Name | None:
    *owners, name = _SEPARATOR.split(chain)
    owners = [owner for owner in owners if owner not in _SELVES]
    is_special = bool(_SPECIAL.fullmatch(name)) and not owners
    if len(name.strip("_$")) < SHORTEST or is_special or name in _SELVES:
        return None
    return Name(name, tuple(owners))


def _has_form(name: str) -> bool:
    return bool(_HUMPS.search(name) or _SNAKE.search(name))
