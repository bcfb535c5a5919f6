"""Front end of all other languages, and of files that Python cannot parse: what queries find, as a program.

    symbols      → scopes; a type's members belong to it, a namespace's also to the file
    references   → calls, bases, uses; `a.b.c()` is a chain of members, `this` and `super` are words of the language
    imports      → imports, in the words of `modules`
    signatures   → types of parameters and of what is returned, where the language writes them
    the lines    → types of fields and of local variables, and which variable the result of a call is given to

Values are hardly followed from variable to variable, so more stays unresolved. A row of RULES describes a language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from recollect.code.index.captures import holders
from recollect.code.index.languages import Language
from recollect.code.index.page import Page
from recollect.code.index.symbols import Extracted, Reference, Symbol
from recollect.code.index.symbols import Import as Imported
from recollect.code.links import program as ir
from recollect.code.links.library_table import ELEMENT
from recollect.code.links.line_types import assigned_variable, second_names, typed, variables
from recollect.code.links.signature_types import first_result, parameters, path_expression, result, type_expression
from recollect.code.links.tree_reader import ScopeWriter

TYPES = frozenset({"Class", "Interface", "Type"})
CODE = frozenset({"Function", "Method", "Test", "Endpoint"})
# Languages with types in which not every parameter has one.
UNTYPED = frozenset({"php", "python"})
# Parameters, fields and links of a receiver beyond this many are not read: generated code.
MOST = 60


class LanguageRules(NamedTuple):
    """The particular rules of a language.

    this: words for the instance around; own: words for the type around; super: words for what it inherits from
    implicit: a bare name may be a member of the type around
    types: the place of a type next to its name: after a colon, after, or before it
    new: a member that makes an instance of the type it is asked of
    constructors: names of methods that run when an instance is made; "=" the name of the type
    flat: what a namespace holds is seen by its bare name too
    star: an import of a module brings in all it offers
    whole: a path is one name, as modules of Elixir are
    returned: a pattern of the line that says which table a file is
    private: what is private at the top of a file is not seen by others, though they see all the rest
    brackets: parameters stand in brackets after the name
    same: members that return the object itself, or what it wraps
    marks: of all types
    """

    this: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    super: frozenset[str] = frozenset()
    implicit: bool = False
    types: str = ""
    new: str = ""
    constructors: tuple[str, ...] = ()
    flat: bool = False
    star: bool = False
    whole: bool = False
    returned: str = ""
    private: bool = False
    brackets: bool = True
    same: frozenset[str] = frozenset()
    marks: tuple[str, ...] = ()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RULES: dict[str, LanguageRules] = {
    "go": LanguageRules(types="after", marks=("shaped",)),
    "rust": LanguageRules(
        _words("self"),
        _words("Self"),
        types="colon",
        new="default",
        constructors=("default",),
        same=_words("unwrap expect await clone as_ref as_mut borrow borrow_mut lock unwrap_or_default"),
        marks=(ir.IMPLEMENTED,),
    ),
    "c": LanguageRules(types="before", private=True),
    "cpp": LanguageRules(
        _words("this"), implicit=True, types="before", constructors=("=",), flat=True, star=True, private=True
    ),
    "csharp": LanguageRules(
        _words("this"), super=_words("base"), implicit=True, types="before", constructors=("=",), flat=True, star=True
    ),
    "ruby": LanguageRules(
        _words("self"), _words("self.class"), _words("super"), True, new="new", constructors=("initialize",), flat=True
    ),
    "php": LanguageRules(
        _words("$this"), _words("self static"), _words("parent"), types="before", constructors=("__construct",)
    ),
    "kotlin": LanguageRules(
        _words("this"), super=_words("super"), implicit=True, types="colon", constructors=("constructor",)
    ),
    "scala": LanguageRules(_words("this"), super=_words("super"), implicit=True, types="colon"),
    "swift": LanguageRules(_words("self"), _words("Self"), _words("super"), True, "colon", constructors=("init",)),
    "lua": LanguageRules(_words("self"), returned=r"^return\s+(\w+)\s*;?\s*$"),
    "elixir": LanguageRules(own=_words("__MODULE__"), implicit=True, whole=True, flat=True),
    "zig": LanguageRules(_words("self"), own=_words("Self @This()"), types="colon"),
    "python": LanguageRules(_words("self"), _words("cls"), types="colon", constructors=("__init__",)),
    "haskell": LanguageRules(star=True, brackets=False),
    "bash": LanguageRules(star=True, brackets=False),
}
OTHER_LANGUAGES = LanguageRules(_words("this self"), super=_words("super"), implicit=True)

# Links of a receiver, and what may stand in them: arguments and indexes are left out.
_LINKS = re.compile(r"->|::|\\|\?\.|!\.|[.:]")
_EMPTIED = {"(": "\x01", "[": "\x02"}
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>()]*>")
# Lines of a function that are read: longer ones are generated.
MOST_LINES = 2_000
# The modules at the start of a path.
_RUST_PATH = re.compile(r"([a-z_]\w*+)(?:::[a-z_]\w*+)*+(?=::)")
# A type parameter with what it has to be: `fn pay<T: Account>(from: &T)`.
_RUST_BOUND = re.compile(r"(?:[<,]|\bwhere)\s*+(\w++)\s*+:(?!:)\s*+([\w:]++)")
# The type that a block of Rust implements a trait for.
_RUST_FOR = re.compile(r"[^{;]*?\bfor\s++(?:&\s*+(?:mut\s++)?)?([A-Za-z_][\w:]*+)")
_RECEIVER = re.compile(r"func\s*\(\s*(\w+)\s")


def unit(source: bytes, path: str, language: Language, found: Extracted) -> ir.Unit:
    """Return the program of a file in any other language, from what was extracted from it."""
    return _Translation(found, source, path, language).unit()


class _Translation:
    """One file on its way to a program."""

    def __init__(self, found: Extracted, source: bytes, path: str, language: Language) -> None:
        self._found = found
        self._language = language
        self._is_path = language.name == "rust"  # `a::b` is a path, `a.b` a member
        self._rules = RULES.get(language.name, OTHER_LANGUAGES)
        self._source = source
        self._lines = source.decode("utf-8", "replace").split("\n")
        self._symbols = found.symbols
        self._inner: dict[int, list[Symbol]] = {}
        self._members: dict[int, dict[str, int]] = {}
        for place, symbol in enumerate(found.symbols):
            self._inner.setdefault(symbol.parent, []).append(symbol)
            self._members.setdefault(symbol.parent, {}).setdefault(symbol.name, place)
        # A file of C# belongs to the namespace that it opens.
        opened = [each.qualified for each in found.symbols if each.kind == "Module" and language.name == "csharp"]
        self._package = found.package or "".join(opened[:1])
        self._module = ScopeWriter("module", path, 0, None)
        self._scopes: dict[int, ScopeWriter] = {}  # by symbol; constants have none
        for place, symbol in enumerate(found.symbols):
            is_code = symbol.kind in CODE and not self._is_prototype(symbol)
            is_table = symbol.kind == "Constant" and place in self._inner  # of Lua, with members
            if symbol.kind in (*TYPES, "Module") or is_code or is_table:
                kind: ir.ScopeKind = "function" if is_code else "interface" if symbol.kind == "Interface" else "class"
                scope = self._scopes[place] = ScopeWriter(kind, self._name_of(symbol), len(self._scopes) + 1, None)
                scope.symbol, scope.line = place, symbol.start_line
        self._variables: dict[int, frozenset[str]] = {}  # by function, what it assigns to
        self._top = self._members.get(-1, {})
        plain = [each for each in found.imports if not each.star]
        self._imports = {each.alias or each.name or each.module.rpartition("::")[2] for each in plain}
        # Second names of modules, from which more is imported: `use acme as a; use a::Till`.
        self._second = {each.alias: "::".join(filter(None, (each.module, each.name))) for each in plain if each.alias}
        # Crates of which Rust imports all: a function may come from there.
        outer = [each.module for each in found.imports if each.star and not re.match("crate|self|super", each.module)]
        bounds = dict.fromkeys(_RUST_BOUND.findall("\n".join(self._lines))) if self._is_path else {}
        counted = Counter(name for name, _ in bounds)
        self._bounds = {name: bound for name, bound in bounds if counted[name] == 1 and name not in self._top}
        self._stars = [star for module in outer if (star := self._inline(f"{module}::"))]
        self._abroad = {place: owner for place in self._scopes if (owner := self._owner_elsewhere(place))}

    def _is_prototype(self, symbol: Symbol) -> bool:
        """Tell whether a function is only declared here and defined elsewhere."""
        if not self._rules.private or symbol.parent >= 0:
            return False
        return "{" not in "".join(self._lines[symbol.start_line - 1 : symbol.end_line])

    def _owner_elsewhere(self, place: int) -> str:
        """Return the type of a method defined outside of it: `func (s *Store) Put()`."""
        symbol = self._symbols[place]
        is_held = symbol.parent >= 0 and self._symbols[symbol.parent].kind != "Module"
        if is_held or symbol.kind not in ("Method", "Test", "Endpoint"):
            return ""
        around = self._symbols[symbol.parent].qualified if symbol.parent >= 0 else self._package
        rest = symbol.qualified[: len(symbol.qualified) - len(symbol.name)]
        if around and self._language.qualifies and rest.startswith(around):
            rest = rest[len(around) :]
        return rest.strip(":.\\")

    def unit(self) -> ir.Unit:
        for each in self._found.imports:
            self._module.body += self._imported(each)
        for place, scope in self._scopes.items():
            self._define(place, scope)
        if self._rules.types:
            self._declare()
            for place, scope in self._scopes.items():
                scope.body += self._local_names(place) if scope.kind == "function" else ()
        for reference in self._found.references:
            self._refer(reference)
        scopes = tuple([scope.scope() for scope in (self._module, *self._scopes.values())])
        return ir.Unit(self._language.name, scopes, self._package)

    # --- scopes ---

    def _define(self, place: int, scope: ScopeWriter) -> None:
        """Bind a symbol in its scope; one of a namespace also in the file."""
        symbol, code = self._symbols[place], ir.Code(scope.place)
        scope.parent = owner = self._owner(symbol.parent)  # which may follow in the file: `impl A` before `struct A`
        if scope.kind == "function":
            scope.parameters += self._parameters(symbol)
            scope.marks += self._marks(place)
            scope.returns = self._returned(symbol)
        else:
            scope.marks += ("module",) if symbol.kind == "Module" else self._rules.marks
        if place in self._abroad:
            member = ir.Member(self._path_of(self._abroad[place]), symbol.name)
            self._module.body.append(ir.Assign(member, code))
            return
        bound = ir.Assign(ir.Name(scope.name), code)
        owner.body.append(bound)
        outer = [at for at in self._around(symbol.parent) if not self._rules.flat or self._symbols[at].kind != "Module"]
        if owner is not self._module and (not outer or self._is_returned(symbol.parent)):
            self._module.body.append(bound)

    def _around(self, place: int) -> Iterator[int]:
        """Yield the symbols around a place, innermost first."""
        while place >= 0:
            yield place
            place = self._symbols[place].parent

    def _name_of(self, symbol: Symbol) -> str:
        return symbol.qualified if self._rules.whole and symbol.kind == "Module" else symbol.name

    def _is_returned(self, parent: int) -> bool:
        """Tell whether a table is what the file returns."""
        if not self._rules.returned or parent < 0:
            return False
        returned = re.findall(self._rules.returned, "\n".join(self._lines[-20:]), re.MULTILINE)
        return returned[-1:] == [self._symbols[parent].name]

    def _owner(self, place: int) -> ScopeWriter:
        return next((self._scopes[at] for at in self._around(place) if at in self._scopes), self._module)

    def _marks(self, place: int) -> tuple[str, ...]:
        symbol = self._symbols[place]
        owner = self._symbols[symbol.parent].name if symbol.parent >= 0 else ""
        names = [owner if name == "=" else name for name in self._rules.constructors]
        marks = ("constructor",) if symbol.name in names and owner else ()
        is_held = symbol.parent >= 0 and self._symbols[symbol.parent].kind in TYPES
        if not (is_held or place in self._abroad) or re.search(r"\bstatic\b", symbol.signature):
            marks = (*marks, "static")
        # `static` of C: no other file sees it.
        is_hidden = self._rules.private and symbol.parent < 0 and symbol.visibility == "private"
        return (*marks, "private") if is_hidden else marks

    # --- signatures ---

    def _parameters(self, symbol: Symbol) -> Iterator[ir.Parameter]:
        """Yield parameters that may have no type; words for the instance are no parameters."""
        if self._rules.brackets and (not self._rules.types or self._language.name in UNTYPED):
            for name in parameters(symbol.signature, symbol.name)[:MOST]:
                if name not in self._rules.this:
                    yield ir.Parameter(name)

    def _returned(self, symbol: Symbol) -> ir.Expression | None:
        text = result(symbol.signature, symbol.name, self._rules.types)
        text = first_result(text) if self._rules.types == "after" else text
        declared = self._type(text) if text else None
        if isinstance(declared, ir.Name) and declared.name in self._rules.own and symbol.parent >= 0:
            return ir.Name(self._symbols[symbol.parent].name)
        return declared

    def _declare(self) -> None:
        """Declare the types of fields and variables that the tree has."""
        page = Page(self._source)
        found = list(typed(page, self._language.name))
        spans = [(symbol.start_byte, symbol.end_byte) for symbol in self._symbols]
        starts = [(page.original(each.start), page.original(each.start) + 1) for each in found]
        for each, place in zip(found, holders(starts, spans), strict=True):
            place = next((at for at in self._around(place) if self._symbols[at].kind in TYPES | CODE), -1)
            if place not in self._scopes:
                continue
            declared, is_code = self._type(each.type, self._symbols[place]), self._symbols[place].kind in CODE
            name = each.name if is_code else each.name.lstrip("$")
            if declared is not None:
                value = ir.Instance(self._unhidden(declared, place, name))
                self._scopes[place].body.append(ir.Assign(ir.Name(name), value))
            elif is_code:
                self._scopes[place].body.append(ir.Assign(ir.Name(name), ir.Opaque()))
            if held := self._type(each.type, self._symbols[place], is_element=True):
                self._scopes[place].body.append(ir.Assign(ir.Name(f"{name}[]"), ir.Instance(held)))

    def _unhidden(self, declared: ir.Expression, place: int, name: str = "") -> ir.Expression:
        """Return a type under a second name in the file if a variable, or a method around, has its first name."""
        if isinstance(declared, ir.Member):
            return ir.Member(self._unhidden(declared.of, place, name), declared.name)
        hiding = [each.name for each in self._inner.get(place, ()) if each.kind in CODE]
        if not isinstance(declared, ir.Name) or declared.name not in (name, *hiding):
            return declared
        second = ir.Name(f"%{declared.name}")
        self._module.body.append(ir.Assign(second, declared))
        return second

    def _local_names(self, place: int) -> Iterator[ir.Statement]:
        """Yield what binds second names of things in a function."""
        symbol = self._symbols[place]
        lines = self._lines[symbol.start_line : min(symbol.end_line, symbol.start_line + MOST_LINES)]
        for name, of in second_names([line.split("//", 1)[0][:400] for line in lines], self._rules.types):
            yield ir.Assign(ir.Name(name), self._chain(of, place))

    # --- references ---

    def _refer(self, reference: Reference) -> None:
        is_word, is_use = reference.kind == "word", reference.kind == "use"
        # A use of Go may be of another file, too.
        is_open = is_word or (is_use and reference.inside >= 0 and not self._language.qualifies)
        if is_open and not reference.receiver and reference.name in self._locals(reference.inside):
            return
        value = self._target(reference)
        body = self._owner(reference.inside).body
        if is_word or reference.kind == "call":
            # `d = D()`: the variable is what D makes.
            is_new = self._rules.new == reference.name and bool(reference.receiver)
            if is_new and isinstance(value, ir.Member):
                value = value.of
            call = ir.Call(value, (), reference.line, reference.column, is_new, is_word)
            variable = self._assigned(reference)
            body.append(ir.Assign(variable, call) if variable else ir.Do(call))
        elif reference.kind in ("base", "implements"):
            if scope := self._scopes.get(reference.inside):
                (scope.bases if reference.kind == "base" else scope.implements).append(value)
            elif of := _RUST_FOR.match(self._lines[reference.line - 1], reference.column):  # a type of another file
                self._module.body.append(ir.Assign(ir.Member(self._path_of(of[1]), ir.IMPLEMENTED), value))
            else:
                self._module.body.append(ir.Use(value, reference.line))
        else:
            variable = self._assigned(reference) if is_use else None
            body += [ir.Assign(variable, value)] if variable else []
            value = self._unhidden(value, reference.inside) if reference.kind == "type" else value
            body.append(ir.Use(value, reference.line))

    def _before(self, reference: Reference) -> str:
        return self._lines[reference.line - 1][: reference.column]

    def _locals(self, inside: int) -> frozenset[str]:
        """Return the variables and parameters of the enclosing function."""
        if inside not in self._variables:
            symbol = self._symbols[inside] if inside >= 0 else None
            lines = self._lines[symbol.start_line - 1 : symbol.end_line] if symbol else self._lines
            found = variables("\n".join(lines), symbol.signature if symbol else "", self._rules.types)
            self._variables[inside] = found
        return self._variables[inside]

    def _target(self, reference: Reference) -> ir.Expression:
        receiver, inside = reference.receiver, reference.inside
        if not receiver:
            return self._bare(reference.name, inside)
        if self._is_path and self._before(reference).endswith("::"):
            receiver += "::"
        read = self._word if receiver.isidentifier() else self._chain
        return ir.Member(read(receiver, inside), reference.name, reference.line)

    def _bare(self, name: str, inside: int) -> ir.Expression:
        """Return what a name without receiver means: a member, or a name of the file."""
        if name in self._rules.super:
            return ir.Super()
        is_member = False
        for at in self._around(inside):
            kind = self._symbols[at].kind
            if kind not in CODE and name in self._members.get(at, {}):
                is_method = self._rules.implicit and kind in TYPES
                return ir.Member(ir.This(), name) if is_method and not is_member else ir.Name(name)
            is_member = is_member or at in self._abroad or kind in TYPES
        if self._rules.implicit and is_member and name not in self._top and not self._is_type_name(name):
            return ir.Either((ir.Name(name), ir.Member(self._this(inside), name)))
        if self._stars and name not in self._top and name not in self._imports:
            return ir.Either((ir.Name(name), *[ir.Member(ir.Name(star), name) for star in self._stars]))
        return ir.Name(name)

    def _this(self, inside: int) -> ir.Expression:
        """Return the instance that the enclosing method belongs to."""
        owner = next((self._abroad[at] for at in self._around(inside) if at in self._abroad), "")
        return ir.Instance(self._path_of(owner)) if owner else ir.This()

    def _is_type_name(self, name: str) -> bool:
        """Tell whether a name is spelled like a type."""
        return name[:1].isupper() and self._language.name not in ("csharp", "go")

    def _chain(self, receiver: str, inside: int) -> ir.Expression:
        """Return a receiver as an expression: `self.store`, `App::Config.new`, `s` of Go's own receiver."""
        if self._rules.whole and "." in receiver and "(" not in receiver:
            return ir.Name(receiver)
        calls = [match.start() for match in re.finditer(r"\(", receiver)]
        plain, inline = receiver.removesuffix("::"), self._inline(receiver)
        while (shorter := _BRACKETS.sub(lambda match: _EMPTIED.get(match[0][0], ""), plain)) != plain:
            plain = shorter
        parts = [part.strip() for part in _LINKS.split(plain.strip("() *&!"))]
        if not parts or not all(re.fullmatch(r"[@$]{0,2}\w+[?!]?(?:\x01|\x02)*", part) for part in parts[:MOST]):
            return ir.Opaque()
        value = ir.Name(inline) if inline else self._word(parts[0].rstrip("\x01\x02"), inside)
        parts = parts[inline.count("::") :]
        if parts[0].endswith("\x01") and calls:
            value = ir.Call(value)
        value = self._element(value, parts[0])
        for part in parts[1:MOST]:
            name = part.rstrip("\x01\x02")
            if name in self._rules.same:
                continue
            is_new = name == self._rules.new and bool(self._rules.new)
            value = ir.Call(value, is_new=True) if is_new else ir.Member(value, name)
            if part.endswith("\x01") and not is_new:
                value = ir.Call(value)
            value = self._element(value, part)
        return value

    def _element(self, value: ir.Expression, part: str) -> ir.Expression:
        """Return an element of something; an array has the type of its elements, a container tells it in its type."""
        if not part.endswith("\x02") or self._rules.types not in ("colon", "before"):
            return value
        held: list[ir.Expression] = [ir.Name(f"{value.name}[]")] if isinstance(value, ir.Name) else []
        held += [ir.Member(value.of, f"{value.name}[]")] if isinstance(value, ir.Member) else []
        return ir.Either((value, ir.Member(value, ELEMENT), *held))

    def _inline(self, path: str) -> str:
        """Return the modules at the start of a path of Rust, imported under their whole name; "" if it has none."""
        found = _RUST_PATH.match(path) if self._is_path and "::" in path else None
        if found is None or found[1] in self._imports or found[1] in self._top:
            return ""
        self._module.body.append(ir.Import(found[0], None, found[0]))
        return found[0]

    def _type(self, text: str, symbol: Symbol | None = None, *, is_element: bool = False) -> ir.Expression | None:
        """Return a declared type, whose path may begin with modules that are not imported: `&mut crate::shop::Till`.

        symbol: the function or type around, of whose type parameters the bounds count, then the only one of the file
        """
        if symbol is not None and self._is_path:
            bounds = self._bounds | dict(_RUST_BOUND.findall(symbol.signature))
            text = bounds.get(text.rpartition(" ")[2].lstrip("&"), text)
        return type_expression(text, self._path_of, is_element=is_element)

    def _path_of(self, path: str) -> ir.Expression:
        return path_expression(path, self._inline(path))

    def _word(self, word: str, inside: int) -> ir.Expression:
        receiver = _RECEIVER.match(self._symbols[inside].signature) if inside >= 0 else None  # as Go calls it
        if word in self._rules.this or (receiver is not None and word == receiver[1]):
            return self._this(inside)
        if word in self._rules.super:
            return ir.Super()
        if word in self._rules.own:
            if inside in self._abroad:
                return self._path_of(self._abroad[inside])
            types = (self._symbols[at] for at in self._around(inside) if self._symbols[at].kind not in CODE)
            return next((ir.Name(self._name_of(each)) for each in types), ir.Opaque())
        if word.startswith("@"):
            return ir.Member(self._this(inside), word.lstrip("@"))
        in_type = any(self._symbols[at].kind in TYPES or at in self._abroad for at in self._around(inside))
        if self._rules.implicit and not self._is_type_name(word) and in_type:
            return ir.Either((ir.Name(word), ir.Member(self._this(inside), word)))
        return ir.Name(word)

    def _assigned(self, reference: Reference) -> ir.Expression | None:
        """Return the variable that the result of a call, or the whole of a use, is assigned to."""
        if reference.line > len(self._lines) or not self._rules.brackets:
            return None
        before = self._before(reference)
        if reference.kind == "use" and before.rpartition("=")[2].strip(" :.") != reference.receiver:
            return None
        if above := reference.receiver.count("\n"):  # a chain over several lines
            line = self._lines[max(0, reference.line - 1 - above)]
            before = line[: max(0, line.rfind(reference.receiver.partition("\n")[0].strip()))]
        name = assigned_variable(before, self._rules.types)
        return ir.Member(ir.This(), name.lstrip("@")) if name.startswith("@") else ir.Name(name) if name else None

    # --- imports ---

    def _imported(self, each: Imported) -> Iterator[ir.Statement]:
        """Yield the statements of an import, by the rules of the language."""
        name, line, language = ("*" if each.star else each.name), each.line, self._language.name
        if language == "go":
            short = each.alias or _go_name(each.module)
            yield ir.Import(each.module, name, None if short == "_" or each.star else short, line=line)
        elif language == "rust":
            head, mark, rest = each.module.partition("::")
            module = self._second.get(head, head) + mark + rest if each.name else each.module
            yield ir.Import(module, name, each.alias or each.name or module.rpartition("::")[2], line=line)
            if each.name and not each.star and each.name[:1].islower():
                yield ir.Import(f"{module}::{each.name}", None, each.alias or each.name, line=line)
        elif language == "python" and name is None and each.alias is None:
            top, _, below = each.module.partition(".")
            yield ir.Import(each.module, None, top, line=line, is_whole=not below)
        elif self._rules.whole:
            yield ir.Import(each.module, each.module, each.alias or each.module.rpartition(".")[2], line=line)
            yield ir.Import(each.module, "*", line=line)
        elif name is None and each.alias is None and (self._rules.star or language in ("c", "ruby", "swift", "php")):
            yield ir.Import(each.module, "*", line=line)
        else:
            yield ir.Import(each.module, name, each.alias, each.level, line)


def _go_name(module: str) -> str:
    parts = [part for part in module.split("/") if not re.fullmatch(r"v\d+", part)] or [module]
    return parts[-1].rpartition(".")[0] if re.search(r"\.v\d+$", parts[-1]) else parts[-1].removeprefix("go-")
