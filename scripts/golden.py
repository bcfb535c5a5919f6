"""Write what extraction says about the golden samples, for a person to read before it is committed.

python scripts/golden.py [language …]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from recollect.code.index.extract import extract
from recollect.code.index.languages import LANGUAGES, detect
from recollect.code.index.symbols import Extracted, Import, Reference

# Where a sample pretends to be, so that what depends on the path is seen too.
PATHS = {"go": "queue/queue_test.go"}
GOLDEN = Path(__file__).parents[1] / "tests" / "golden"


def sample(language: str) -> Path:
    """Return the sample file of a language."""
    return next(path for path in (GOLDEN / language).iterdir() if path.stem == "sample")


def described(path: Path) -> dict[str, Any]:
    """Return what is extracted from a sample, in a form that reads well."""
    source = path.read_bytes()
    language = detect(path.name, source)
    assert language is not None, path
    extracted = extract(source, PATHS.get(language.name, f"tests/{path.name}"), language)
    return {
        "symbols": [
            {**symbol._asdict(), "decorators": list(symbol.decorators), "parent": _qualified(extracted, symbol.parent)}
            for symbol in extracted.symbols
        ],
        "references": [_reference(extracted, each) for each in extracted.references],
        "imports": [_import(each) for each in extracted.imports],
        "notes": extracted.notes,
        "package": extracted.package,
    }


def written(content: dict[str, Any]) -> str:
    """Return the text of an expectation: one line for each symbol, reference and import."""
    lists = [
        f' "{name}": ['
        + "".join(f"\n  {json.dumps(row, ensure_ascii=False)}," for row in content[name]).rstrip(",")
        + "\n ]"
        for name in ("symbols", "references", "imports")
    ]
    rest = [f' "{name}": {json.dumps(content[name], ensure_ascii=False)}' for name in ("notes", "package")]
    return "{\n" + ",\n".join(lists + rest) + "\n}\n"


def _qualified(extracted: Extracted, place: int) -> str:
    return extracted.symbols[place].qualified if place >= 0 else ""


def _reference(extracted: Extracted, each: Reference) -> str:
    receiver = f"{each.receiver} | " if each.receiver else ""
    inside = _qualified(extracted, each.inside)
    return f"{each.line}:{each.column} {each.kind} {receiver}{each.name}" + (f" in {inside}" if inside else "")


def _import(each: Import) -> str:
    text = f"{each.line}: {'.' * each.level}{each.module}"
    text += f" name {each.name}" if each.name else ""
    text += f" as {each.alias}" if each.alias else ""
    return text + (" star" if each.star else "")


def main(names: list[str]) -> None:
    for language in LANGUAGES:
        if not names or language.name in names:
            content = written(described(sample(language.name)))
            (GOLDEN / language.name / "expected.json").write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
