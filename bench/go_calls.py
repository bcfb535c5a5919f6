"""Calls of Go code: how many of those that Go's own type checker knows the index knows too, and how many are wrong.

    python bench/go_calls.py --packages text/template,encoding/json

Needs `go` and `callgraph` of golang.org/x/tools (Debian: golang-go, golang-golang-x-tools). The code is Go's standard
library: it is there wherever Go is, and its packages need nothing else. Recall is that of direct calls
(`-algo=static`). An edge of the index is wrong if no analysis allows it (`-algo=cha`: every implementation of an
interface). A call in a function literal counts for the function around it, one of an interface's method for nobody.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from measure import publish

# Each is a few thousand lines of ordinary code: formats, parsing, files.
PACKAGES = ",".join((
    "text/template", "text/template/parse", "encoding/json", "archive/tar", "archive/zip", "go/scanner", "go/parser",
    "go/printer", "mime/multipart",
))  # fmt: skip
FORMAT = "{{.Filename}}|{{.Caller}}|{{.Callee}}"
_METHOD = re.compile(r"\(\*?(?P<package>[\w/.-]+)\.(?P<owner>\w+)\)\.(?P<name>\w+)(?:\$[\w$]+)?")
_FUNCTION = re.compile(r"(?P<package>[\w/.-]+)\.(?P<name>\w+)(?:\$[\w$]+)?")

# A type that is converted to, or made, is no function.
CODE = ("Function", "Method", "Test", "Endpoint")

# A function: its package, and its name with its type.
Function = tuple[str, str]
Calls = dict[tuple[str, Function], set[Function]]


def calls_of(packages: list[str], algorithm: str) -> Calls:
    """Return the calls between functions of some packages, by file and caller."""
    environment = {**os.environ, "GO111MODULE": "auto", "GOPROXY": "off", "GOFLAGS": ""}
    command = ["callgraph", f"-algo={algorithm}", "-format", FORMAT, *packages]
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    found: Calls = defaultdict(set)
    for line in out.splitlines():
        file, *ends = line.split("|")
        caller, callee = (_function(end, packages) for end in ends)
        if caller and callee and caller != callee and "/src/" in file:
            found[f"{caller[0]}/{file.rpartition('/')[2]}", caller].add(callee)
    return found


def _function(text: str, packages: list[str]) -> Function | None:
    """Return a function as we name it; None for one of another package, or one that the analysis made."""
    match = _METHOD.fullmatch(text) or _FUNCTION.fullmatch(text)
    if match is None or match["package"] not in packages:
        return None
    owner = match.groupdict().get("owner")
    if match["name"] == "init" and not owner:
        return None
    return match["package"], f"{owner}.{match['name']}" if owner else match["name"]


def copied(packages: list[str], target: Path) -> set[Function]:
    """Copy packages into a module, so that they import each other from there; returns their interfaces."""
    interfaces = set()
    go = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
    (target / "go.mod").write_text("module std\n\ngo 1.19\n", encoding="utf-8")
    for package in packages:
        (target / package).mkdir(parents=True, exist_ok=True)
        for file in sorted((Path(go) / "src" / package).glob("*.go")):
            if not file.name.endswith("_test.go"):
                text = re.sub(
                    rf'"({"|".join(map(re.escape, packages))})"', r'"std/\1"', file.read_text(encoding="utf-8")
                )
                (target / package / file.name).write_text(text, encoding="utf-8")
                interfaces |= {(package, name) for name in re.findall(r"^type (\w+) interface\b", text, re.MULTILINE)}
    return interfaces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", default=PACKAGES, help="packages of the standard library, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="print what was missed and what was wrong")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    options = parser.parse_args()
    if not (shutil.which("go") and shutil.which("callgraph")):
        sys.exit("go and callgraph are needed; on Debian: apt install golang-go golang-golang-x-tools")
    from recollect import Engine, NotFound

    packages = options.packages.split(",")
    wanted, allowed = calls_of(packages, "static"), calls_of(packages, "cha")
    rows = {package: {"calls": 0, "found": 0, "edges": 0, "wrong": 0} for package in packages}
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as home,
        Engine(home=home, embed_provider="off") as engine,
    ):
        interfaces = copied(packages, Path(folder))
        engine.code.index(folder)
        for (file, caller), callees in sorted(wanted.items()):
            try:
                answer = engine.links.dependencies(f"{file}::{caller[1]}", relationships=("CALLS",), limit=1000)
            except NotFound:
                continue
            used = [use.node for use in answer.uses if use.node.path and use.node.kind in CODE]
            told = {(node.path.rpartition("/")[0], node.label) for node in used}
            told = {one for one in told if (one[0], one[1].partition(".")[0]) not in interfaces}
            wrong = {one for one in told - callees if one not in allowed[file, caller]}
            row = rows[caller[0]]
            row["calls"] += len(callees)
            row["found"] += len(callees & told)
            row["edges"] += len(told)
            row["wrong"] += len(wrong)
            if options.verbose:
                for word, functions in (("missed", callees - told), ("wrong", wrong)):
                    print(*(f"{word} {file} {caller[1]} -> {'.'.join(one)}" for one in sorted(functions)), sep="\n")
    total = {key: sum(row[key] for row in rows.values()) for key in ("calls", "found", "edges", "wrong")}
    shares = {
        "recall": total["found"] / max(total["calls"], 1),
        "precision": 1 - total["wrong"] / max(total["edges"], 1),
    }
    result = {"total": {**total, **{name: round(share, 4) for name, share in shares.items()}}, "packages": rows}
    publish("go-calls", result, save=options.save)


if __name__ == "__main__":
    main()
