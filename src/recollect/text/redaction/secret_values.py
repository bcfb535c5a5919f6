"""Tests of a value that is assigned to a secret's name: no variable, no type, no placeholder."""

from __future__ import annotations

from recollect.text.redaction.ascii_fold import OTHER
from recollect.text.redaction.scanning import compiled

# Least length of a value by its place, for a password and for anything else; shorter ones are words or numbers.
LEAST = {
    "set": (3, 6),  # a line of an .env file, `export X=…`: any value
    "given": (4, 6),  # --password=…, ?token=…, Pwd=…;
    "option": (4, 8),  # --password …, password=… between blanks
    "member": (4, 8),  # a literal whose name is quoted too: JSON, dictionaries
    "quoted": (4, 8),  # a literal in source code, YAML, XML
    "listed": (6, 8),  # the next argument: define("PASSWORD", "…")
    "alone": (5, 10),  # key: value and nothing else on the line
    "bare": (6, 16),  # an unquoted word in the middle of something
    "below": (6, 10),  # alone on the line below its name
    "told": (6, 12),  # the password is …
    "said": (6, 16),  # a word behind a colon, in the middle of a line
    "spoken": (7, 16),  # the password …
}

# A value is judged by its beginning.
JUDGED_BYTES = 64
# A shorter random value looks like a name.
RANDOM_BYTES = 16
# For a sharp name, such as `password`.
SHORT_RANDOM_BYTES = 10
# The share of changes of class (upper, lower, digit): 0.5 in random text, 0.2 in names, 0.47 in hexadecimal.
RANDOM_CHANGES = 0.28
# Without digits; camel case comes closer.
RANDOM_LETTERS = 0.35

# The share of words in a camel-case name; one in 2,000 random texts of 20 characters has it.
WORDS_SHARE = 0.85

_LONG_WORDS = compiled(rb"[A-Z]?[a-z]{3,}")
_CLASSES = bytes(
    b"0"[0] if 48 <= code < 58 else b"A"[0] if 65 <= code < 91 else b"a"[0] if 97 <= code < 123 else b"."[0]
    for code in range(256)
)
_CHANGES = (b"0A", b"0a", b"A0", b"Aa", b"a0", b"aA")
_HEX = compiled(rb"[0-9a-fA-F\-]{16,}")

# Variables, templates, and marks like our own.
_TEMPLATE = compiled(
    rb"(?:\$(?:[A-Za-z_{(]|$)|<|\[|\{|%[^%\s]*%$|%[sdrv(]|\*{2,}|#\{|@\{"
    rb"|&[A-Za-z_&]|![A-Za-z]++(?:[ .]|$)|!!|\.\.|--|\\|/?run/secrets)"
)
_TEMPLATE_IN = compiled(rb"\$[{(]|\{\{|<[A-Za-z]|%\(|\*{3}|\.{3}|x{5}|X{5}|#\{|\[secret:|\{[A-Za-z_][\w.]{0,60}\}")
# Parts and whole words of placeholders, in lower case.
_STAND_INS = compiled(
    rb"change[_\-]?(?:me|it|this)|placeholder|example|dummy|sample|fake|mock|todo|fixme|redacted|undefined|not[_\-]?real|"
    rb"123456789"
)
_STAND_IN_WORDS = frozenset(
    b"""your insert replace enter removed hidden masked filtered invalid wrong some test foo bar baz goes here
    supersecret lorem ipsum""".split()
)
_MINE = compiled(
    rb"^(?:required|nullable|optional|string|min|max)[|:]"
    rb"|(?:^|[^a-z])(?:my|not[_\- ]?a|the)[_\- ]?(?:secret|token|key|pass|api)|[_\-]here$"
)
_NO_LETTERS = bytes(code if 97 <= code < 123 else 32 for code in range(256))
_NOTHINGS = frozenset(
    b"""none null nil undefined true false yes no on off str string text byte bytes int integer number any object bool
    boolean password passwd secret secrets token tokens required optional empty default auto static const var self this
    env""".split()
)
# Algorithms, encodings and versions; and numbers.
_TECHNICAL = (
    rb"(?:sha|md|utf|int|uint|base|rsa|aes|hs|rs|es|ps|oauth|x|http|argon|ed|p|v|u|i|pbkdf|tls|ipv|win|mp|h|s|k|ec)"
)
_NOTHING = compiled(rb"(?i)" + _TECHNICAL + rb"[-_]?\d{1,5}|[\W\d_]{1,3}|-?\d{1,40}(?:\.\d{1,40})?")
_SPOKEN_OF = compiled(
    rb"(?i)"
    + _TECHNICAL
    + rb"[-_]?\d{1,5}(?![A-Za-z0-9]*[0-9!@#$%^&*+=?~])|[a-z]{1,30}\d?(?:[-_/.:][a-z]{1,30}\d{0,4})+[.:]?$"
)
_WORDS = compiled(rb"[A-Za-z]++(?:[_\-.:/ ][A-Za-z]++)*+[_\-.]?\d{0,2}")
_PATH = compiled(
    rb"(?:~|\.{0,2})/[a-z0-9._\-]{2,}(?:/|$)|[a-z]{2,10}://|[A-Za-z]:\\|[\w\-]+\.(?:[a-z]{2,5})$|[a-z]+/[a-z]+(?:[/.]|$)"
)
_ACCESS = compiled(rb"[A-Za-z_][A-Za-z0-9_]*+(?:(?:\.|::|->|\?\.)[A-Za-z_$][A-Za-z0-9_]*+)+[.:?]?$")
_SPECIAL = compiled(rb"[!@#$%^&*+=?~]")
_NAMES = compiled(
    rb"(?i)pass|pwd|secret|token|key|auth|cred|user|login|hash|field|input|contrasen|senha|kennwort|clave"
)

