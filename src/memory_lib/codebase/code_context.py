"""Code context: the question and what the user is working on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class CodeContext:
    """A question about code with its context: current file, recent changes, errors."""

    user_query: str
    current_file: str | None = None
    recent_changes: str | None = None
    errors: str | None = None
    accessed_files: list[str] | None = None
    additional_context: str | None = None


# How each field is called where a model reads it.
LABELS = {
    "user_query": "Query",
    "current_file": "Current file",
    "recent_changes": "Recent changes",
    "errors": "Errors",
    "accessed_files": "Recently accessed files",
    "additional_context": "Additional context",
}


def said(context: CodeContext) -> dict[str, str]:
    """Return the non-empty fields as text, by their label."""
    values = {label: getattr(context, field) for field, label in LABELS.items()}
    return {label: value if isinstance(value, str) else ", ".join(value) for label, value in values.items() if value}


def as_text(context: str | CodeContext) -> str:
    """Return a context as a prompt: one line for each non-empty field."""
    if isinstance(context, str):
        return context
    return "\n".join(f"{label}: {value}" for label, value in said(context).items())


def as_question(context: str | CodeContext) -> str:
    """Return a context as a search query, without labels."""
    return context if isinstance(context, str) else "\n".join(said(context).values())


def query_of(context: str | CodeContext) -> str:
    """Return the question itself."""
    return context if isinstance(context, str) else context.user_query
