"""A file says what it is for in its first sentence, or does not."""

from __future__ import annotations

import pytest

from recollect.capture.extract.file_tools import purpose


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", '"""Prices. And more."""\nx = 1\n', "Prices."),
        ("a.py", '#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n"""Prices"""\n', "Prices"),
        ("a.py", "# Copyright 2020 Somebody\n# Licensed\n\n# Prices of the shop.\nimport os\n", "Prices of the shop."),
        ("a.go", "// Package price knows prices.\n// It is small.\npackage price\n", "Package price knows prices."),
        ("a.js", "/**\n * Prices of\n * the shop.\n */\nexport {}\n", "Prices of the shop."),
        ("a.md", "# Taxes\n\nThey were raised.\n", "Taxes"),
        ("a.html", "<!-- The front page. -->\n<html>", "The front page."),
        ("a.py", "import os\n\n# later\n", ""),
        ("a.c", "#include <stdio.h>\n", ""),
        ("a.py", "", ""),
    ],
)  # fmt: skip
def test_the_first_sentence_is_the_purpose(path: str, text: str, expected: str) -> None:
    assert purpose(path, text) == expected
