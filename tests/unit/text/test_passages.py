"""Passages: where a long text is cut, and what stays whole. That they join to the text is in tests/property."""

from __future__ import annotations

import pytest

from recollect.text.passages import MAX_PASSAGES, PASSAGE_CHARACTERS, SLACK, head, list_head, passages

WHOLE = int(PASSAGE_CHARACTERS * SLACK)


@pytest.mark.parametrize("text", ["", "one", "two\n\nparagraphs", "x" * WHOLE, "word " * (WHOLE // 5)])
def test_a_text_that_is_short_enough_is_its_only_passage(text: str) -> None:
    assert passages(text) == [text]


def test_a_text_that_is_longer_is_cut_into_passages_that_are_not() -> None:
    text = "x" * (WHOLE + 1)
    assert [len(passage) for passage in passages(text)] == [PASSAGE_CHARACTERS, WHOLE + 1 - PASSAGE_CHARACTERS]


SENTENCE = "A sentence of some forty characters ends."
CHINESE = "每个句子都以句号结束而没有空格。"


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        # A paragraph has lines, a line has sentences, a sentence has words: the best of what is there is chosen.
        pytest.param("\n\n".join([f"{SENTENCE}\n{SENTENCE} {SENTENCE}"] * 20), "\n\n", id="blank lines"),
        pytest.param("\r\n\r\n".join([f"{SENTENCE}\r\n{SENTENCE}"] * 20), "\r\n\r\n", id="blank lines of Windows"),
        pytest.param("\n \t\n".join([SENTENCE] * 60), "\n \t\n", id="lines of white space"),
        pytest.param("\n".join([f"{SENTENCE} {SENTENCE}"] * 40), "\n", id="lines"),
        pytest.param(" ".join([SENTENCE] * 60), "ends. ", id="sentences"),
        pytest.param("? ".join(["Is it so"] * 300), "so? ", id="questions"),
        pytest.param(CHINESE * 200, "。", id="sentences without spaces between them"),
        pytest.param("word " * 1000, "word ", id="words"),
    ],
)
def test_a_text_is_cut_at_the_best_place_there_is(text: str, ends: str) -> None:
    found = passages(text)
    assert len(found) > 1
    assert all(passage.endswith(ends) for passage in found[:-1])
    assert all(not passage[0].isspace() for passage in found)


def test_only_what_has_no_place_to_cut_is_cut_anywhere() -> None:
    found = passages(f"Before it.\n\n{'x' * 2500}\n\nAfter it.")
    assert [len(passage) for passage in found] == [12, PASSAGE_CHARACTERS, PASSAGE_CHARACTERS, 502 + 9]
    assert found[0] == "Before it.\n\n"
    assert found[-1].endswith("\n\nAfter it.")


def test_each_change_of_a_release_is_a_passage() -> None:
    text = "app 1.0 (2020-01-01), other changes:\n\n- add `one`\n- fix two - and three\n- drop four"
    assert passages(text) == [text[:50], "- fix two - and three\n", "- drop four"]
    assert list_head(text) == "app 1.0 (2020-01-01), other changes:"
    for other in (text.replace("other changes:", "changes:"), text.replace("other changes:\n", "other changes: so\n")):
        assert passages(other) == [other]
        assert list_head(other) == ""


def test_passages_are_filled_before_the_next_is_begun() -> None:
    found = passages("\n\n".join(["x" * 300] * 30))
    assert [len(passage) for passage in found] == [906] * 9 + [904]


@pytest.mark.parametrize("length", [600_000, 1_000_000, 2_000_003])
def test_a_very_long_text_has_longer_passages_instead_of_more_than_can_be_numbered(length: int) -> None:
    # Pieces of just over half a passage: two do not fit together, so that there are as many passages as can be.
    size = -(-length // (MAX_PASSAGES // 2))
    text = ("x" * (size // 2 - 1) + "\n\n") * (length // (size // 2 + 1) + 1)
    found = passages(text[:length])
    assert MAX_PASSAGES * 0.9 < len(found) <= MAX_PASSAGES
    assert "".join(found) == text[:length]
    assert max(map(len, found)) <= size


def test_a_commit_is_cut_into_a_few_sentences_and_what_a_changelog_says() -> None:
    body = f"Read files lazily (#7)\n\n{' '.join([SENTENCE] * 12)}\n\n"
    commit = "Commit 0123456789ab, 2023-11-15"
    found = passages(body + commit)
    assert "".join(found) == body + commit
    assert [len(passage) <= 375 for passage in found] == [True, True]
    assert found[0].startswith("Read files lazily") and found[-1].endswith(commit)
    released = f"{commit}\nReleased in app 1.0 (2023-11-20): Files are read when they are needed."
    assert passages(body + released) == [found[0], found[1].removesuffix(commit), released]
    assert head(body + released) == "Read files lazily (#7)"
    # Older imports have another last line, and keep their passages.
    assert len(passages(body + commit.replace(",", " of"))) == 1
    assert head(body + commit.replace(",", " of")) == ""
