"""Concepts of a code snippet, recognised by words.

A concept is an algorithm, a pattern, a technology, a technique or a topic; the last two are too general for links.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

Kind = Literal["algorithm", "pattern", "technology", "technique", "topic"]


class Concept(NamedTuple):
    """A concept: its tag, its kind, the tag of its field, and a pattern of its words."""

    name: str
    kind: Kind
    topic: str
    words: str


def _row(kind: Kind, topic: str, *rows: tuple[str, str]) -> tuple[Concept, ...]:
    return tuple(Concept(name, kind, topic, words) for name, words in rows)


# Patterns match whole words of a text in lower case with identifiers split.
CONCEPTS: tuple[Concept, ...] = (
    *_row(
        "technique",
        "algorithms",
        ("recursion", r"recurs(?:ion|ive|ively)"),
        ("dynamic-programming", r"dynamic programming|memoi[sz]e\w*|memoi[sz]ation|tabulation|dp table|dp"),
    ),
    *_row(
        "algorithm",
        "algorithms",
        ("binary-search", r"binary search|bisect\w*"),
        ("sorting", r"(?:quick|merge|bubble|insertion|heap|counting) ?sort|sorting|sorted by"),
        ("graph-search", r"bfs|dfs|breadth first|depth first|dijkstra|shortest path|topological"),
        ("string-distance", r"levenshtein|edit distance"),
        ("linked-list", r"linked list"),
        ("tree", r"binary tree|inorder|preorder|tree traversal"),
        ("matrix", r"matrix|matrices|transpose"),
    ),
    *_row(
        "pattern",
        "design",
        ("singleton", r"singleton"),
        ("observer", r"observers?|subscribers?|event emitter|publish subscribe|pub sub"),
        ("builder", r"builder"),
        ("strategy", r"strategy pattern"),
        ("decorator", r"decorator pattern"),
        ("dependency-injection", r"dependency injection|inject\w*"),
        ("middleware", r"middleware"),
        ("state-machine", r"state machine|fsm"),
        ("repository", r"repository pattern"),
        ("circuit-breaker", r"circuit breaker"),
    ),
    *_row(
        "pattern",
        "reliability",
        ("retry", r"retry|retries|retrying|back ?off"),
        ("rate-limiting", r"rate limit\w*|throttl\w+|token bucket"),
        ("caching", r"cach(?:e|es|ed|ing)|lru|ttl"),
        ("debounce", r"debounc\w+"),
        ("connection-pool", r"(?:connection|worker|thread) pool"),
        ("batching", r"batch(?:es|ing)?|chunk(?:s|ed|ing)"),
        ("pagination", r"paginat\w+|page size|offset limit"),
    ),
    *_row(
        "technology",
        "web",
        ("react", r"react|use ?state|use ?effect|jsx"),
        ("vue", r"vue"),
        ("angular", r"angular"),
        ("express", r"express"),
        ("flask", r"flask"),
        ("django", r"django"),
        ("fastapi", r"fastapi"),
        ("graphql", r"graphql"),
        ("websocket", r"web ?sockets?"),
        ("spring", r"spring ?boot|springframework"),
    ),
    *_row(
        "technology",
        "database",
        ("redis", r"redis"),
        ("postgresql", r"postgres\w*|psycopg\w*"),
        ("mongodb", r"mongo\w*"),
        ("sqlite", r"sqlite\w*"),
        ("sqlalchemy", r"sqlalchemy"),
        ("elasticsearch", r"elastic ?search"),
    ),
    *_row(
        "technology",
        "infrastructure",
        ("docker", r"docker\w*"),
        ("kubernetes", r"kubernetes|kubectl|k8s"),
        ("kafka", r"kafka"),
        ("terraform", r"terraform"),
        ("s3", r"s3|boto3"),
        ("grpc", r"grpc"),
    ),
    *_row("technology", "data-science", ("pandas", r"pandas"), ("numpy", r"numpy"), ("pytorch", r"torch|pytorch")),
    *_row("technology", "security", ("jwt", r"jwt|json web tokens?"), ("oauth", r"oauth2?")),
    *_row(
        "topic",
        "",
        ("testing", r"pytest|unittest|jest|test case|assert equals?"),
        ("concurrency", r"mutex|goroutines?|threads?|race condition|deadlock"),
        ("async", r"async|await|asyncio|promises?"),
        ("parsing", r"pars(?:e|er|ing)|tokeni[sz]er?"),
        ("validation", r"validat\w+"),
        ("logging", r"logg(?:er|ing)"),
        ("configuration", r"config|configuration|settings"),
        ("file-io", r"read file|write file|fopen|file ?path"),
        ("http", r"https?|fetch|axios|requests"),
        ("sql", r"select|insert into|join"),
        ("json", r"json"),
        ("regex", r"regexp?|re compile"),
        ("dates", r"datetime|timezone|strftime"),
        ("strings", r"substring|split string|reverse string"),
        ("mathematics", r"math\w*|arithmetic"),
        ("authentication", r"auth\w*|login|password"),
        ("performance", r"performance|optimi[sz]\w+|benchmark"),
        ("security", r"sql injection|xss|csrf|sanitiz\w+"),
    ),
)

BY_NAME: dict[str, Concept] = {concept.name: concept for concept in CONCEPTS}

# Names of errors.
ERRORS = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Fault|Panic)|SIGSEGV|segfault|segmentation fault|deadlock|race condition|"
    r"off[- ]by[- ]one|null pointer|nil pointer|use[- ]after[- ]free|memory leak|stack overflow|out of bounds|"
    r"borrow checker|E\d{4}|ECONN\w+|undefined is not a function|N\+1)\b",
    re.IGNORECASE,
)
# Words about a bug.
BUG_WORDS = re.compile(
    r"\b(?:bug|fix(?:es|ed)?|crash(?:es|ed)?|leak(?:s|ed)?|broken|fail(?:s|ed|ure)|regression|workaround|root cause|"
    r"debug(?:ged|ging)?|stack trace|traceback|wrong(?:ly)?|hangs?|stale|off[- ]by[- ]one|deadlocks?|races?)\b",
    re.IGNORECASE,
)
# Words about the next version of something.
STEP_WORDS = re.compile(
    r"\b(?:improv(?:ed|es|ing)|optimi[sz](?:ed|es|ing)|refactor(?:ed|s|ing)?|v\d|version \d|step \d|extend(?:ed|s)|"
    r"next|"
    r"advanced|faster|rewritten|upgraded?|now with|builds on|based on)\b",
    re.IGNORECASE,
)


def concepts(text: str) -> tuple[str, ...]:
    """Return the concepts of a text, in the order of the table; text: lower case, identifiers split."""
    return tuple(concept.name for concept in CONCEPTS if _pattern(concept.words).search(text))


def errors(text: str) -> tuple[str, ...]:
    """Return the errors that a text names, in lower case, without plain `Error` and `Exception`."""
    found = dict.fromkeys(match[0].lower().replace("-", " ") for match in ERRORS.finditer(text))
    return tuple(name for name in found if name not in ("error", "exception"))


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b")
