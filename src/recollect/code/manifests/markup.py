"""XML of strangers: elements by their plain names, without anything that could grow or lead elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def parsed(source: str) -> Element:
    """Return the root of a document. Raises ValueError for one with a document type, or that is none.

    Entities are declared in a document type: without one nothing can be expanded and no file or address is named.
    """
    from xml.etree import ElementTree

    if "<!DOCTYPE" in source or "<!ENTITY" in source:
        raise ValueError("it has a document type declaration, which is not supported")
    try:
        # The text was decoded already; what it says about its encoding may be wrong by now.
        return ElementTree.fromstring(source.lstrip("\ufeff \t\r\n"))  # noqa: S314 - no entities, see above
    except ElementTree.ParseError as problem:
        raise ValueError(f"not XML: {problem}") from None


def plain(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children(element: Element | None, *path: str) -> Iterator[Element]:
    """Yield the elements at the end of a path of names; none leads nowhere."""
    if element is None:
        return
    first, *rest = path
    for child in element:
        if plain(child) == first:
            if rest:
                yield from children(child, *rest)
            else:
                yield child


def word(element: Element | None, *path: str) -> str:
    """Return the text of the first element at the end of a path, without blanks around it; empty if there is none."""
    found = next(children(element, *path), None)
    return (found.text or "").strip() if found is not None else ""
