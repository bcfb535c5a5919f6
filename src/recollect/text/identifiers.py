"""Search terms of source code and of identifiers.

They equal those of recollect.text.terms, but are made for a hundred megabytes at a time:

    bytes ──translate──► words and blanks ──split──► words ──memo──► terms ──join──► one string

Each distinct word is split once and then looked up: 114 MB take 2.4 s once the words are known, a regular expression
alone takes 4 s.

    getUserName           → get user name getusername
    HTTPServer_v2         → http server httpserver_v2
    the, return, x        → nothing: stop words, words of syntax, single characters
"""

from __future__ import annotations

from recollect.text.lazy_patterns import compiled
from recollect.text.terms import STOP_WORDS, stemmer, terms

# Words of syntax: a quarter of all words of Python. Words that people search for (class, async, yield) stay.
SYNTAX = frozenset(
    """cls const def elif else elsif end endif except extern false final fn func int let new nil none null pass private
    protected pub public raise return self static str switch then throw throws true try typeof undefined var void
    bool char double float long short unsigned""".split()
)

# Longer words are digests or generated.
MAX_WORD_BYTES = 64
# Longer names are headings or keys of data.
MAX_NAME_CHARACTERS = 120
# A word of more parts is a digest; it is kept whole if it is short.
MAX_PARTS = 8
MAX_WHOLE_CHARACTERS = 32
# Three times the words of 18,000 files, about 200 bytes each; then the cache is cleared.
MEMO_WORDS = 750_000

_BLANK, _UNDERSCORE, _FOREIGN = 32, 95, 128
# Bytes of words stay, those of other scripts too; all others become blanks.
WORD_BYTES = bytes(
    byte if byte >= _FOREIGN or byte == _UNDERSCORE or chr(byte).isalnum() else _BLANK for byte in range(256)
)

_PART = compiled(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")

# What ends a word in the full-text table of names.
_SEPARATING = compiled(r"[\s\x00-\x1f\x7f\"'`\\]+")


class _Memo(dict[bytes, str]):
    """Words → their terms, each followed by a blank, so that joining needs no separator."""

    def __missing__(self, word: bytes) -> str:
        if len(self) >= MEMO_WORDS:
            self.clear()
        found = self[word] = _word_terms(word)
        return found


class _Stems(dict[str, str]):
    """Parts of identifiers → their stems and a blank; nothing for single characters."""

    def __missing__(self, part: str) -> str:
        if len(self) >= MEMO_WORDS:
            self.clear()
        found = self[part] = f"{stemmer().stemWord(part.lower())} " if len(part) > 1 else ""
        return found


_memo = _Memo()
_stems = _Stems()


def words(source: bytes) -> bytes:
    """Return source code with a blank for every byte that is not part of a word; offsets stay the same."""
    return source.translate(WORD_BYTES)


def joined_terms(blanked: bytes) -> str:
    """Return the search terms of a piece of what `words` returned, in order, separated by single blanks."""
    return "".join(map(_memo.__getitem__, blanked.split()))[:-1]


def name_terms(name: str) -> str:
    """Return the search terms of a name, which may be several words, separated by single blanks."""
    if name.isidentifier() and name.isascii():
        return _memo[name.encode("ascii")][:-1]
    return joined_terms(words(name.encode("utf-8", "surrogatepass")))


def named(name: str) -> tuple[str, str, str]:
    """Return the search terms of a name, its lookup form, and its humps."""
    if not (name.isascii() and name.isidentifier()):
        return name_terms(name), name_term(name), humps(name)
    word, parts = name.encode("ascii"), _parts(name)
    found = _memo.get(word)
    if found is None:
        found = _memo[word] = _ascii_terms(name, parts)
    return found[:-1], name.lower()[:MAX_NAME_CHARACTERS], _humps(parts)


def code_terms(text: str) -> list[str]:
    """Return the search terms of a piece of code or of a name."""
    return name_terms(text).split()


def name_term(name: str) -> str:
    """Return the lookup form of a symbol's name: one word in lower case (`operator ""_s`)."""
    if name.isidentifier() and name.isascii():
        return name.lower()[:MAX_NAME_CHARACTERS]
    return _SEPARATING.sub("_", name.lower())[:MAX_NAME_CHARACTERS]


def humps(name: str) -> str:
    """Return the first characters of a name's parts (gun for getUserName); "" for one part."""
    return _humps(_parts(name)) if name.isascii() else ""


def _humps(parts: list[str]) -> str:
    return "".join([part[0] for part in parts]).lower() if len(parts) > 1 else ""


def _word_terms(word: bytes) -> str:
    """Return the terms of a word with a blank after each."""
    if word.isascii():
        return _ascii_terms(word.decode("ascii"))
    if len(word) > MAX_WORD_BYTES:
        return ""
    found = terms(word.decode("utf-8", "replace"))
    return "".join([f"{term} " for term in found if len(term) > 1 or not term.isascii()])


def _ascii_terms(text: str, parts: list[str] | None = None) -> str:
    """Return the terms of an ASCII word with a blank after each."""
    if len(text) < 2 or len(text) > MAX_WORD_BYTES:
        return ""
    lowered = text.lower()
    if text.isalpha() and (lowered == text or text.isupper() or text.istitle()):
        return "" if lowered in SYNTAX or lowered in STOP_WORDS else _stems[text]
    whole = lowered.strip("_")
    parts = parts or _parts(text)
    if len(parts) > MAX_PARTS or len(parts) < 2:
        return _stems[whole] if 1 < len(whole) <= MAX_WHOLE_CHARACTERS else ""
    return f"{''.join(map(_stems.__getitem__, parts))}{whole} "


def _parts(text: str) -> list[str]:
    """Return the parts of an ASCII name between underscores, digits and humps."""
    # A faster way for names without humps.
    if (text.islower() or text.isupper()) and text.replace("_", "").isalpha():
        return [part for part in text.split("_") if part]
    return _PART.findall(text)


def whole_term(name: str) -> str:
    """Return the term of a whole name; for a single word its stem, or nothing."""
    found = name_terms(name).split()
    return found[-1] if found else ""
