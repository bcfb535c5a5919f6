"""Whether a value that is assigned to a secret's name is a secret: not a variable, not a type, not a stand-in."""

from __future__ import annotations

from recollect.text.secrets.formats import compiled

# How a value must be written to count, by the place it stands in: from "any value but a stand-in" to "random for sure".
#   set      A line of an .env file, `export X=…`: what stands there is the value, whatever it looks like
#   given    --password=…, ?token=…, Pwd=…;
#   option   --password …, password=… between blanks
#   member   a literal whose name is quoted too: JSON, dictionaries
#   quoted   a literal in source code, YAML, XML
#   listed   the next argument: define("PASSWORD", "…")
#   alone    key: value and nothing else on the line
#   bare     an unquoted word in the middle of something
#   told     the password is …
#   spoken   a sentence, a table
# Least length of a value by its place, for a password and for anything else: shorter ones are words or numbers.
LEAST = {
    "set": (3, 6),
    "given": (4, 6),
    "option": (4, 8),
    "member": (4, 8),
    "quoted": (4, 8),
    "listed": (6, 8),
    "alone": (5, 10),
    "bare": (6, 16),
    "told": (6, 12),
    "spoken": (7, 16),
}

# A value is judged by its beginning: whatever is longer is random there too, or prose.
JUDGED_BYTES = 64
# From so many bytes on, a random value can be told from a name.
RANDOM_BYTES = 16
# Where the name is sharp, a shorter one is enough.
SHORT_RANDOM_BYTES = 10
# In random text every other character is of another class (upper, lower, digit) than the one before; in names every
# fifth. Hexadecimal lies at 0.47.
RANDOM_CHANGES = 0.28
# Without digits: names in camel case come closer.
RANDOM_LETTERS = 0.35

# A name in camel case is words nearly all through; in random text of 20 characters fewer than one in 2,000 are.
WORDS_SHARE = 0.85

_LONG_WORDS = compiled(rb"[A-Z]?[a-z]{3,}")
_CLASSES = bytes(
    b"0"[0] if 48 <= code < 58 else b"A"[0] if 65 <= code < 91 else b"a"[0] if 97 <= code < 123 else b"."[0]
    for code in range(256)
)
_CHANGE = compiled(rb"(?=0[Aa]|A[0a]|a[0A])")
_HEX = compiled(rb"[0-9a-fA-F\-]{16,}")

# What stands where a secret would: variables and templates of all sorts, and marks like our own.
_TEMPLATE = compiled(
    rb"^(?:\$|<|\[|\{|%[^%\s]*%$|%[sdrv(]|\*{2,}|#\{|@\{|&|!|\.\.|--|\\|/?run/secrets)"
    rb"|\$\{|\{\{|\$\(|<[A-Za-z]|%\(|\*{3}|\.{3}|x{5}|X{5}|#\{|\[secret:|\{[A-Za-z_][\w.]*\}"
)
_STAND_IN = compiled(
    rb"(?i)change.?(?:me|it|this)|placeholder|example|dummy|sample|fake|mock|todo|fixme|redacted|undefined|notreal|123456789"
    rb"|(?:^|[^a-z])(?:your|insert|replace|enter|removed|hidden|masked|filtered|invalid|wrong|some|test|foo|bar|baz)(?:[^a-z]|$)"
    rb"|(?:^|[^a-z])(?:my|not[_\- ]?a)[_\- ]?(?:secret|token|key|pass|api)|[_\-]here$"
)
_NOTHING = compiled(
    rb"(?i)(?:none|null|nil|undefined|true|false|yes|no|on|off|str|string|text|bytes?|int|integer|number|any|object|bool|"
    rb"boolean|password|passwd|secrets?|tokens?|required|optional|empty|default|auto|static|const|var|self|this|env|"
    rb"(?:sha|md|utf|utf-|int|uint|base|rsa|aes|hs|rs|es|ps|oauth|x|http|argon|ed|p|v)-?\d{1,5}|[\W\d_]{1,3}|-?\d+(?:\.\d+)?)"
)
_WORDS = compiled(rb"(?:[A-Z]{1,20}|[A-Z]?[a-z]+)(?:[_\-.:/ ]?(?:[A-Z]{1,20}|[A-Z]?[a-z]+))*[_\-.]?\d{0,2}")
_PATH = compiled(
    rb"(?:~|\.{0,2})/[a-z0-9._\-]{2,}(?:/|$)|[a-z]{2,10}://|[A-Za-z]:\\|[\w\-]+\.(?:[a-z]{2,5})$|[a-z]+/[a-z]+(?:[/.]|$)"
)
_ACCESS = compiled(rb"[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z0-9_]*)+[.:?]?$")
_SPECIAL = compiled(rb"[!@#$%^&*+=?~]")
_NAMES = compiled(rb"(?i)pass|pwd|secret|token|key|auth|cred|user|login|hash|field|input")


