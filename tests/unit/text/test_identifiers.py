"""Search terms of source code: names whole and in parts, words by their stem, nothing for what stands everywhere."""

from __future__ import annotations

import pytest

from recollect.text import identifiers
from recollect.text.identifiers import code_terms, humps, joined_terms, name_term, words


@pytest.mark.promise("E7")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("getUserName", ["get", "user", "name", "getusername"]),
        ("parse_http_header", ["pars", "http", "header", "parse_http_header"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("DEFAULT_TIMEOUT", ["default", "timeout", "default_timeout"]),
        ("sha256", ["sha", "256", "sha256"]),
        ("__init__", ["init"]),
        ("_private", ["privat"]),
        ("x_train", ["train", "x_train"]),
        ("Managers", ["manag"]),
        ("2024", ["2024"]),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(code: str, expected: list[str]) -> None:
    assert code_terms(code) == expected


@pytest.mark.parametrize("code", ["the", "return", "self", "x", "7", "_", "{}()", "", "def", "None"])
def test_what_stands_everywhere_is_no_term(code: str) -> None:
    assert code_terms(code) == []


def test_what_people_ask_for_is_a_term_even_if_it_is_syntax() -> None:
    assert code_terms("class async interface import_module") == [
        "class", "async", "interfac", "import", "modul", "import_module",
    ]  # fmt: skip


def test_punctuation_separates_and_order_and_repetition_stay() -> None:
    assert code_terms("store.find(Tree)->tree") == ["store", "find", "tree", "tree"]


def test_digests_are_kept_whole_or_not_at_all() -> None:
    assert code_terms("a1b2c3d4e5f6a7b8c9d0") == ["a1b2c3d4e5f6a7b8c9d0"]
    assert code_terms("a1b2c3d4e5f6a7b8c9d0" * 2) == []
    assert code_terms("A" * 65) == []


def test_words_of_other_scripts_are_terms_as_in_memories() -> None:
    assert code_terms("café_über データ") == ["cafe", "uber", "cafe_uber", "デー", "ータ"]


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert joined_terms(words(b"caf\xe9 parse \xff\xfe\x00 header")).endswith("header")


def test_blanking_keeps_every_offset() -> None:
    source = b"a.b(c_d)\n\xc3\xa9"
    blanked = words(source)
    assert len(blanked) == len(source)
    assert blanked.split() == [b"a", b"b", b"c_d", b"\xc3\xa9"]


def test_the_memo_of_words_is_emptied_when_it_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identifiers, "MEMO_WORDS", 3)
    found = [code_terms(f"zz{letter}") for letter in "bcfgkmnp"]
    assert found == [[f"zz{letter}"] for letter in "bcfgkmnp"]
    assert len(identifiers._memo) <= 3 and len(identifiers._stems) <= 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [("getUserName", "gun"), ("get_user_name", "gun"), ("HTTPServer", "hs"), ("get", ""), ("été_là", "")],
)
def test_humps_are_the_first_letters_of_the_parts(name: str, expected: str) -> None:
    assert humps(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getUser", "getuser"),
        ('operator ""_s', "operator__s"),
        ("Getting started", "getting_started"),
        ("a\nb`c'd\\e", "a_b_c_d_e"),
        ("x" * 500, "x" * 120),
    ],
)
def test_a_name_is_looked_up_as_one_word(name: str, expected: str) -> None:
    assert name_term(name) == expected
