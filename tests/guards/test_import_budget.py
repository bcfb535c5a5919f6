"""What starting costs, counted in modules: deterministic where milliseconds are not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# What `typing` and the import system bring along on the supported Pythons; anything else is a new cost at start-up.
IMPORT_RECOLLECT = {
    "__future__", "_collections", "_collections_abc", "_functools", "_operator", "_sre", "_stat", "_types", "_typing",
    "abc", "collections", "contextlib", "copyreg", "enum", "functools", "genericpath", "itertools", "keyword",
    "operator", "os", "posixpath", "re", "recollect", "reprlib", "stat", "types", "typing", "warnings",
}  # fmt: skip
IMPORT_RECOLLECT_MOST = 40

# What a bare interpreter has, and `os`.
HOOK = {
    "__main__", "_abc", "_codecs", "_collections_abc", "_frozen_importlib", "_frozen_importlib_external", "_imp",
    "_io", "_signal", "_stat", "_thread", "_warnings", "_weakref", "abc", "builtins", "codecs", "encodings",
    "genericpath", "hook", "io", "linecache", "marshal", "os", "posix", "posixpath", "stat", "sys", "time", "winreg",
    "zipimport",
}  # fmt: skip
HOOK_MOST = 33

HEAVY = {
    "asyncio", "http", "mcp", "numpy", "onnxruntime", "pydantic", "rich", "sqlite3", "starlette", "Stemmer",
    "tokenizers", "uvicorn",
}  # fmt: skip

DIFFERENCE = """
import sys
before = set(sys.modules)
{statement}
print(*sorted(set(sys.modules) - before))
"""


def loaded(code: str, *flags: str, **environment: str) -> list[str]:
    """Return the module names that `code` prints when a fresh interpreter runs it."""
    command = [sys.executable, *flags, "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True, input="{}", env=environment)
    names = result.stdout.split()
    assert names, "no module was loaded at all: is this guard still looking?"
    return names


def tops(names: list[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def test_importing_recollect_loads_next_to_nothing(root: Path) -> None:
    source = str(root / "src")
    names = loaded(DIFFERENCE.format(statement=f"sys.path.insert(0, {source!r}); import recollect"), "-I", "-S")
    assert {name for name in names if name.startswith("recollect")} == {"recollect", "recollect.version"}
    assert tops(names) - IMPORT_RECOLLECT == set()
    assert len(names) <= IMPORT_RECOLLECT_MOST


def test_importing_recollect_loads_no_third_party_module() -> None:
    names = loaded(DIFFERENCE.format(statement="import recollect"), "-I")
    assert tops(names) - sys.stdlib_module_names == {"recollect"}


def test_the_hook_loads_what_a_bare_interpreter_has_and_os(root: Path, tmp_path: Path) -> None:
    folder = str(root / "src" / "recollect")
    code = f"import sys; sys.path.insert(0, {folder!r}); import hook; hook.main(['Stop']); print(*sys.modules)"
    names = loaded(code, "-I", "-S", RECOLLECT_HOME=str(tmp_path))
    assert len(list((tmp_path / "spool" / "new").iterdir())) == 1
    assert {name for name in tops(names) if not name.startswith("encodings")} - HOOK == set()
    assert len(names) <= HOOK_MOST


@pytest.mark.parametrize("module", ["recollect.surface.mcp.stdio", "recollect.surface.cli", "recollect.operations"])
def test_starting_a_surface_loads_nothing_heavy(module: str) -> None:
    """A server that is slow to start loses its client; what a request needs is loaded by the request."""
    names = loaded(DIFFERENCE.format(statement=f"import {module}"), "-I")
    assert module in names
    assert tops(names) & HEAVY == set()


def test_a_glance_at_the_database_loads_no_engine() -> None:
    """A prompt waits for it: nothing that takes longer to load than the answer takes to find."""
    names = loaded(DIFFERENCE.format(statement="import recollect.engine.hook_responses.prompt_fast_path"), "-I")
    assert "recollect.engine.hook_responses.prompt_fast_path" in names
    assert tops(names) & (HEAVY - {"sqlite3", "Stemmer"} | {"msgspec", "hashlib", "logging", "inspect"}) == set()
    assert {"recollect.engine.root", "recollect.model", "recollect.store.store_values"} & set(names) == set()


def test_asking_a_server_loads_one_module_more_than_capturing(root: Path, tmp_path: Path) -> None:
    """Nobody listens here; what would be loaded to answer without a server is left out."""
    folder = str(root / "src" / "recollect")
    code = (
        f"import sys; sys.path.insert(0, {folder!r}); import hook, ask; ask.by_ourselves = lambda *words: b''\n"
        "hook.main(['Stop', 'claude', 'prompt'])\n"
        "try: ask.exchange('/nowhere', b'', ask.time.monotonic() + 1)\n"
        "except OSError: print(*sys.modules)"
    )
    names = loaded(code, "-I", "-S", RECOLLECT_HOME=str(tmp_path))
    assert "_socket" in names
    assert {name for name in tops(names) if not name.startswith("encodings")} - HOOK == {"ask", "_socket"}


def test_a_glance_loads_no_engine(tmp_path: Path) -> None:
    """The answer to a prompt without a server has a tenth of a second in all."""
    code = (
        "import sys; from recollect.surface.hooks.hook_output import by_fast_path\n"
        f"by_fast_path(b'{{}}', {str(tmp_path)!r}, 'UserPromptSubmit', 'claude'); print(*sys.modules)"
    )
    names = loaded(code, "-I")
    assert "recollect.engine.hook_responses.prompt_fast_path" in names
    assert tops(names) & (HEAVY - {"sqlite3", "Stemmer"} | {"msgspec", "typing_extensions", "inspect"}) == set()
    assert "recollect.engine.root" not in names
