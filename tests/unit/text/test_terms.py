"""Search terms: what words, identifiers, paths and other scripts are found by."""

from __future__ import annotations

import threading

import pytest

from recollect.text.terms import MAX_WORD_CHARACTERS, query_terms, terms


@pytest.mark.promise("E7")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # the examples of the module
        ("getUserName", "get user name getusername"),
        ("parse_http2_header", "pars http 2 header parse_http2_header"),
        ("src/store/sql.py", "src store sql py src/store/sql.py"),
        ("C++", "c++"),
        ("データベース", "デー ータ タベ ベー ース"),
        # words
        ("The parsers were parsing", "parser pars"),
        # identifiers
        ("HTTPServer", "http server httpserver"),
        ("XMLHttpRequest2", "xml http request 2 xmlhttprequest2"),
        ("MAX_RETRIES", "max retri max_retries"),
        ("__init__", "init __init__"),
        ("std::vector<int>", "std vector std::vector int"),
        ("os.path.join", "os path join os.path.join"),
        ("well-known", "well known well-known"),
        ("10:30", "10 30 10:30"),
        ("isReady", "is readi isready"),
        # short forms of one word, but not as names
        ("prod, k8s and DBs", "product kubernet databas"),
        ("production kubernetes databases", "product kubernet databas"),
        ("conf/app.yml", "conf app yml conf/app.yml"),
        # languages named with a sign
        ("F# beats C#", "f# beat c#"),
        ("C++17", "c 17"),
        # other scripts
        ("café", "cafe"),
        ("naïve Über", "naiv uber"),
        ("Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
        ("Москва", "москва"),
        ("йод", "йод"),
        ("ΛΌΓΟΣ", "λόγοσ"),
        ("λόγος", "λόγοσ"),
        ("猫", "猫"),
        ("使用pytest测试", "使用 pytest 测试"),
        # nothing to find
        ("", ""),
        ("?! … 🧠", ""),
    ],
)
def test_a_text_gives_its_terms(text: str, expected: str) -> None:
    assert terms(text) == expected.split()


def test_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert terms("to be or not to be a parser") == ["parser"]
    assert terms("don't you") == ["don", "t", "you"]
    assert terms("to be or not") == ["to", "be", "or", "not"]


def test_repetitions_count_in_a_text_but_not_in_a_question() -> None:
    assert terms("cache the cache") == ["cach", "cach"]
    assert query_terms("cache the cache") == ["cach"]


def test_what_is_too_long_to_be_typed_does_not_bloat_the_index() -> None:
    (term,) = terms("x" * 500)
    assert len(term) == MAX_WORD_CHARACTERS
    payload = "/".join(["segment"] * 50)
    assert payload not in terms(payload)
    assert set(terms(payload)) == {"segment"}


def test_a_long_sentence_without_spaces_is_found_by_its_end() -> None:
    assert "终于" in terms("数据库连接池" * 30 + "终于")


def test_threads_can_make_terms_at_the_same_time() -> None:
    text = " ".join(f"parsing{number} connections" for number in range(300))
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(terms(text))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [terms(text)] * 4
