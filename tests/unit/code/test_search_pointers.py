"""Which files a report points to, of those there are."""

from __future__ import annotations

from recollect.code.search.report import MAX_FITTING, matched, read

PATHS = ["src/lamp/burner.py", "src/lamp/__init__.py", "old/burner.py", "web/index.js", "README.md", "wick.c", ""]


def pointed(text: str) -> dict[str, list[list[str]]]:
    found = matched(read(f"It crashes\n{text}"), PATHS)
    return {
        kind: [[PATHS[place] for place in places] for places in fitting if places]
        for kind, fitting in found._asdict().items()
    }


def test_the_path_that_ends_most_like_it_is_meant() -> None:
    assert pointed("in lamp/burner.py")["cited"] == [["src/lamp/burner.py"]]
    assert pointed("in burner.py")["cited"] == [["src/lamp/burner.py", "old/burner.py"]]
    assert pointed("in tower/horn.py")["cited"] == []


def test_a_frame_must_share_a_folder_unless_the_file_has_none() -> None:
    assert pointed('  File "/site-packages/lamp/burner.py", line 3')["frames"] == [["src/lamp/burner.py"]]
    assert pointed('  File "/home/me/burner.py", line 3')["frames"] == []
    assert pointed("/build/wick.c:12")["frames"] == [["wick.c"]]


def test_of_a_dotted_name_the_longest_beginning_that_is_a_module_counts() -> None:
    assert pointed("call lamp.burner.Burner.swap")["modules"] == [["src/lamp/burner.py"]]
    assert pointed("import src.lamp.Wick")["modules"] == [["src/lamp/__init__.py"]]
    assert pointed("call tower.horn")["modules"] == []


def test_a_name_that_fits_too_many_files_points_to_none() -> None:
    paths = [f"part{number}/models.py" for number in range(MAX_FITTING + 1)]
    report = read("It crashes\nin models.py")
    assert matched(report, paths[:-1]).cited == [list(range(MAX_FITTING))]
    assert matched(report, paths).cited == [[]]
