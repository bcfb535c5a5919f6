r"""Secrets by name: values that are assigned to `password`, `api_key`, `token` and the like, in any language.

    DB_PASSWORD=…    "client_secret": "…"    apiKey: '…'    <password>…</password>    --token …    ("secret", "…")
    ╰─ key ──╯│╰ value                       a key, something that assigns, a value that may be a secret

Most such code is harmless: `password: str`, `token = next(tokens)`, `secret="secret"`. So a value counts by how it is
written. The sharper the name and the plainer the place (a line of an .env file, an option), the less random a value
must be; variables, types and placeholders never count.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from recollect.text.redaction.ascii_fold import OTHER
from recollect.text.redaction.scanning import (
    SAMPLE_NEAR,
    SEVERAL,
    Found,
    Gap,
    Judged,
    compiled,
    judge_places,
    remembered,
    spaced,
)
from recollect.text.redaction.secret_values import is_expression, is_random, is_secret, is_stand_in

# A name longer than this is no name.
KEY_BYTES = 60
# A value without quotes is judged by so much of it; what is longer is taken to its end once that was a secret.
VALUE_BYTES = 64
# So far behind a name its value is looked for; what is longer is judged by its beginning.
CONTEXT_BYTES = 256

# What is as long as a hash and made of hex is one, unless its name is sharp.
_HASH = compiled(rb"(?:[0-9a-fA-F]{2}){16,64}")


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

# The word that tells a secret, in whatever case.
_STEM = (
    rb"(?:pass(?:words?|wd|phrase|code|wort|wrd|e)?|pwd?|psk|secret|token|key|kennwort|contrasen(?:y|h)?a|senha|clave|"
    rb"phrase|mnemonic)"
)
# What a stem is called, by how it begins; the others are passwords. A key must be the key to something.
_KINDS = {b"sec": "secret", b"tok": "token", b"key": "key", b"phr": "phrase", b"mne": "phrase"}
_PHRASE_OF = (b"seed", b"recovery", b"backup", b"secret", b"mnemonic")

# What may follow the word in a name that still names the secret itself, and not its length or the file it lies in.
_SUFFIX = (
    rb"(?:[_\-.]?(?:access[_\-.]?key|key|token|value|val|base(?:64)?|b64|prod(?:uction)?|dev(?:elopment)?|test(?:ing)?|"
    rb"stag(?:e|ing)|live|sandbox|default|main|primary|secondary|new|old|current|admin|root|v?\d{1,3}))?"
    rb"(?:_[A-Z0-9]{1,20}){0,3}"
)
# A quote as HTML and careful JSON write it.
_ENTITY = rb"(?:&quot;|&#34;|\\{1,4}u0022)"
# Names that end so say something about a secret and hold none.
_ABOUT = frozenset(
    b"""id name url uri path file dir type length len size count limit ttl timeout field header prefix suffix regex
    pattern algorithm alg hashers validators required enabled disabled policy help label min max arn ref version format
    env var host port user error message status scope scopes audience issuer service store manager provider index column
    table mode re class chars""".split()
)
_PART = compiled(rb"[_\-.]")


def _is_about(name: bytes) -> bool:
    """Tell whether a name describes a secret but holds no secret: `token_type`."""
    *before, last = _PART.split(name.lower())
    return bool(before) and (last in _ABOUT or last.startswith(b"expir"))


_QUOTE = rb"(?:\\{0,4}[\"'`]|" + _ENTITY + rb")"
_LITERAL = rb"\\{0,4}[bruf@$]{0,2}[\"'`]"
# A blank, and a line break with what indents the next line; a backslash may end the line.
_GAP = rb"[ \t]{0,8}+(?:\\?\r?\n[ \t]{0,60}+)?+"
# What may stand between the name and "is": "the password for the staging server is".
_FOR = rb"(?:for|of|to|on|in|at|fur|fuer|zu[mr]?|vo[mn]|de[rlsm]?|d[aou]s?|para|pour|di|del|per|einer|am|im)"
_IS = (
    rb"(?:(?:is|was|has been|have been|wurde|)[ \t]?(?:re)?(?:set|changed)[ \t]to|is|was|ist|lautet|war|es|est|"
    rb"era|e|sera|equals|"
    rb"will be)"
)
_ASSIGNS = (
    rb"(?:(?P<closed>" + _QUOTE + rb")?+[\])]{0,2}+[?!]?+(?:"
    # a type between: `token: str = "…"`
    rb"[ \t]?:[ \t]?&?['A-Za-z_][A-Za-z0-9_\[\].|<>?' ]{0,40}=[ \t]?(?=[\"'`])"
    # with a default, or a value, of its own: variable "password" { default = "…" }, "password": {"value": "…"}
    rb"|(?P<nested>[ \t]{0,8}+[:=]?[ \t]{0,8}+\{[^{}]{0,200}?\b(?i:default|value)[\"']?[ \t]{0,8}+[:=][ \t]{0,8}+"
    rb"|:[ \t]{0,8}+\r?\n(?:[ \t]{1,40}+\w{1,20}+:[^\n]{0,80}\n){0,4}?[ \t]{1,40}+(?i:default|value):[ \t]{1,8}+)"
    # on the line below: KEY=\, YAML's | and >, a value that is alone there
    rb"|(?P<below>[ \t]{0,8}+(?::=|=|:)[ \t]{0,8}+(?:[|>][-+]?\d?[ \t]{0,8}+)?\\?\r?\n[ \t]{0,60}+(?=\S))"
    # a default of what the environment has: process.env.X || "…", os.getenv("X") or "…", ${X:-…}
    rb"|(?P<default>:?[-=](?<=:[-=])|" + _GAP + rb"(?:\|\|=?|\?\?=?|\?:|or|\{|"
    rb"\.(?:unwrap_or|or|get_?or|Get_?Or)\w{0,20}+\((?:\|\w{0,8}\|[ \t]?)?)" + _GAP + rb"(?=" + _LITERAL + rb"))"
    rb"|[ \t*]{0,20}+(?::=|=>|={1,3}|:|->)[ \t*]{0,20}+(?P<entity>" + _ENTITY + rb")?"
    rb"(?:(?:new )?(?:\w{1,20}(?:\.|::)){0,2}"
    rb"(?i:secret\w{0,10}|some|str|string|bytes|just|from|of|sensitive)\((?=[\"']))?"
    # the next argument or member: define("PASSWORD", "…"), {"name": "PASSWORD", "value": "…"}, <add key="…" value="…"/>
    rb"|(?P<pair>[ \t]{0,4}+,?(?:\s|\\{1,4}[nrt]|#){0,40}+(?:"
    + _QUOTE
    + rb")?(?:value|val|string|default|fallback)(?:"
    + _QUOTE
    + rb")?[ \t]{0,4}+[:=][ \t]{0,4}+)"
    rb"|(?P<comma>[ \t]{0,4}+,[ \t]{0,4}+(?=" + _QUOTE + rb"))"
    rb"|(?P<call>\([ \t]{0,4}+(?=" + _LITERAL + rb"))"
    rb"|(?P<tag>[ \t]{0,4}+>)"
    rb"|(?P<prose>(?:[ \t]{1,8}+" + _FOR + rb"[ \t][^\n.;:=,\"'`()<>{}\[\]|]{1,48}?)?[ \t]{1,8}(?i:" + _IS + rb")"
    rb"(?:[ \t]now|[ \t]jetzt)?[ \t:]{1,4}+|[ \t]{0,4}+\x1f[ \t:]{0,4}+|[ \t]{0,20}+\|[ \t]{1,20}+)"
    rb"|(?P<space>[ \t]{1,20}+)))"
)

_OPEN = compiled(rb"(?:[bBrRuUfF@$]{1,2}(?=[\"']))?(\\{0,4})(\"\"\"|'''|[\"'`])")
_PLAIN = {
    b'"': compiled(rb'[^\\\n"]*+(?:\\.[^\\\n"]*+)*+'),
    b"'": compiled(rb"[^\\\n']*+(?:\\.[^\\\n']*+)*+"),
    b"`": compiled(rb"[^\\\n`]*+(?:\\.[^\\\n`]*+)*+"),
}
# In a text that was escaped as a whole, the next quote ends it; backslashes before that belong to the quote.
_ESCAPED_QUOTE = {quote: compiled(rb"[^\n" + quote + rb"]*+") for quote in _PLAIN}
_BARE = compiled(rb"[^\s\"'`,;&<>()\[\]{}|\\\x1a]++")
_WORD = compiled(rb"[^\s\"'`<>\\]++")
_TEXT = compiled(rb"[^<\n]{1,256}+")

_NAME_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
_ESCAPED = compiled(rb"[nrt]|u[0-9a-fA-F]{4}")
# What may stand before the first word of a line: blanks, a list's dash, marks of comments, diffs and quotations, the
# number that a listing or a search puts there.
_LEAD = compiled(rb"(?:\S{0,60}?:)?(?:[ \t]{0,20}\d{1,6}[\t:?|\- ]{1,4})?[ \t\-+>#*|/]{0,40}[\"'`]?")
# What says that a variable is set here, although the line began earlier.
_SETS = compiled(
    rb"(?:[\"'`;|&(]\s?|(?:export|set|setx|env|ENV|ARG|declare|-x|-e|--env|--build-arg|--set|--from-literal=?|--secret|"
    rb"config:set|\$env:|secrets set|[A-Z_][A-Z0-9_]*=\S{0,60})\s?)[ \t]*[\"']?$"
)
# Where a blank is enough: a .netrc, and commands and files that set a variable.
_BLANK_SETS = compiled(
    rb"(?:\blogin\s+\S{1,60}+|\bset(?:x| -\w+)|\bsetenv|\bENV|configure set"
    rb"|(?i:\b(?:role|user|login)\s+\S{1,60}+(?:\s+(?:with|login|encrypted|superuser)){0,4}))\s+$"
)


# A call that sets a secret: setPassword("…"), .with_token("…"), builder.password("…")
_SETTER = compiled(rb"(?i)(?:^|[._>:])(?:set|with|use|put|update|change|reset)[a-z_]{0,30}$|[.>:]$")


class Name(NamedTuple):
    """A name that tells a secret, where something assigns.

    text: the whole name. line: what stands before it on its line, as far as it was looked at
    """

    kind: str
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


# What ends a word of a sentence.
_ENDS = compiled(rb"[.;)]?(?:[\s\\\"'\x1a]|$)|, ")


class Place(NamedTuple):
    """A value and how it is written."""

    start: int
    end: int
    shape: str


# The rest of such a name and what assigns to it, from the stem on. One for all: no stem begins like another.
_NAMED = compiled(b"(?P<name>(?i:" + _STEM + b")" + _SUFFIX + b")" + _ASSIGNS)

# Where such a name may stand, in lower case: a stem, the rest of the name, something that assigns, and what a value may
# begin with. It must let through whatever is a secret; what it stops costs nothing but the search.
_PLAIN_RUN = rb"[^\s\d!@#$%^&*+=?~\"'`,;<>()\[\]{}|\\]{0,40}+"
_MIXED = _PLAIN_RUN + rb"[\d!@#$%^&*+=?~\\]"
_AHEAD = (
    rb"[\w\-.]{0,60}+(?:\\{0,4}+[\"'`]|&quot;|&#34;|\\{1,4}+u0022)?+[\])]{0,2}+[?!]?+(?:"
    rb"[ \t*]{0,20}+(?:[:=]=?[>=]?+=?+|->)(?:"
    rb"(?<==)(?![a-z_.]{1,60}+[,()\[\]{}=])[^\s=]{3}|[ \t*]{0,20}+(?:[\"'`\\|>\r\n&{]|"
    + _PLAIN_RUN
    # a mixed value, a literal with a letter before or as an argument, a type and then a literal
    + rb"(?:[\d!@#$%^&*+=?~\\\"']|\([\"']| [a-z.:]{1,40}+\([\"']|[ \[<|?][\w\[\].|<>?' ]{0,40}+=[ \t]?[\"'`])))|:[-=]"
    rb"|[ \t]{0,4}+,[ \t]{0,4}+(?:[\"'`\\]|\s|val|str)|[ \t]{0,4}+>|[ \t]{0,20}+\|[| \t]"
    rb"|[ \t]{0,8}+\{|\([ \t]{0,4}+\\{0,4}+[bruf$@]{0,2}[\"'`]"
    rb"|" + _GAP + rb"(?:\?[?:]|\|\||or[ \t\r\n]|\.[a-z_]{2,24}+\()"
    rb"|(?:[\s,#]|\\{1,4}[nrt]){0,40}+(?:\\{0,4}+[\"'`])?+(?:val|str|def|fal)"
    rb"|[ \t]{1,20}+(?:[\"'`\\]|" + _MIXED + rb"|" + _FOR + rb"[ \t]|" + _IS + rb"[ \t:])|[ \t]{0,4}+\x1f"
    # the title of a column
    rb"|[\"'`*]{0,4}+[ \t]{0,60}+[|,;\t\r\n])"
)
# Searches that begin with one plain letter: those cost 1 ns a byte, one that begins with a choice ten. So words that
# have a rare letter in common are looked for together, by that letter. Stems, and the anchors of places.
_STEM_FINDERS = tuple(
    # The empty group says that a value may follow.
    compiled(pattern + b"(?:(?=" + _AHEAD + b")())?+", needs=tuple(needs.split(b"|")))
    for needs, pattern in (
        (
            b"pass|pw|phrase|psk|pdo(|private|putty-user-",
            (
                rb"p(?:ass|w|hrase(?<!passphrase)|sk(?<![a-z]psk)(?![a-z])|do\(|"
                rb"rivate(?:(?<=<private)| key(?=[ \-]))|utty-user-)"
            ),
        ),
        (
            b"key|kind|token|kennwort|cookie",
            rb"k(?:ey(?<=[a-z_\-. ]key)|ind(?=[\"']?[ \t]{0,4}+:)|(?<=tok)en|ennwort|(?<=cook)ie)",
        ),
        (
            b"secret|contrasen|clave|mnemonic|cred|securestring|avec |cp(|con ",
            (
                rb"c(?:ret(?<=secret)|ontrasen|lave|(?<=mnemonic)|red|urestring(?<=securestring)|(?<=avec) |"
                rb"p\((?<=@tcp\()|on (?:(?<=sesion con )|(?<=accedi con )))"
            ),
        ),
        (b"senha|auth|dich mit", rb"h(?:(?<=senh)a|(?<=auth)| mit(?<=dich mit))"),
    )
)
_FINDERS = tuple(
    compiled(pattern, needs=tuple(needs.split(b"|")))
    for needs, pattern in (
        (b":", rb":(?://|\d{4}:|\*:)"),
        (b"bearer|basic", rb"b(?:earer|asic)"),
        (
            b"sig=|log|sign in|gangsdaten",
            rb"g(?:=(?<=sig=)|in(?<=login)|(?<=log)(?:ged)?[ \-]in|n in(?<=sign in)|angsdaten)",
        ),
    )
)
# How far before what is found the word begins.
_BEGINS = {
    b"ken": 2, b"cret": 2, b"c": 7, b"ha": 3, b"kie": 3, b"curestring": 2, b"h": 3, b"c ": 3, b"con ": 7, b"h mit": 3,
    b"g=": 2, b"gin": 2, b"g in": 2, b"g-in": 2, b"gged in": 2, b"gn in": 2, b"gangsdaten": 2, b"cp(": 2,
}  # fmt: skip
# Those that are stems.
STEMS = frozenset(b"pass pw psk phrase key ken kennwort cret contrasen clave c ha".split())


class Words(NamedTuple):
    """The positions of the words that secrets are found by.

    names: the places of stems that something assigns to or that are titles, those of each search for themselves
    gaps: where stems were skipped, by search
    anchors: what was found, stems and others, and where each of the others begins
    """

    names: list[list[int]]
    gaps: list[list[Gap]]
    anchors: dict[bytes, list[int]]


def words(lower: bytes) -> Words:
    """Return where the words stand in a text in lower case."""
    names: list[list[int]] = []
    gaps: list[list[Gap]] = []
    anchors: dict[bytes, list[int]] = {}
    for finder in _STEM_FINDERS:
        places: list[int] = []
        gaps.append([])
        for match in spaced(finder, lower, gaps=gaps[-1]):
            text = match[0]
            if text not in STEMS:
                anchors.setdefault(text, []).append(match.start() - _BEGINS.get(text, 0))
            elif match.lastindex:
                places.append(match.start() - _BEGINS.get(text, 0))
            else:
                anchors[text] = []
        names.append(places)
    for finder in _FINDERS:
        for match in spaced(finder, lower):
            anchors.setdefault(match[0], []).append(match.start() - _BEGINS.get(match[0], 0))
    return Words(names, gaps, anchors)


def by_name(source: bytes, lower: bytes, at: Words) -> list[Found]:
    """Return the secrets in `source` that are told by what they are assigned to.

    lower: `source` in lower case; at: where the words stand in it
    """
    judged = remembered(_judge, source, KEY_BYTES, CONTEXT_BYTES)
    found: list[Found] = []
    for finder, places, gaps in zip(_STEM_FINDERS, at.names, at.gaps, strict=True):
        secrets = judge_places(partial(_following, places), judged)
        found += secrets
        found += _in_gaps(lower, finder, places, gaps, secrets, judged)
    return found


# A gap holds secrets if most names before it have one, and so many at least.
GAP_SECRETS = 8


def _in_gaps(
    lower: bytes,
    finder: re.Pattern[bytes],
    places: list[int],
    gaps: list[Gap],
    secrets: list[Found],
    judged: Callable[[int, int], Judged],
) -> Iterator[Found]:
    """Yield the gaps behind names that mostly have secrets, each up to its last name."""
    ends = [secret.end for secret in secrets]

    def secret_of(place: int) -> Found | None:
        index = bisect_right(ends, place)
        return secrets[index] if index < len(ends) and secrets[index].start <= place + SAMPLE_NEAR else None

    done = 0
    for gap in gaps if secrets else ():
        behind = secret_of(gap.start)
        done = max(done, behind.end if behind is not None else 0)
        if gap.end <= done:
            continue
        names = places[bisect_left(places, gap.first) : bisect_left(places, gap.start)]
        if len([*filter(secret_of, names)]) < max(GAP_SECRETS, len(names) / 2):
            continue
        for match in deque(finder.finditer(lower, gap.start, gap.end + KEY_BYTES), 1):
            place = match.start() - _BEGINS.get(match[0], 0)
            secret, _ = judged(place, place)
            done = secret.end if secret is not None else match.start()
            yield Found(gap.start, done, SEVERAL)


def _following(places: list[int], at: int) -> tuple[int, int]:
    index = bisect_left(places, at)
    return (places[index], places[index]) if index < len(places) else (-1, -1)


def _judge(source: bytes, place: int, _: int) -> Judged:
    """Judge the value of the name at a place."""
    match = _NAMED.match(source, place)
    secret = _value(source, match) if match is not None else None
    return secret, secret.end if secret is not None else place


def _value(source: bytes, match: re.Match[bytes]) -> Found | None:
    """Return what is assigned by a name and something that assigns, if it is a secret."""
    name = _name(source, match)
    if name is None:
        return None
    place = _quoted(source, name) or _unquoted(source, name)
    if place is None:
        return None
    value = source[place.start : min(place.end, place.start + VALUE_BYTES)]
    if not is_secret(value, kind=name.kind, shape=place.shape):
        return None
    # Only now to its end: a value that were read to its end and then refused could be read again for every name in it.
    longer = _WORD.match(source, place.end) if place.end - place.start == VALUE_BYTES else None
    return Found(place.start, longer.end() if longer is not None else place.end, _CALLED.get(name.kind, name.kind))


_CALLED = {"phrase": "password"}


def _name(source: bytes, match: re.Match[bytes]) -> Name | None:
    """Return the whole name around a stem; None if it is another word, or only mentions a secret."""
    before = source[max(0, match.start() - KEY_BYTES) : match.start()]
    left = before[len(before.rstrip(_NAME_CHARACTERS)) :]
    kind = "phrase" if b"phrase" in match["name"].lower() else _KINDS.get(match["name"][:3].lower(), "password")
    if kind in ("key", "phrase") and not _is_to_something(kind, match["name"], before.lower()):
        return None
    line = before[: len(before) - len(left)]
    if left and line.endswith(b"\\") and (escaped := _ESCAPED.match(left)) is not None:
        # \nDB_PASSWORD: a line break in JSON, and not a letter of the name
        left, line = left[escaped.end() :], line + left[: escaped.end()]
        line = line if escaped[0] in (b"n", b"r") else line[: -len(escaped[0])].rstrip(b"\\") + b"\t"
    if _is_other_word(match, left, line) or _is_about((left + match["name"]).rstrip(b".-")):
        return None
    return Name(kind, left + match["name"], line.rpartition(b"\n")[2].rpartition(b"\\n")[2], match)


def _is_to_something(kind: str, name: bytes, before: bytes) -> bool:
    """Tell whether a name says what its key is to; what is random at any other key is found by its neighbour."""
    if kind == "phrase":
        return name[:3].lower() in (b"mne", b"pas") or before[-_OF_BYTES:].rstrip(b"_-. ").endswith(_PHRASE_OF)
    before = before[-_OF_BYTES:].rstrip(b"_-. ")
    return before[-2:] in _KEY_ENDS and before.endswith(_KEY_OF)


# Names that end in "pass" and are no other word.
_PASS_OF = tuple(
    b"""store key require db root user admin master bind smtp mail become ssh ftp my auth login http proxy sys mysql pg
    sudo     vault wifi default client server app""".split()
)


def _is_other_word(match: re.Match[bytes], left: bytes, line: bytes) -> bool:
    """Tell whether the stem is part of another word, a verb, or the name of a function."""
    name = match["name"]
    if name in (b"pass", b"pw") and left[-1:].islower() and not left.lower().endswith(_PASS_OF):
        return True  # compass, bypass
    if name.lower() in (b"pass", b"passe", b"clave") and not left and match["space"] is not None:
        return True  # the verb
    if match["call"] is not None:
        # in SQL, PASSWORD('…') makes a hash of it
        return _SETTER.search(line[-2:] + left) is None and name != b"PASSWORD"
    return False


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
    end = word.end()
    if match["prose"] is not None and end - start < VALUE_BYTES:
        end = start + len(word[0].rstrip(b".:"))
    return Place(start, end, _shape(source, name, word.end(), is_tight))


def _shape(source: bytes, name: Name, end: int, is_tight: bool) -> str:
    """Return how a value without quotes is written."""
    match, following = name.match, source[end : end + 1]
    ends_line = following in (b"", b"\n", b"\r", b"\\")
    if match["below"] is not None:
        return "below" if ends_line else "bare"
    if name.is_option and (is_tight or match["space"] is not None):
        return "given" if is_tight else "option"
    if match["space"] is not None:
        return (
            "option"
            if _BLANK_SETS.search(name.line) is not None
            else "alone"
            if name.is_first and ends_line
            else "spoken"
        )
    if match["prose"] is not None:
        return "told"
    if match["entity"] is not None or (match["default"] is not None and following == b"}"):
        return "given"
    is_quoted = name.line[-1:] in (b'"', b"'", b"`") and following in (b'"', b"'", b"`", b"\\")
    if is_tight and (
        is_quoted
        or name.line[-1:] in (b"?", b"&", b";", b"=")
        or following in (b"&", b";")
        or (name.is_first and ends_line)
    ):
        return "given"
    if is_tight and name.line[-1:].isspace() and (ends_line or following.isspace()):
        return "option"
    # `password: hunter2` alone on its line, as in YAML and INI files; or in a sentence
    if name.is_first and (ends_line or following.isspace()):
        return "alone"
    is_said = b":" in match[0][len(match["name"]) :] and (
        source[match.end() - 1 : match.end()].isspace() or name.line.endswith(OTHER) or is_quoted
    )
    return "said" if is_said and _ENDS.match(source, end) is not None else "bare"


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
    rb"key|auth|cred|salt|hmac|cipher|sign|licen[sc]e|seed|webhook|dsn|conn|access|api|client|bearer|priv|pass|pwd|"
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
    if not name or source[end : end + 1] == b"(" or source[start - 2 : start] == b"::":
        return False  # a call, a path of modules
    if _WEAK.search(name.lower()) is None or _is_about(name):
        return False
    value = source[start : min(end, start + CONTEXT_BYTES)]
    return is_random(value) and _HASH.fullmatch(value) is None and not is_stand_in(value)
