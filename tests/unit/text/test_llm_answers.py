"""What a language model said is read with suspicion."""

from __future__ import annotations

import pytest

from recollect.text.llm_answers import invented, names, own_words, repeats


@pytest.mark.parametrize(
    "answer",
    [
        "The tax is 20.",
        "  The tax is 20.\n",
        "<think>What is it? Score: 1</think>The tax is 20.",
        "Here is the shortened observation:\n\nThe tax is 20.",
        "Sure! Here's a shorter version:\nThe tax is 20.",
        "Summary:\nThe tax is 20.",
        "```\nThe tax is 20.\n```",
        "```text\nThe tax is 20.\n```",
        '"The tax is 20."',
        "“The tax is 20.”",
    ],
)
def test_own_words_are_what_remains_without_the_trimmings(answer: str) -> None:
    assert own_words(answer) == "The tax is 20."


@pytest.mark.parametrize("answer", ["<think>no end", "<thinking>a</thinking>", "", " \n"])
def test_thoughts_alone_are_no_words(answer: str) -> None:
    assert own_words(answer) == ""


def test_quotes_within_a_text_stay() -> None:
    assert own_words('"a" and "b"') == '"a" and "b"'
    assert own_words("Here is nothing to strip") == "Here is nothing to strip"


def test_a_run_of_words_is_a_repetition_and_a_few_common_ones_are_not() -> None:
    prompt = "Shorten the observation below so that it can be found and understood months later."
    assert repeats("I was told to shorten the observation below so that it can be found!", prompt)
    assert not repeats("The observation can be found months later.", prompt)
    assert not repeats("", prompt)
    assert not repeats(prompt, "too short")


def test_names_are_what_programs_call_things() -> None:
    text = "Read src/price.py: parseFile of Shop::Cart sets MAX_SIZE to 4096; 3 times, and well."
    assert names(text) == {"src/price.py", "parseFile", "Shop::Cart", "MAX_SIZE", "4096"}


def test_what_no_source_names_is_invented() -> None:
    source = "Edited price.py: the class Server got a method start, port 8080"
    assert invented("Server.start in price.py listens on 8080.", source) == []
    assert invented("Server.stop in prices.py listens on 8081.", source) == ["8081", "Server.stop", "prices.py"]
    assert invented("port_number", source, "and port_number") == []
