"""Texts with planted secrets, and texts without any that look alike.

A value is made of random characters by its grammar, so none is real. `<a36>` are 36 letters and digits; the other
letters are in ALPHABETS. `{…}` in a text marks the secret. The corpus is in bench/redaction_corpus:

    assigned.txt    kind, the name it is assigned to, grammar        prefixed.txt   kind, grammar with a known prefix
    whole.json      kind → text with a secret                        held_out.json  the same; see `held_out`
    benign.txt      lines that some rule might take for a secret     benign_grammars.txt   hashes, ids, lock files
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

_LETTERS = string.ascii_letters + string.digits
ALPHABETS = {
    "a": _LETTERS,
    "w": _LETTERS + "_-",
    "b": _LETTERS + "+/",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "q": string.ascii_uppercase + "234567",
    "h": "0123456789abcdef",
    "d": string.digits,
    "z": string.ascii_lowercase,
    "s": "!@#%^*+?~",
}
CORPUS = Path(__file__).parent / "redaction_corpus"
# How many lines each grammar of a benign line makes.
EACH = 30
_PART = re.compile(r"<([a-z])(\d+)>")
# Between the literals that a secret is split over.
_LITERALS = re.compile(r"[\"'] *[+.]? *[\"']")


class Kind(NamedTuple):
    """A kind of secret: its name, the name it is assigned to, and its grammar."""

    name: str
    key: str
    grammar: str


def _rows(name: str) -> list[list[str]]:
    return [line.split() for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def _texts(name: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((CORPUS / name).read_text(encoding="utf-8"))
    return found


ASSIGNED = tuple(Kind(*row) for row in _rows("assigned.txt"))
# Their prefix identifies them; the name they are assigned to does not.
PREFIXED = tuple(Kind(name, "EXTRA", grammar) for name, grammar in _rows("prefixed.txt"))
WHOLE = _texts("whole.json")


class Planted(NamedTuple):
    """A text with a secret in it, the parts that must not remain, and where it came from."""

    text: str
    secrets: tuple[str, ...]
    kind: str
    context: str


def value(grammar: str, rng: random.Random) -> str:
    """Return a random value by its grammar."""
    return _PART.sub(lambda part: "".join(rng.choices(ALPHABETS[part[1]], k=int(part[2]))), grammar)


def camel(key: str) -> str:
    """Return the name as JSON and JavaScript write it."""
    first, *rest = key.lower().split("_")
    return first + "".join(map(str.capitalize, rest))


# An assigned value in the texts of a working day.
_ASSIGNED: dict[str, Callable[[str, str], str]] = {
    "json": lambda key, it: json.dumps({"id": 7, camel(key): it, "retries": 3}),
    "nested json": lambda key, it: json.dumps({"tool_input": {"content": json.dumps({key.lower(): it})}}),
    "env": lambda key, it: f"# production\nPORT=8080\n{key}={it}\nDEBUG=false\n",
    "shell": lambda key, it: f'cd app && export {key}="{it}" && make deploy',
    "docker": lambda key, it: f"docker run --rm -e {key}={it} -p 80:80 app:latest",
    "python": lambda key, it: f'client = Client(region="eu", {key.lower()}="{it}", timeout=3)',
    "javascript": lambda key, it: f"const client = new Client({{ region: 'eu', {camel(key)}: '{it}' }});",
    "go": lambda key, it: f'\t{camel(key)} := "{it}"',
    "yaml": lambda key, it: f"service:\n  region: eu\n  {key.lower()}: {it}\n  replicas: 2\n",
    "toml": lambda key, it: f'[service]\n{key.lower()} = "{it}"\nport = 80\n',
    "terraform": lambda key, it: f'variable "x" {{}}\n  {key.lower()}    = "{it}"\n',
    "log": lambda key, it: f"2026-05-08 13:56:01 ERROR request failed {key.lower()}={it} status=401",
    "markdown": lambda key, it: f"- the {key.replace('_', ' ').lower()} is `{it}` for now",
    "php": lambda key, it: f"define('{key}', '{it}');",
    "powershell": lambda key, it: f'$env:{key} = "{it}"\nInvoke-Build',
    "listing": lambda key, it: json.dumps({"content": f"     1\u2192PORT=80\n     2\u2192{key}={it}\n     3\u2192X=1"}),
    "diff": lambda key, it: f"@@ -1,2 +1,3 @@\n PORT=80\n+{key}={it}\n-X=1\n",
    "search": lambda key, it: f"deploy/.env:12:{key}={it}\ndeploy/.env:13:X=1\n",
    "properties": lambda key, it: f"app.port=80\napp.{key.lower()}={it}\napp.x=1\n",
    "form": lambda key, it: f"{key.lower()}={quote(it, safe='')}&grant_type=x",
    "escaped": lambda key, it: json.dumps({"stdout": f"ok\n{key}={it}\n{key.lower()}: {it}\n"}),
    "arguments": lambda key, it: json.dumps(["deploy", f"--{key.lower().replace('_', '-')}", it, "--verbose"]),
    "pair": lambda key, it: json.dumps({"env": [{"name": key, "value": it}]}),
    "environment": lambda key, it: f'os.environ["{key}"] = "{it}"',
    "traceback": lambda key, it: f"  File \"a.py\", line 3, in f\n    connect({key.lower()}='{it}')\nValueError: no",
    "url": lambda key, it: f"GET https://api.example.com/v1/items?{key.lower()}={quote(it, safe='')}&page=2 200",
}

# Those that several lines tell; in one line with escaped breaks they are something else.
BY_LINES = frozenset(
    """terraform-variable cloudformation value-first-yaml yaml-below yaml-block yaml-folded continued
    split-adjacent markdown-table csv tsv kubernetes redis-conf netrc-lines value-first arm-parameter
    node-default shell-default rust-default python-default python-or ruby-default php-default kotlin-default
    click-default setter snake-setter builder credentials-call basic-auth-call insert insert-rows split-plus
    split-php split-key passphrase password-phrase mnemonic""".split()
)
ENCODED: dict[str, Callable[[str], str]] = {
    "plain": lambda text: base64.b64encode(text.encode()).decode(),
    "utf-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "several": lambda text: base64.b64encode(f"HOST=db1\n{text}\nPORT=5432\n".encode()).decode(),
}


def _json(it: object) -> str:
    return json.dumps(it, ensure_ascii=False)


# A text that is secret in part, in what carries it.
_WHOLE: dict[str, Callable[[str], str]] = {
    "plain": lambda it: it,
    "json": lambda it: _json({"tool_name": "Bash", "tool_response": {"stdout": f"ok\n{it}\n", "code": 0}}),
    "json line": lambda it: _json({"content": it}),
    "nested json": lambda it: _json({"line": _json({"text": it})}),
    "log": lambda it: f"2026-05-08 13:56:01 INFO starting\n{it}\n2026-05-08 13:56:02 INFO done",
    "markdown": lambda it: f"Run this:\n\n```\n{it}\n```\n\nand wait.",
    "comment": lambda it: "".join(f"# {line}\n" for line in it.split("\n")) + "def main(): ...\n",
}


def planted(seed: int, rounds: int = 3) -> Iterator[Planted]:
    """Yield every kind in every context, `rounds` times with other values."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for kind in (*ASSIGNED, *PREFIXED):
            for context, write in _ASSIGNED.items():
                it = value(kind.grammar, rng)
                yield Planted(write(kind.key, it), parts_of(it), kind.name, context)
        for name, grammar in WHOLE.items():
            for context, carry in _WHOLE.items():
                if name in BY_LINES and context not in ("plain", "markdown"):
                    continue
                text, hidden = hidden_in(value(grammar, rng))
                yield Planted(carry(text), parts_of(hidden), name, context)
        for context, encode in ENCODED.items():
            it = value("<z6><d3>", rng)
            hidden = encode(f"DB_PASSWORD={it}")
            yield Planted(f"echo {hidden} | base64 -d", (hidden,), "base64", context)


