"""Relations: what other programs call the links between memories, in the words of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from recollect.model import RELATIONS, Relation

# What means the same in every program that uses the word; all others are related, and keep their own word.
SAME: Mapping[str, Relation] = {
    "RELATED": "RELATES_TO",
    "RELATED_TO": "RELATES_TO",
    "LINKS_TO": "RELATES_TO",
    "CAUSES": "LEADS_TO",
    "CAUSED": "LEADS_TO",
    "REQUIRES": "DEPENDS_ON",
    "SUPPORTS": "REINFORCES",
    "REPLACES": "SUPERSEDES",
    "FOLLOWS": "PRECEDED_BY",
    "INHERITS_FROM": "INHERITS",
    "BELONGS_TO": "PART_OF",
    "SIMILAR": "SIMILAR_TO",
    "SEMANTIC": "SIMILAR_TO",
    "DOCUMENTS": "EXPLAINS",
    "BASED_ON": "DERIVED_FROM",
}


def relation(name: str) -> Relation:
    """Return the relationship that a name means, however it is spelt; RELATES_TO where it is none of ours."""
    spelt = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    word = re.sub(r"[\W_]+", "_", spelt).strip("_").upper()
    return cast(Relation, word) if word in RELATIONS else SAME.get(word, "RELATES_TO")
