r"""Secrets by their name: what is assigned to `password`, `api_key`, `token` and the like, in whatever language.

    DB_PASSWORD=…    "client_secret": "…"    apiKey: '…'    <password>…</password>    --token …    ("secret", "…")
    ╰─ key ──╯│╰ value                       a key, something that assigns, a value that may be a secret

Code is full of such names and nearly all of it is innocent: `password: str`, `token = next(tokens)`,
`secret="secret"`. So a value counts by how it is written. The sharper the name and the plainer the place (a line of an
.env file, an option of a command), the less a value must look like a secret; what names a variable, a type or a
stand-in never does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.text.secrets.formats import Found, compiled
from recollect.text.secrets.value import is_expression, is_random, is_secret, is_stand_in

# A name longer than this is no name.
KEY_BYTES = 60
# A value without quotes is judged by so much of it; what is longer is taken to its end once that was a secret.
VALUE_BYTES = 64

# What is as long as a hash and made of hex is one, unless its name is sharp.
_HASH = compiled(rb"(?:[0-9a-fA-F]{2}){16,64}")


class Stem(NamedTuple):
    """A part of names that tells a secret; `pattern` is the rest of such a word.

    of: what must stand before it in the name, b"" for nothing: `key` is also the key of a dictionary
    """

    text: bytes
    kind: str
    pattern: bytes
    of: tuple[bytes, ...] = ()


# What makes a key the key to something.
_KEY_OF = tuple(
    b"""api app access private priv secret auth account encrypt encryption decrypt decryption sign signing master
    shared storage service client license subscription session deploy ssh admin write server consumer
    application integration webhook jwt hmac aes gpg pgp cipher crypto root bot pass token stripe openai
    anthropic sendgrid twilio mailgun datadog dd algolia heroku cloudflare cf google gcp azure aws github gitlab
    npm pypi sentry firebase supabase braintree paypal okta auth0 linear notion postman vercel netlify shopify
    square""".split()
)
# How those end: a look at two bytes spares nearly every other key the rest.
_KEY_ENDS = frozenset(word[-2:] for word in _KEY_OF)
# The longest of them, with what joins it.
_OF_BYTES = 16

STEMS: tuple[Stem, ...] = (
    Stem(b"pass", "password", rb"pass(?:words?|wd|phrase|code|wort|wrd)?"),
    Stem(b"pw", "password", rb"pwd?"),
    Stem(b"secret", "secret", rb"secret"),
    Stem(b"token", "token", rb"token"),
    Stem(b"key", "key", rb"key", _KEY_OF),
)

# What may follow the word in a name that still names the secret itself, and not its length or the file it lies in.
_SUFFIX = (
    rb"(?:[_\-.]?(?:access[_\-.]?key|key|token|value|val|base(?:64)?|b64|prod(?:uction)?|dev(?:elopment)?|test(?:ing)?|"
    rb"stag(?:e|ing)|live|sandbox|default|main|primary|secondary|new|old|current|admin|root|v?\d{1,3}))?"
    rb"(?:_[A-Z0-9]{1,20}){0,3}"
)
# A quote as HTML and careful JSON write it.
_ENTITY = rb"(?:&quot;|&#34;|\\{1,4}u0022)"
# Names that end so say something about a secret and hold none.
_ABOUT = compiled(
    rb"(?i)(?:_|-|\.)(?:ID|NAME|URL|URI|PATH|FILE|DIR|TYPE|LENGTH|LEN|SIZE|COUNT|LIMIT|TTL|EXPIR\w*|TIMEOUT|FIELD|HEADER|PREFIX|"
    rb"SUFFIX|REGEX|PATTERN|ALGORITHM|ALG|HASHERS|VALIDATORS|REQUIRED|ENABLED|DISABLED|POLICY|HELP|LABEL|MIN|MAX|ARN|"
    rb"REF|VERSION|FORMAT|ENV|VAR|HOST|PORT|USER|ERROR|MESSAGE|STATUS|SCOPE|SCOPES|AUDIENCE|ISSUER|SERVICE|STORE|"
    rb"MANAGER|PROVIDER|INDEX|COLUMN|TABLE|MODE|RE|CLASS|CHARS)$",
)

_QUOTE = rb"(?:\\{0,4}[\"'`]|" + _ENTITY + rb")"
_ASSIGNS = (
    rb"(?:(?P<closed>" + _QUOTE + rb")?\]?[?!]?(?:"
    # a type between: `token: str = "…"`
    rb"[ \t]?:[ \t]?&?['A-Za-z_][A-Za-z0-9_\[\].|<>?' ]{0,40}=[ \t]?(?=[\"'`])"
    rb"|[ \t*]{0,20}(?::=|=>|={1,3}|:|->)[ \t*]{0,20}(?:[|>][-+]?[ \t]*\r?\n[ \t]+)?(?P<entity>" + _ENTITY + rb")?"
    # the next argument or member: define("PASSWORD", "…"), {"name": "PASSWORD", "value": "…"}, <add key="…" value="…"/>
    rb"|(?P<pair>[ \t]{0,4},?(?:\s|\\{1,4}[nrt]|#){0,40}(?:"
    + _QUOTE
    + rb")?(?:value|val|string)(?:"
    + _QUOTE
    + rb")?[ \t]{0,4}[:=][ \t]{0,4})"
    rb"|(?P<comma>[ \t]{0,4},[ \t]{0,4}(?=" + _QUOTE + rb"))"
    rb"|(?P<tag>[ \t]{0,4}>)"
    rb"|(?P<prose>[ \t]{1,8}(?:is|was)[ \t:]{1,4}|[ \t]{0,20}\|[ \t]{1,20})"
    rb"|(?P<space>[ \t]{1,20})))"
)

_OPEN = compiled(rb"(?:[bBrRuUfF@$]{1,2}(?=[\"']))?(\\{0,4})(\"\"\"|'''|[\"'`])")
_PLAIN = {
    b'"': compiled(rb'[^\\\n"]*+(?:\\.[^\\\n"]*+)*+'),
    b"'": compiled(rb"[^\\\n']*+(?:\\.[^\\\n']*+)*+"),
    b"`": compiled(rb"[^\\\n`]*+(?:\\.[^\\\n`]*+)*+"),
}
# In a text that was escaped as a whole, the next quote ends it; backslashes before that belong to the quote.
_ESCAPED_QUOTE = {quote: compiled(rb"[^\n" + quote + rb"]*+") for quote in _PLAIN}
_BARE = compiled(rb"[^\s\"'`,;&<>()\[\]{}|\\]++")
_WORD = compiled(rb"[^\s\"'`<>\\]++")
_TEXT = compiled(rb"[^<\n]++")

_NAME_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
_ESCAPED = compiled(rb"[nrt]|u[0-9a-fA-F]{4}")
_LINE_BREAK = compiled(rb"\r?\n|\\+n")
# What may stand before the first word of a line: blanks, a list's dash, marks of comments, diffs and quotations, the
# number that a listing or a search puts there.
_LEAD = compiled(rb"(?:\S{0,60}?:)?(?:[ \t]{0,20}\d{1,6}[\t:?|\- ]{1,4})?[ \t\-+>#*|/]{0,40}[\"'`]?")
# What says that a variable is set here, although the line began earlier.
_SETS = compiled(
    rb"(?:[\"'`;|&(]\s?|(?:export|set|setx|env|ENV|ARG|declare|-x|-e|--env|--build-arg|--set|--from-literal=?|--secret|"
    rb"config:set|\$env:|secrets set|[A-Z_][A-Z0-9_]*=\S{0,60})\s?)[ \t]*[\"']?$"
)
# Where a blank is enough: a .netrc, and commands and files that set a variable.
_BLANK_SETS = compiled(rb"(?:\blogin\s+\S+|\bset(?:x| -\w+)|\bsetenv|\bENV|configure set)\s+$")


class Name(NamedTuple):
    """A name that tells a secret, where something assigns.

    text: the whole name. line: what stands before it on its line, as far as it was looked at
    """

    stem: Stem
    text: bytes
    line: bytes
    match: re.Match[bytes]

    @property
    def is_first(self) -> bool:
        """Whether it is the first word of its line."""
        return _LEAD.fullmatch(self.line) is not None

    @property
    def is_option(self) -> bool:
        """Whether it is an option of a command: --password."""
        return self.text.startswith(b"-")


class Place(NamedTuple):
    """A value and how it is written."""

    start: int
    end: int
    shape: str


# The rest of such a name and what assigns to it, from the stem on. One for all: no stem begins like another.
_NAMED = compiled(b"(?P<name>(?i:" + b"|".join(stem.pattern for stem in STEMS) + b")" + _SUFFIX + b")" + _ASSIGNS)


def by_name(source: bytes, lower: bytes, at: Mapping[bytes, Sequence[int]]) -> list[Found]:
    """Return the secrets in `source` that are told by what they are assigned to.

    lower: `source` in lower case; at: where the stems stand in it
    """
    found: list[Found] = []
    for stem in STEMS:
        done = 0
        for place in at.get(stem.text, ()):
            if place < done or (stem.of and not _is_key_to(lower, place)):
                continue
            match = _NAMED.match(source, place)
            taken = _value(source, stem, match) if match is not None else None
            if taken is not None:
                found.append(taken)
                done = taken.end
    return found


def _is_key_to(lower: bytes, place: int) -> bool:
    """Tell whether a name says what its key is to; what is random at any other key is found by its neighbour."""
    before = lower[max(0, place - _OF_BYTES) : place].rstrip(b"_-. ")
    return before[-2:] in _KEY_ENDS and before.endswith(_KEY_OF)


def _value(source: bytes, stem: Stem, match: re.Match[bytes]) -> Found | None:
    """Return what is assigned by a name and something that assigns, if it is a secret."""
    name = _name(source, stem, match)
    if name is None:
        return None
    place = _quoted(source, name) or _unquoted(source, name)
    if place is None:
        return None
    value = source[place.start : place.end]
    if not is_secret(value, kind=stem.kind, shape=place.shape):
        return None
    # Only now to its end: a value that were read to its end and then refused could be read again for every name in it.
    longer = _WORD.match(source, place.end) if len(value) == VALUE_BYTES else None
    return Found(place.start, longer.end() if longer is not None else place.end, stem.kind)


def _name(source: bytes, stem: Stem, match: re.Match[bytes]) -> Name | None:
    """Return the whole name around a stem; None if it is another word, or only speaks of a secret."""
    before = source[max(0, match.start() - KEY_BYTES) : match.start()]
    left = before[len(before.rstrip(_NAME_CHARACTERS)) :]
    line = before[: len(before) - len(left)]
    if left and line.endswith(b"\\") and (escaped := _ESCAPED.match(left)) is not None:
        # \nDB_PASSWORD: a line break in JSON, and not a letter of the name
        left, line = left[escaped.end() :], line + left[: escaped.end()]
        line = line if escaped[0] in (b"n", b"r") else line[: -len(escaped[0])].rstrip(b"\\") + b"\t"
    text = left + match["name"]
    if match["name"] in (b"pass", b"pw") and left[-1:].islower():
        return None  # compass, bypass
    if match["name"].lower() == b"pass" and not left and match["space"] is not None:
        return None  # the verb
    if _ABOUT.search(text.rstrip(b".-")) is not None:
        return None
    return Name(stem, text, _LINE_BREAK.split(line)[-1], match)


def _quoted(source: bytes, name: Name) -> Place | None:
    """Return the quoted value, or the text of an element, that follows a name."""
    match, start = name.match, name.match.end()
    if match["tag"] is not None:
        text = _TEXT.match(source, start)
        # <label for="password">Password:</label> is a caption
        is_element = text is not None and source.startswith(b"</", text.end()) and not text[0].rstrip().endswith(b":")
        return Place(start, text.end(), "quoted") if text is not None and is_element else None
    opened = _OPEN.match(source, start)
    is_closed = match["closed"] is not None
    if opened is None or (match["comma"] is not None and not is_closed):
        return None  # f(password, "x"): the one is a variable and the other something else
    shape = "listed" if match["comma"] is not None else "member" if is_closed else "quoted"
    if match["space"] is not None and not name.is_option and not is_closed:
        shape = "spoken" if _BLANK_SETS.search(name.line) is None else "quoted"
    return Place(opened.end(), _closing(source, opened), shape)


def _unquoted(source: bytes, name: Name) -> Place | None:
    """Return the value without quotes that follows a name; None where it is code."""
    match, start = name.match, name.match.end()
    if match["tag"] is not None or match["comma"] is not None or _OPEN.match(source, start) is not None:
        return None
    is_tight = match.end() - match.end("name") == 1 and source[start - 1 : start] == b"="
    if is_tight and name.text.isupper() and (name.is_first or _SETS.search(name.line) is not None):
        word = _WORD.match(source, start, start + VALUE_BYTES)
        return Place(start, word.end(), "set") if word is not None else None
    word = _BARE.match(source, start, start + VALUE_BYTES)
    if word is None or source[word.end() : word.end() + 1] in (b"(", b"[", b"{") or is_expression(word[0]):
        return None
    return Place(start, word.end(), _shape(source, name, word.end(), is_tight))


def _shape(source: bytes, name: Name, end: int, is_tight: bool) -> str:
    """Return how a value without quotes is written."""
    match, following = name.match, source[end : end + 1]
    if name.is_option and (is_tight or match["space"] is not None):
        return "given" if is_tight else "option"
    if match["space"] is not None:
        return "option" if _BLANK_SETS.search(name.line) is not None else "spoken"
    if match["prose"] is not None:
        return "told"
    if match["entity"] is not None:
        return "given"
    ends_line = following in (b"", b"\n", b"\r", b"\\")
    if is_tight and (
        name.line[-1:] in (b"?", b"&", b";") or following in (b"&", b";") or (name.is_first and ends_line)
    ):
        return "given"
    if is_tight and name.line[-1:].isspace() and (ends_line or following.isspace()):
        return "option"
    # `password: hunter2` alone on its line, as in YAML and INI files
    return "alone" if name.is_first and (ends_line or following.isspace()) else "bare"


def _closing(source: bytes, opened: re.Match[bytes]) -> int:
    """Return where a quoted value ends: before its closing quote, or at the end of the line where there is none."""
    start, escapes, quote = opened.end(), opened[1], opened[2]
    if len(quote) == 3:
        end = source.find(quote, start, start + VALUE_BYTES)
        return max(end, start)
    word = (_ESCAPED_QUOTE if escapes else _PLAIN)[quote].match(source, start)
    end = word.end() if word is not None else start
    while escapes and end > start and source[end - 1 : end] == b"\\":
        end -= 1
    return end


# Parts of names that may belong to a secret, or to something harmless: what such a name is given must be random.
_WEAK = compiled(
    rb"(?i)key|auth|cred|salt|hmac|cipher|sign|licen[sc]e|seed|webhook|dsn|conn|access|api|client|bearer|priv|pass|pwd|"
    rb"secret|token"
)
_OPENS = frozenset(b"\"'`=: \t\\")
# What may stand between a name and its value: `name": "`, `name = '`, `name=`
_BETWEEN = b"\"'`]=: \t\\,"


def by_neighbour(source: bytes, start: int, end: int) -> bool:
    """Tell whether a long run of characters is random and assigned to something that sounds like a secret."""
    if not start or source[start - 1] not in _OPENS:
        return False
    before = source[max(0, start - KEY_BYTES) : start]
    named = before.rstrip(_BETWEEN)
    between = before[len(named) :]
    is_listed = b"," in between and between[-1] in b"\"'`"
    if not is_listed and not (b"=" in between or b":" in between):
        return False
    name = named[len(named.rstrip(_NAME_CHARACTERS)) :]
    if _WEAK.search(name) is None or _ABOUT.search(name) is not None:
        return False
    if source[end : end + 1] == b"(" or source[start - 2 : start] == b"::":
        return False  # a call, a path of modules
    value = source[start:end]
    return is_random(value) and _HASH.fullmatch(value) is None and not is_stand_in(value)