def hidden_in(text: str) -> tuple[str, str]:
    """Return a text without its braces, and what stood in them; doubled ones are braces of the text."""
    text = text.replace("{{", "\0").replace("}}", "\1")
    start, end = text.index("{"), text.rindex("}")
    hidden = text[start + 1 : end]
    plain = text[:start] + hidden + text[end + 1 :]
    return plain.replace("\0", "{").replace("\1", "}"), hidden


def parts_of(secret: str) -> tuple[str, ...]:
    """Return what must not remain: of an address the path, of several lines each, of anything long its halves too."""
    if secret.startswith("https://"):
        secret = secret.rsplit("/", 1)[1]
    lines = [part for line in secret.split("\n") for part in _LITERALS.split(line) if len(part) > 5]
    halves = [half for line in lines if len(line) >= 24 for half in (line[: len(line) // 2], line[len(line) // 2 :])]
    return (*lines, *halves)


def held_out(seed: int, rounds: int) -> Iterator[Planted]:
    """Yield every held-out snippet, `rounds` times with other values.

    The rules were written with `planted`. These snippets came later: each is a part of a real kind of file or message
    (a compose file, a stack trace, a chat, a runbook) and shares no sentence or syntax with the others. ADR 13 lists
    the misses of the first run.
    """
    rng = random.Random(seed)
    for _ in range(rounds):
        for name, text in _texts("held_out.json").items():
            if "{b64}" in text:
                encoded = base64.b64encode(value("API_TOKEN=<a32>", rng).encode()).decode()
                text = text.replace("{b64}", f"{{{encoded}}}")
            plain, hidden = hidden_in(value(text, rng))
            yield Planted(plain, parts_of(hidden), name, "held out")


def benign(seed: int) -> Iterator[str]:
    """Yield lines without a secret: those written by hand, then those of grammars."""
    rng = random.Random(seed)
    yield from (CORPUS / "benign.txt").read_text(encoding="utf-8").splitlines()
    for grammar in (CORPUS / "benign_grammars.txt").read_text(encoding="utf-8").splitlines():
        for _ in range(EACH):
            yield value(grammar, rng)
