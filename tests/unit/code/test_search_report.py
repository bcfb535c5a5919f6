"""A long text is taken apart: what is said, what is shown, and where it points to."""

from __future__ import annotations

import pytest

from recollect.code.search.report import MAX_CITED, MAX_FRAMES, MAX_PHRASES, path_parts, read

ISSUE = """Lamp goes out when `Burner.swap` is called twice
<!-- Please
describe what happened -->
### Description

- [x] I have searched for it
- [ ] It is documented
**Describe the bug**
The burner is swapped, see https://example.org/owner/name/blob/main/src/lamp/burner.py#L12 and lib/mirror.rb.

```python
from tower.beacon import Keeper, night as dark
Keeper().light(fog=True)
```
    horn = Horn()
Python: 3.11
- OS: Linux 6.1
_No response_
It should stay lit.
"""


def test_what_is_said_is_told_from_what_is_shown_and_a_form_says_nothing() -> None:
    report = read(ISSUE)
    assert report.lead == "Lamp goes out when `Burner.swap` is called twice"
    assert report.said.split("\n") == ["The burner is swapped, see   and lib/mirror.rb.", "It should stay lit."]
    assert report.shown.split("\n") == [
        "from tower.beacon import Keeper, night as dark",
        "Keeper().light(fog=True)",
        "    horn = Horn()",
    ]


def test_a_headline_is_kept_though_it_looks_like_a_heading_or_like_code() -> None:
    assert read("## Lamp = broken;\nIt is dark.").lead == "## Lamp = broken;"


def test_named_files_linked_files_and_modules_are_pointers() -> None:
    report = read(ISSUE)
    # A class with its method may as well be a file with its extension.
    assert report.cited == (("src", "lamp", "burner"), ("Burner",), ("lib", "mirror"))
    assert ("tower", "beacon", "Keeper") in report.modules and ("tower", "beacon", "night") in report.modules
    assert ("Burner", "swap") in report.modules
    assert ("App", "Lamp", "Wick") in read("see \\App\\Lamp\\Wick of it").modules
    assert ("lamp", "wick", "Trim") in read("see lamp::wick::Trim of it").modules


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (
            'Traceback:\n  File "app.py", line 3, in f\n  File "/site-packages/lamp/burner.py", line 12, in g',
            [("site-packages", "lamp", "burner"), ("app",)],
        ),
        (
            "at org.lamp.Burner$Wick.light(Burner.java:12)\n\tat org.tower.Keeper.run(Keeper.java:3)",
            [("org", "lamp", "Burner"), ("org", "tower", "Keeper"), ("Burner",), ("Keeper",)],
        ),
        ("at light (/srv/lamp/burner.js:12:3)\n at run (app.js:1:1)", [("srv", "lamp", "burner"), ("app",)]),
        ("lamp/burner.rb:12:in `light'\n  from app.rb:3:in `run'", [("lamp", "burner"), ("app",)]),
        ("#0 /srv/lamp/Burner.php(12): light()\n#1 app.php(3)", [("srv", "lamp", "Burner"), ("app",)]),
        ("goroutine 1:\n/lamp/burner.go:12 +0x1f", [("lamp", "burner")]),
        ("no traceback here, only burner.py", []),
    ],
)
def test_frames_come_innermost_first_whatever_the_language(text: str, frames: list[tuple[str, ...]]) -> None:
    assert list(read(f"It crashes\n{text}").frames) == frames


def test_a_file_of_the_traceback_is_not_cited_besides() -> None:
    report = read('It crashes\n  File "lamp/burner.py", line 3, in light\nI would change lamp/wick.py')
    assert report.frames == (("lamp", "burner"),)
    assert report.cited == (("lamp", "wick"),)


def test_phrases_are_words_in_a_row_as_the_code_has_them() -> None:
    phrases = [phrase for _, phrase in read("It fails\nthe lamp cannot hold more oil than it burns").phrases]
    assert " lamp hold oil " in phrases or " lamp cannot hold " in phrases
    assert all(phrase.startswith(" ") and phrase.endswith(" ") for phrase in phrases)
    assert all(first == phrase.split()[0] for first, phrase in read(ISSUE).phrases)


def test_of_a_very_long_text_only_so_much_is_looked_up() -> None:
    lines = "\n".join(
        f'  File "lamp/part{n}.py", line {n}, in f\nsee lamp/other{n}.py and lamp.mod{n}.x' for n in range(900)
    )
    report = read(f"It crashes\n{lines}")
    assert len(report.frames) == MAX_FRAMES and report.frames[0] == ("lamp", "part899")
    assert len(report.cited) == len(report.modules) == MAX_CITED
    assert len(report.phrases) == MAX_PHRASES


@pytest.mark.parametrize("text", ["", "\n\n", "```", "<!--", "<!-- -->", "\x00", "{{{\n}}}"])
def test_nothing_is_found_in_nothing(text: str) -> None:
    report = read(text)
    assert not (report.frames or report.cited or report.modules or report.phrases)


def test_a_path_is_its_parts_without_extension() -> None:
    assert path_parts("./a/../b\\c.tar.gz") == ("a", "b", "c.tar")
    assert path_parts(".gitignore") == (".gitignore",)
    assert path_parts("/") == ()