# Words of sentences: a phrase that has one of them is no passphrase. In lower case.
_SENTENCE = frozenset(
    b"""a an and are as at be been by can cannot could do does don for forgot from has have how if in into is it its
    may must new no not of old on or please should than that the their then there these they this those to too
    use used user username using was were when where which who will with within without you your one first last
    each all only also any but so we our my me he she his her i confirm current reset change changed enter
    repeat invalid incorrect wrong missing required requires match matches failed error password passwords
    passphrase secret secrets token tokens key keys login log sign email account name show hide set send sent
    save update updated forgotten reminder strength weak strong field characters character minimum length least
    more than long short optional default empty type value text string number das der die dein ihr ein eine ist
    und nicht bitte mit el la los las de del su una un es y o no por para con le les des du et est une pas pour
    votre da do sua seu e em il lo di per non che""".split()
)
# A passphrase has so many plain words, fewer where its name says that it is a phrase.
PHRASE_WORDS = 4
_CODE = compiled(rb"[/(){}<>\[\]=;\\|]")
_PLAIN_WORD = compiled(rb"[a-z]{2,15}")


def is_phrase(value: bytes, *, is_named_so: bool = False) -> bool:
    """Tell whether a value with blanks is a passphrase and not a sentence, a caption or a message."""
    words = value.split() if len(value) < JUDGED_BYTES else value.split()[:-1]
    is_sentence = any(word.lower().strip(b".,!?:'") in _SENTENCE for word in words)
    if not 2 <= len(words) <= 24 or (is_sentence and not is_named_so):
        return False
    if is_stand_in(value) or _CODE.search(value) is not None or any(word[0] in b"-%" for word in words):
        return False
    if all(_PLAIN_WORD.fullmatch(word) is not None for word in words):
        return not is_sentence and len(words) >= PHRASE_WORDS - is_named_so
    return any(_is_mixed_word(word) for word in words)


def _is_mixed_word(word: bytes) -> bool:
    """Tell whether a word of a phrase has digits or signs between its letters, as those of passphrases do."""
    inner = word[:-1].translate(_CLASSES)
    return b"a" in inner and (b"0" in inner or _SPECIAL.search(word[:-1]) is not None)


