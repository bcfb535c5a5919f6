"""Nothing in the project speaks of the machine it was written on."""

from __future__ import annotations

import re
from pathlib import Path

# Folders of development machines. One letter in brackets, so that this list does not find itself.
MACHINE_PATHS = [r"(?<![\w.])/[w]ork/", r"(?<![\w.])/[r]oot/"]


def test_no_tracked_file_names_a_path_of_a_development_machine(root: Path, tracked: list[Path]) -> None:
    here = [re.escape(f"{folder}/") for folder in (root, Path.home())]
    patterns = re.compile("|".join([*MACHINE_PATHS, *here]))
    read, found = 0, []
    for path in tracked:
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        read += 1
        found += [f"{path.relative_to(root)}: {match[0]}" for match in patterns.finditer(text)]
    assert read >= 40, f"only {read} text files read"
    assert found == []
