"""Functions and classes of source files. Runs in a temporary folder with a small project in it."""
# ruff: noqa: T201

import contextlib
import tempfile
from pathlib import Path

from memory_lib.codebase import CodeIndexer

UTILS = '''\
import math
from typing import List


def calculate_sum(a, b):
    """Calculate the sum of two numbers"""
    print(a, b)
    return log(a + b)
'''


def main() -> None:
    """Read a file, a folder, and notice a change."""
    Path("src").mkdir()
    Path("src/utils.py").write_text(UTILS, encoding="utf-8")
    Path("src/test_utils.py").write_text("def test_sum(): ...\n", encoding="utf-8")
    Path("src/notes.txt").write_text("no code\n", encoding="utf-8")

    indexer = CodeIndexer()
    entities = indexer.index_file("src/utils.py")
    for entity in entities:
        print(f"Found {entity['entity_name']} in {entity['file_path']}")
        print(entity["signature"], entity["docstring"], entity["language"], entity["complexity"], sep=" | ")
        print(entity["dependencies"], entity["imports"])

    entities = indexer.index_directory("src", exclude_patterns=["*/test_*.py", "*/.git/*"], recursive=True)
    print(f"Indexed {len(entities)} entities")

    hash1 = indexer.compute_file_hash("src/utils.py")
    Path("src/utils.py").write_text(UTILS + "\n", encoding="utf-8")
    hash2 = indexer.compute_file_hash("src/utils.py")
    if hash1 != hash2:
        print("File has changed, need to re-index")

    for missing in ("src/nothing.py", "src/notes.txt"):
        try:
            indexer.index_file(missing)
        except (FileNotFoundError, ValueError) as problem:
            print(type(problem).__name__)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        main()
