"""Siblings: whether the first hit is right where many notes of a project differ in one word.

    python bench/siblings.py [--show] [--save]

bench/siblings.txt has 106 notes of one imaginary project, in the order in which they were written (staging and
production, access and refresh tokens, two owners; 26 of them change an earlier one), and 63 questions with a part of
the right note. They were written to try the program, not to fit it, and have been looked at since.
Prints JSON: the questions whose first hit is that note, and how many have no hit.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from measure import publish
from recollect import Engine

FILE = Path(__file__).with_suffix(".txt")


def main() -> None:
    """Store the notes, ask the questions and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--show", action="store_true", help="print the questions with another first hit")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    rows = [line.split(maxsplit=1) for line in FILE.read_text("utf-8").splitlines()]
    right = empty = 0
    with tempfile.TemporaryDirectory() as folder, Engine(home=f"{folder}/home") as engine:
        for minute, (mark, text) in enumerate(rows):
            if mark == "note":
                said = f"2026-01-05T{minute // 60:02}:{minute % 60:02}:00Z"
                engine.memories.store(text, namespace="siblings", valid_from=said)
        asked = [text.split(" | ") for mark, text in rows if mark == "ask"]
        for question, wanted in asked:
            first = next((hit.memory.content for hit in engine.recall.search(question, namespace="siblings").hits), "")
            right += wanted in first
            empty += not first
            if chosen.show and wanted not in first:
                print(f"{question}\n    {first or 'nothing'}")
    if not chosen.show:
        publish("siblings", {"questions": len(asked), "first_right": right, "empty": empty}, save=chosen.save)


if __name__ == "__main__":
    main()