def is_random(value: bytes) -> bool:
    """Tell whether a value is long and mixed enough to be random."""
    value = value[:JUDGED_BYTES]
    if len(value) < RANDOM_BYTES:
        return False
    classes = value.translate(_CLASSES)
    kinds = (b"0" in classes) + (b"A" in classes) + (b"a" in classes)
    if kinds < 2:
        return False
    changes = _changes(classes)
    if changes < RANDOM_CHANGES or (b"0" not in classes and changes < RANDOM_LETTERS):
        return False
    return not _is_words(value)


def is_hex(value: bytes) -> bool:
    """Tell whether a value is hexadecimal, with dashes perhaps, and long."""
    return _HEX.fullmatch(value) is not None


def _changes(classes: bytes) -> float:
    return sum(map(classes.count, _CHANGES)) / max(1, len(classes) - 1)


def is_blank(value: bytes) -> bool:
    """Tell whether a value shows by its form that it is no secret: a variable, a template, `null`, asterisks."""
    value = value[:JUDGED_BYTES]
    if value.lower() in _NOTHINGS or _NOTHING.fullmatch(value) is not None or not value.strip(OTHER + b" .,:;"):
        return True
    if value.isalnum():
        return b"xxxxx" in value or b"XXXXX" in value
    return _TEMPLATE.match(value) is not None or _TEMPLATE_IN.search(value) is not None


def is_stand_in(value: bytes) -> bool:
    """Tell whether a value only stands where a secret would: one that is blank, `changeme`, xxxx."""
    value = value[:JUDGED_BYTES]
    if is_blank(value) or len(set(value)) <= 2:
        return True
    if is_random(value):
        return False
    lower = value.lower()
    is_word = not _STAND_IN_WORDS.isdisjoint(lower.translate(_NO_LETTERS).split())
    return is_word or _STAND_INS.search(lower) is not None or _MINE.search(lower) is not None


def is_expression(value: bytes) -> bool:
    """Tell whether an unquoted value is code: an access like `self.token`, a variable of a template."""
    return _ACCESS.match(value) is not None and not is_random(value.replace(b".", b""))


def is_secret(value: bytes, *, kind: str, shape: str) -> bool:
    """Tell whether a value is a secret, given what its name tells and how it is written."""
    value = value[:JUDGED_BYTES]
    least = LEAST[shape][0 if kind in ("password", "phrase") else 1]
    if len(value) < least or is_stand_in(value):
        return False
    if shape in ("quoted", "member", "listed") and b" " in value.strip():
        return kind in ("password", "phrase") and is_phrase(value, is_named_so=kind == "phrase")
    kind = "password" if kind == "phrase" else kind
    if is_random(value) or is_hex(value):
        return True
    if _PATH.match(value) is not None:
        return False
    if shape == "set":
        return True
    if shape in ("told", "said", "spoken", "bare", "below") and _SPOKEN_OF.match(value) is not None:
        return False
    return _is_mixed(value, kind, shape)


def _is_mixed(value: bytes, kind: str, shape: str) -> bool:
    """Tell whether a short value is mixed like a password chosen by a person."""
    classes = value.translate(_CLASSES)
    has_digit, has_letter = b"0" in classes, b"a" in classes or b"A" in classes
    special = _SPECIAL.search(value) is not None
    if _changes(classes) >= RANDOM_CHANGES and len(value) >= SHORT_RANDOM_BYTES and not _is_words(value):
        return not _is_named(value)
    if kind != "password":
        return has_digit and has_letter and not _is_named(value) and len(value) >= 10 and shape != "spoken"
    if shape == "bare":
        return has_digit and has_letter and special
    if shape in ("said", "spoken"):
        return has_digit and has_letter and value[:1].isalnum() and not _is_named(value)
    if shape in ("given", "member", "quoted") and len(value) >= 6:
        return not _is_named(value)
    return ((has_digit and (has_letter or len(value) >= 6)) or (special and has_letter)) and not _is_named(value)


def _is_named(value: bytes) -> bool:
    """Tell whether a value is a name of a field or a variable: words that mention secrets, with a number at most."""
    return _WORDS.fullmatch(value) is not None and _NAMES.search(value) is not None


def _is_words(value: bytes) -> bool:
    """Tell whether a value is words nearly all through, as names in camel case are."""
    return sum(map(len, _LONG_WORDS.findall(value))) >= WORDS_SHARE * len(value)
