"""Fold text to one byte per character, so that offsets in the bytes are offsets in the text.

Full-width forms, look-alike letters of other alphabets and letters with accents become the ASCII character they look
like. Words for "password" in scripts without such letters become an ASCII name of the same length. Every other
character becomes `OTHER`.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from functools import cache

# Stands for a copula that is written without a blank: は, 是. No text has this control character by chance.
IS = "\x1f"
# Stands for a character that nothing is known about.
OTHER = b"\x1a"
# The codec writes `?` for those, so a question mark is written as this meanwhile.
_QUESTION = "\x1e"

# ASCII → the characters that are read as it. At most 128 in all: the table of the codec has so many free places.
_LOOK_ALIKES = {
    "a": "аαàáâãäå", "A": "АΑ", "b": "Ь", "B": "ВΒ", "c": "сϲçć", "C": "С", "d": "ԁ", "e": "еèéêëε", "E": "ЕΕ",
    "g": "ɡ", "h": "һ", "H": "НΗ", "i": "іιíì", "I": "ІΙ", "j": "ј", "J": "Ј",
    "k": "кκ", "K": "КΚ", "l": "ӏł", "M": "МΜ",
    "n": "ñո", "N": "Ν", "o": "оοõöóò", "O": "ОΟ", "p": "рρ", "P": "РΡ", "q": "ԛ",
    "s": "ѕşś", "S": "Ѕ", "t": "тτ", "T": "ТΤ",
    "u": "υüúùս", "v": "νѵ", "w": "ԝω", "x": "хχ", "X": "ХΧ", "y": "уγ", "Y": "УΥ", "z": "ż", "Z": "Ζ",
    " ": "\u00a0\u3000\u202f", '"': "“”„«»", "'": "‘’", "-": "‐‑–", ":": "：", "=": "＝", "|": "｜",
}  # fmt: skip
_TABLE = "".join(map(chr, range(128))) + "".join(_LOOK_ALIKES.values()).ljust(128, "\ufffe")
_ASCII = bytes(range(128)) + "".join(ascii_ * len(alike) for ascii_, alike in _LOOK_ALIKES.items()).ljust(
    128, "?"
).encode("ascii")
_ASCII = _ASCII.replace(b"?", OTHER).replace(_QUESTION.encode(), b"?")

# Words for a password or a key in other scripts → a name of the same length; what may follow as a copula.
_WORDS = {
    "パスワード": "_pass", "パスコード": "_pass", "暗証番号": "pass", "トークン": "a_pw",
    "シークレット": "secret",
    "合言葉": "_pw", "密码": "pw", "密碼": "pw", "口令": "pw", "令牌": "pw", "密钥": "pw",
    "密鑰": "pw", "비밀번호": "pass",
    "암호": "pw", "пароль": "__pass", "Пароль": "__pass", "пароля": "__pass", "토큰": "pw",
}  # fmt: skip
_COPULAS = "はが是為为는은이"
_NAMES = {word + copula: name + IS * len(copula) for word, name in _WORDS.items() for copula in ("", *_COPULAS)}
# Full-width forms and the styled letters of mathematics: rare, and too many for the table.
_WIDE = "\uff01-\uff5e"
_STYLED = "\U0001d400-\U0001d7ff\u24b6-\u24e9"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], object]:
    words = "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True))
    alike = "".join(_LOOK_ALIKES.values()) + "".join(word[0] for word in _WORDS)
    return (
        re.compile(f"[{re.escape(alike)}{_WIDE}{_STYLED}]"),
        re.compile(f"(?:{words})[{_COPULAS}]?"),
        re.compile(f"[{_WIDE}{_STYLED}]++"),
        codecs.charmap_build(_TABLE),
    )


@cache
def _plain() -> dict[int, str]:
    """Return the ASCII character of every wide and styled one."""
    codes = [*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800), *range(0x24B6, 0x24EA)]
    plain = {code: unicodedata.normalize("NFKC", chr(code)) for code in codes}
    return {code: form if len(form) == 1 and form.isascii() else "\ufffd" for code, form in plain.items()}


def folded(text: str) -> bytes:
    """Return `text` as ASCII, one byte for each character."""
    if text.isascii():
        return text.encode("ascii")
    alike, words, forms, table = _patterns()
    # What is not ASCII is little as a rule; the patterns look at that first.
    rare = text.encode("utf-8", "surrogatepass").translate(None, bytes(range(128))).decode("utf-8", "surrogatepass")
    text = text.replace("?", _QUESTION)
    if alike.search(rare) is None:
        return text.encode("ascii", "replace").translate(_ASCII)
    if words.search(rare) is not None:
        text = words.sub(lambda match: _NAMES[match[0]], text)
    if forms.search(rare) is not None:
        text = forms.sub(lambda match: match[0].translate(_plain()), text)
    return codecs.charmap_encode(text, "replace", table)[0].translate(_ASCII)  # type: ignore[arg-type]