def is_random(value: bytes) -> bool:
    """Tell whether a value is long and mixed enough that nobody thought of it."""
    if len(value) < RANDOM_BYTES:
        return False
    classes = value.translate(_CLASSES)
    kinds = (b"0" in classes) + (b"A" in classes) + (b"a" in classes)
    if kinds < 2:
        return False
    changes = _changes(classes)
    if _is_words(value):
        return False
    return changes >= RANDOM_CHANGES and (b"0" in classes or changes >= RANDOM_LETTERS)


def _changes(classes: bytes) -> float:
    return len(_CHANGE.findall(classes)) / max(1, len(classes) - 1)


def is_blank(value: bytes) -> bool:
    """Tell whether a value says of itself that it is none: a variable, a template, `null`, asterisks."""
    return _TEMPLATE.search(value) is not None or _NOTHING.fullmatch(value) is not None


def is_stand_in(value: bytes) -> bool:
    """Tell whether a value only stands where a secret would: one that is blank, `changeme`, xxxx."""
    if is_blank(value) or len(set(value)) <= 2:
        return True
    return not is_random(value) and _STAND_IN.search(value) is not None


def is_expression(value: bytes) -> bool:
    """Tell whether an unquoted value is code: an access like `self.token`, a variable of a template."""
    return _ACCESS.match(value) is not None and not is_random(value.replace(b".", b""))


def is_secret(value: bytes, *, kind: str, shape: str) -> bool:
    """Tell whether a value is a secret, given what its name tells and how it is written."""
    value = value[:JUDGED_BYTES]
    least = LEAST[shape][0 if kind == "password" else 1]
    if len(value) < least or is_stand_in(value):
        return False
    if shape in ("quoted", "member", "listed") and b" " in value.strip():
        return False
    if is_random(value) or _HEX.fullmatch(value) is not None:
        return True
    if _PATH.match(value) is not None:
        return False
    if shape == "set":
        return True
    return _is_mixed(value, kind, shape)


def _is_mixed(value: bytes, kind: str, shape: str) -> bool:
    """Tell whether a short value is mixed like a password that somebody chose."""
    classes = value.translate(_CLASSES)
    has_digit, has_letter = b"0" in classes, b"a" in classes or b"A" in classes
    special = _SPECIAL.search(value) is not None
    if _changes(classes) >= RANDOM_CHANGES and len(value) >= SHORT_RANDOM_BYTES and not _is_words(value):
        return not _is_named(value)
    if kind != "password":
        return has_digit and has_letter and not _is_named(value) and len(value) >= 10 and shape != "spoken"
    if shape in ("bare", "spoken"):
        return has_digit and has_letter and special
    if shape in ("given", "member", "quoted") and len(value) >= 6:
        return not _is_named(value)
    return ((has_digit and (has_letter or len(value) >= 6)) or (special and has_letter)) and not _is_named(value)


def _is_named(value: bytes) -> bool:
    """Tell whether a value is a name of a field or a variable: words that speak of secrets, with a number at most."""
    return _WORDS.fullmatch(value) is not None and _NAMES.search(value) is not None


def _is_words(value: bytes) -> bool:
    """Tell whether a value is words nearly all through, as names in camel case are."""
    return sum(map(len, _LONG_WORDS.findall(value))) >= WORDS_SHARE * len(value)
