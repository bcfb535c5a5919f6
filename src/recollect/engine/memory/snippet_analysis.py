"""Snippet analysis: language, keywords and context of a coding memory, by rules or by a language model.

A coding memory keeps its analysis in its metadata, its context as its title and its language as its category.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from recollect.code.index.languages import BY_NAME as LANGUAGES
from recollect.code.snippets.analyse import Snippet, analyse, one_line
from recollect.code.snippets.concepts import BY_NAME
from recollect.engine.records.memory_rows import CODE
from recollect.errors import BudgetSpent, ConfigError, ModelFailed, StorageError

if TYPE_CHECKING:
    from recollect.engine.models.llm import Language
    from recollect.model import Memory

# A coding memory has the category code/<language>; without a grammar, or for prose, code/other.
OTHER = f"{CODE}other"
CATEGORIES: tuple[str, ...] = (*(f"{CODE}{name}" for name in LANGUAGES), OTHER)
# The metadata field of the analysis.
KEY = "coding"
# Failures of a language model that rules make up for: no answer, wrong settings, a call that cannot be counted.
UNANSWERED = (ModelFailed, ConfigError, StorageError)


def analysed_again(llm: Language, known: Memory, content: str) -> dict[str, Any]:
    """Return the fields of a coding memory that its new content changes; given ones stay.

    Links stay as they are: evolution looks at them again.
    """
    kept, before = analysis(known), snippet_of(known)
    said = given_context(kept)
    former = analyse(known.content, context=said)
    language = before.language if before.language != former.language else ""  # the user named it
    snippet, _ = by_model(llm, content, analyse(content, language=language, context=said), strict=False)
    tags = (*(tag for tag in known.tags if tag not in former.tags), *snippet.tags)
    is_title_made = not said and known.title in (None, kept.get("base"))
    return {
        "title": snippet.context if is_title_made else known.title,
        "tags": tuple(dict.fromkeys(tags)),
        "category": category(snippet.language),
        "metadata": {**known.metadata, KEY: described(snippet, said or snippet.context)},
    }


def given_context(kept: Mapping[str, Any]) -> str:
    """Return the context that a user gave a stored piece; without changes by evolution."""
    context, base = str(kept.get("context") or ""), str(kept.get("base") or "")
    return (context if one_line(context) == base else base) if kept.get("is_given") else ""


def by_model(llm: Language, content: str, snippet: Snippet, *, strict: bool) -> tuple[Snippet, tuple[str, ...]]:
    """Return a snippet as analysed by the language model, or by rules, with a note."""
    if not llm.is_configured:
        return snippet, ()
    from recollect.code.snippets.snippet_prompts import ANALYSIS_TOKENS, analysed, analysis_prompt

    try:
        answer = llm.complete(analysis_prompt(content, snippet), max_tokens=ANALYSIS_TOKENS)
    except UNANSWERED as problem:
        if strict and not isinstance(problem, BudgetSpent):
            raise
        return snippet, (f"analysed by built-in rules: {problem.message}",)
    found, fault = analysed(answer, content, snippet)
    if fault and strict:
        raise ModelFailed(f"{llm.model_id} returned an unusable answer: {fault}", reason=fault)
    return found, (f"analysed by built-in rules: {fault}",) if fault else ()


def category(language: str) -> str:
    """Return the category of a piece in a language."""
    return f"{CODE}{language}" if language in LANGUAGES else OTHER


def described(snippet: Snippet, context: str) -> dict[str, Any]:
    """Return an analysis as metadata; context: the current context, `base`: the one before evolution."""
    return {
        "code_type": snippet.language,
        "context": context,
        "base": snippet.context,
        "keywords": list(snippet.keywords),
        "defines": list(snippet.defines),
        "imports": list(snippet.imports),
        "concepts": list(snippet.concepts),
        "errors": list(snippet.errors),
        "is_fix": snippet.is_fix,
        "is_step": snippet.is_step,
        "is_given": snippet.is_given,
    }


def analysis(memory: Memory) -> dict[str, Any]:
    """Return the stored analysis of a coding memory; empty where that is missing or was overwritten."""
    kept = memory.metadata.get(KEY)
    return kept if isinstance(kept, dict) else {}


def snippet_of(memory: Memory) -> Snippet:
    """Return the analysis of a coding memory; fields missing from its metadata are computed again."""
    kept = analysis(memory)
    if not isinstance(kept.get("keywords"), list):
        language = (memory.category or "").removeprefix(CODE)
        return analyse(memory.content, language=language if language in LANGUAGES else "", context=memory.title or "")
    # Edits of the title or the tags by a user win over the metadata.
    return Snippet(
        language=str(kept.get("code_type") or ""),
        context=memory.title or one_line(str(kept.get("context") or "")),
        keywords=_texts(kept, "keywords"),
        tags=memory.tags,
        defines=_texts(kept, "defines"),
        imports=_texts(kept, "imports"),
        concepts=tuple(name for name in _texts(kept, "concepts") if name in BY_NAME),
        errors=_texts(kept, "errors"),
        is_fix=bool(kept.get("is_fix")),
        is_step=bool(kept.get("is_step")),
        is_given=bool(kept.get("is_given")),
    )


def _texts(kept: Mapping[str, Any], field: str) -> tuple[str, ...]:
    values = kept.get(field)
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()
