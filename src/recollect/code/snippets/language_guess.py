"""Guess the language of a code snippet without a file name.

Each language has patterns with weights; the language with the most points wins, if it has enough.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from recollect.code.index.languages import BY_EXTENSION, BY_NAME, detect

# Other names of languages.
CALLED: Mapping[str, str] = {
    "js": "javascript", "node": "javascript", "nodejs": "javascript", "jsx": "javascript", "ts": "typescript",
    "py": "python", "python3": "python", "golang": "go", "c++": "cpp", "cxx": "cpp", "c#": "csharp", "cs": "csharp",
    "rb": "ruby", "rs": "rust", "kt": "kotlin", "sh": "bash", "shell": "bash", "zsh": "bash", "hs": "haskell",
    "ex": "elixir", "md": "markdown", "yml": "yaml", "postgresql": "sql", "mysql": "sql", "sqlite": "sql",
    "objective-c": "c",
}  # fmt: skip

TYPED = "string|number|boolean|void|unknown|any"

# Weights: 3 for patterns of no other language, 2 of hardly any other, 1 of some others. Every pattern counts once.
SIGNS: Mapping[str, tuple[tuple[int, str], ...]] = {
    "python": (
        (3, r"^[^\S\n]*+(?:async )?def \w+\(.*\)(?: ?->[^:\n]{1,200})?:"),
        (3, r"^[^\S\n]*+from [\w.]+ import "),
        (2, r"^[^\S\n]*+elif .*:\s*$"),
        (2, r"^[^\S\n]*+except\b.*:\s*$"),
        (2, r"^[^\S\n]*+class \w+(?:\([\w., =]*\))?:\s*$"),
        (1, r"\bself\.\w"),
        (2, r"^[^\S\n]*+(?>for .*? in|if|while|with) .*:\s*$"),
        (1, r"\bNone\b|\bTrue\b|\bFalse\b"),
        (2, r"\bprint\(|\blen\("),
        (1, r"^import [\w.]+(?: as \w+)?\s*$"),
        (2, r"^[^\S\n]*+@\w[\w.]*(?:\(.*\))?[^\S\n]*+\n\s*+(?:async )?def "),
    ),
    "javascript": (
        (3, r"\bfunction\s*+\*?+\s*+\w*+\s*+\([^():$]*+\)\s*+\{"),
        (2, r"\b(?:const|let|var) [\w{}\[\], ]{1,200} = "),
        (2, r"=>"),
        (2, r"\bconsole\.\w+\("),
        (3, r"\brequire\(['\"]"),
        (3, r"\bmodule\.exports\b"),
        (2, r"===|!=="),
        (2, r"^[^\S\n]*+import .* from ['\"]"),
        (1, r"\bexport (?:default|const|function|class|async)\b"),
        (1, r"\bnew Promise\(|\bawait "),
        (1, r"\bundefined\b"),
        (1, r"\bMath\.\w+\("),
    ),
    "typescript": (
        (3, rf"\b(?:const|let|function)\b[^\n=]{0, 200}\w\??: (?:{TYPED}|Promise<|Record<|Map<|\w+\[\])"),
        (3, r"^[^\S\n]*+(?:export )?interface \w+(?:<[^>]{1,200}>)?(?: extends [\w, <>]{1,200})? \{"),
        (3, r"^[^\S\n]*+(?:export )?type \w+(?:<[^>]{1,200}>)? = "),
        (2, rf"\)\s*:\s*(?:{TYPED}|Promise<[^>]{0, 200}>|\w+\[\])\s*(?:=>|\{{)"),
        (2, r"\bas (?:const|unknown|any|string)\b"),
        (2, r"\b(?:private|public|readonly) \w+\??:"),
        (2, r"\(\w+\??: (?:string|number|boolean|\w+\[\])"),
        (1, r"=>"),
        (1, r"\b(?:const|let) \w+"),
        (1, r"\bexport (?:default|const|function|class|async)\b"),
        (1, r"==="),
    ),
    "java": (
        (3, r"\bpublic static void main\("),
        (3, r"\bSystem\.out\.print"),
        (3, r"^[^\S\n]*+import (?:static )?java[x]?\."),
        (
            2,
            (
                r"\b(?:public|private|protected) (?:static |final )*[\w<>\[\], ?]{1,200} \w{1,99}"
                r"\([^)]{0,400}\)\s*+(?:throws [\w, ]++)?+\s*+\{"
            ),
        ),
        (2, r"\bpublic (?:final |abstract )?class \w+"),
        (2, r"@Override\b"),
        (2, r"\b(?:int|long|String|double|char)\[\] \w+[,)]"),
        (2, r"\bnew (?:ArrayList|HashMap|HashSet|LinkedList|StringBuilder)\b"),
        (1, r"\b(?:int|long|boolean|String)(?:\[\])? \w+ = "),
        (1, r"\bfinal \w+"),
        (1, r"\bthrow new \w+\("),
        (1, r"^[^\S\n]*+package [\w.]+;"),
        (2, r"\bstatic (?:int|long|boolean|void|String|List<)[\w<>\[\]]* \w+\("),
    ),
    "go": (
        (3, r"^package \w+\s*$"),
        (3, r":="),
        (3, r"^func (?:\(\w+ \*?\w+(?:\[\w+\])?\) )?\w+(?:\[[^\]]{1,200}\])?\([^)]{0,400}\)"),
        (2, r"\bif err != nil\b"),
        (2, r"\bfmt\.\w+\("),
        (2, r"\bgo func\(|\bchan \w|\bdefer \w"),
        (2, r"^type \w+ (?:struct|interface) \{"),
        (2, r"\[\]\w+\{|map\[\w+\]\w+"),
        (1, r"\bfor _, "),
        (1, r"\bnil\b"),
    ),
    "rust": (
        (3, r"\bfn \w+(?:<[^>]{0,200}>)?\([^)]{0,400}\)(?: (?:->|where) [^{]{1,400}| )\{"),
        (3, r"\blet mut \w"),
        (2, r"\bimpl(?:<[^>]{0,200}>)? "),
        (3, r"\b\w+!\("),
        (2, r"&mut \w|&self\b|&str\b"),
        (2, r"\bmatch [^{]{1,200} \{"),
        (2, r"\b(?:Some|Ok|Err)\("),
        (2, r"\bpub (?:fn|struct|enum)\b"),
        (2, r"^[^\S\n]*+use (?:std|crate|\w+)::"),
        (2, r"\.unwrap\(\)|\?;"),
        (1, r"\bVec<|\bOption<|\bResult<"),
        (1, r"^[^\S\n]*+#\[\w+"),
    ),
    "c": (
        (3, r"^[^\S\n]*+#\s*include\s*[<\"]\w+(?:/\w+)*\.h[>\"]"),
        (3, r"\b(?:malloc|free|printf|strlen|memcpy|sizeof)\s*\("),
        (2, r"\bint main\s*\("),
        (
            2,
            (
                r"^(?:static |const |unsigned )*(?:int|void|char|size_t|double|long|bool)"
                r"\s*+\*?+\s*+\w++\s*+\([^)]{0,400}\)\s*+\{"
            ),
        ),
        (2, r"\w->\w"),
        (2, r"\bstruct \w++ ?+\*?\w*+ ?[{;]"),
        (1, r"\bNULL\b"),
        (1, r"^[^\S\n]*+#\s*define \w+"),
        (1, r"\bint \w+\s*(?:=|;|\[)"),
    ),
    "cpp": (
        (3, r"\bstd::\w+"),
        (3, r"^[^\S\n]*+#\s*include\s*<\w+>\s*$"),
        (2, r"\btemplate\s*<"),
        (2, r"\bcout\s*<<|\bcin\s*>>"),
        (2, r"\busing namespace \w+;"),
        (2, r"\bauto [&*]?\w+ = "),
        (1, r"\bnullptr\b"),
        (1, r"\bconst \w+& \w+"),
        (1, r"\bclass \w+ (?:: public \w+ )?\{"),
        (1, r"\bint \w+\s*(?:=|;|\[)"),
    ),
    "csharp": (
        (3, r"^[^\S\n]*+using System(?:\.[\w.]+)?;"),
        (3, r"\bConsole\.Write"),
        (3, r"^[^\S\n]*+namespace [\w.]+"),
        (2, r"\bpublic (?:static |async |override |virtual )*[\w<>\[\]?]+ [A-Z]\w*\("),
        (2, r"\{ get; (?:private )?(?:set|init); \}"),
        (1, r"\bvar \w+ = new "),
        (1, r"\bstring\b"),
        (1, r"\bnew (?:List|Dictionary|HashSet)<"),
        (2, r"\bforeach \(var "),
    ),
    "ruby": (
        (3, r"^[^\S\n]*+def \w+[?!]?(?:\([^)]{0,400}\))?\s*$"),
        (2, r"^[^\S\n]*+end\s*$"),
        (2, r"\bdo \|\w"),
        (2, r"\bputs\b"),
        (2, r"\.each\b|\.map \{ \|"),
        (2, r"^[^\S\n]*+require ['\"]"),
        (1, r"@\w+ = "),
        (1, r"\bnil\b"),
        (2, r"\.nil\?|\.empty\?|unless "),
        (2, r"^[^\S\n]*+(?:module|class) [A-Z]\w*(?: < \w[\w:]*)?\s*$"),
        (1, r"\battr_\w+ :"),
        (2, r"\brescue\b"),
    ),
    "php": (
        (3, r"<\?php"),
        (3, r"\$\w+ = "),
        (2, r"\bfunction \w+\([^)]{0,400}\$"),
        (2, r"\$this->"),
        (1, r"\becho\b"),
        (1, r"\barray\("),
    ),
    "kotlin": (
        (3, r"\bfun \w+\([^)]{0,400}\)(?:: [\w<>?]+)?\s*+[={]"),
        (2, r"\bval \w+(?:: [\w<>?]+)? = "),
        (2, r"\bdata class \w+\("),
        (1, r"\bvar \w+(?:: \w+)? = "),
        (2, r"\bprintln\("),
        (1, r"\?\.\w|\?: "),
        (2, r"\bwhen \("),
    ),
    "swift": (
        (3, r"\bfunc \w+(?:<[^>]{1,200}>)?\([^)]{0,400}\)(?: (?:throws )?-> [\w\[\]?:<> ]{1,200})? \{"),
        (2, r"\bguard (?:let|var) "),
        (2, r"\bif let \w+"),
        (2, r"\blet \w+(?:: \w+)? = "),
        (2, r"\bimport (?:Foundation|UIKit|SwiftUI)\b"),
        (1, r"\bvar \w+: \w+"),
        (1, r"\bnil\b"),
    ),
    "bash": (
        (3, r"\A#!.*\b(?:ba|z)?sh\b"),
        (2, r"^[^\S\n]*+(?:if|elif) \[\[? .* \]\]?; ?then"),
        (2, r"^[^\S\n]*+(?:fi|done|esac)\s*$"),
        (2, r"\$\{\w[^{}]*+\}|\$\(\w"),
        (2, r"\becho [\"'$]"),
        (2, r"^[^\S\n]*+(?:export|local) \w+="),
        (1, r"^[^\S\n]*+(?:sudo|apt|cd|grep|curl|git|docker|chmod|mkdir) "),
        (2, r"^[^\S\n]*+\w+\(\) \{"),
        (1, r"^[^\S\n]*+set -\w+"),
    ),
    "sql": (
        (3, r"(?i)^[^\S\n]*+select\b[\s\S]{1,1000}?\bfrom\b"),
        (3, r"(?i)^[^\S\n]*+insert into \w"),
        (3, r"(?i)^[^\S\n]*+create (?:unique )?(?:table|index|view|or replace)\b"),
        (3, r"(?i)^[^\S\n]*+(?:update \w+ set|alter table|delete from)\b"),
        (1, r"(?i)\b(?:left |inner )?join \w+ (?:\w+ )?on\b"),
        (1, r"(?i)\bwhere\b"),
        (3, r"(?i)^[^\S\n]*+with \w+ as \("),
    ),
    "html": ((3, r"(?i)<!doctype html|<html\b"), (3, r"<(?:div|span|body|head|script|ul|table|form|button)\b[^<>]*+>")),
    "css": ((3, r"^[.#]?[\w-][ ,:>.#\w-]*+\{[^\S\n]*+\n\s*+[\w-]++:\s*+[^;{}]++;"), (2, r"@media\b|@import\b")),
    "json": ((4, r"\A\s*[\[{]\s*(?:\"[^\"]+\"\s*:|\{)[\s\S]*[\]}]\s*\Z"),),
    "yaml": ((3, r"\A(?:---\n|[\w-]+:(?: [^\n{;]*)?\n(?:  ?- |  [\w-]+:|[\w-]+: ))"), (1, r"^[^\S\n]+- \w+")),
    "toml": ((3, r"^\[[\w.\-\"]+\]\s*$"), (2, r"^[\w-]+ = (?:\"|\[|\d|true|false)")),
}

# Points that a snippet needs to count as code.
ENOUGH = 3
# Characters that are examined.
LOOKED_AT = 20_000

_FENCE = re.compile(r"^[^\S\n]*+```([\w+#.-]++)[^\n]*+\n", re.MULTILINE)


def named(language: str) -> str:
    """Return our name of a language; an unknown one in lower case."""
    lowered = language.strip().lower()
    if lowered in BY_NAME:
        return lowered
    if lowered in CALLED:
        return CALLED[lowered]
    found = BY_EXTENSION.get(lowered if lowered.startswith(".") else f".{lowered}")
    return found.name if found else lowered


def recognise(text: str) -> str:
    """Return the language of a text, or of the first fence in it; empty for prose."""
    head = text[:LOOKED_AT]
    fenced = _FENCE.search(head)
    if fenced and (name := named(fenced[1])) in BY_NAME:
        return name
    by_shebang = detect("", head.encode("utf-8", "replace")) if head.startswith("#!") else None
    if by_shebang is not None:
        return by_shebang.name
    points = {
        language: sum(weight for weight, sign in signs if re.search(sign, head, re.MULTILINE))
        for language, signs in SIGNS.items()
    }
    best = max(points, key=lambda language: points[language])
    return best if points[best] >= ENOUGH else ""
