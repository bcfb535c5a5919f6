"""Supported languages, one row each; the rest is in the query file of the language.

A row has the grammar, file names, and facts that queries cannot express: comments, strings and branches, how names are
joined, whether layout is part of the code, visibility.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Layout = Literal["free", "lines"]
NameRule = Literal["underscore", "capital", ""]


class Language(NamedTuple):
    """A language: how to recognise it, parse it and read its trees."""

    name: str
    grammar: str  # module that holds the grammar; see `grammar.load`
    extensions: tuple[str, ...]
    entry: str = "language"  # function of that module which returns the grammar
    queries: tuple[str, ...] = ()  # stems of the query files, where it is not the one of its name
    files: tuple[str, ...] = ()  # whole names of files
    shebangs: tuple[str, ...] = ()  # interpreters, without version
    document: bool = False  # headings and keys instead of code

    # query patterns
    comments: tuple[str, ...] = ("(comment)",)  # not part of the normal form
    strings: tuple[str, ...] = ()  # white space in them is part of the code
    directives: tuple[str, ...] = ()  # as strings, but trailing white space does not count
    markup: tuple[str, ...] = ()  # text of elements: as strings, but white space around line ends is not shown
    blocks: tuple[str, ...] = ()  # end where indentation does, without a closing word or bracket
    branches: tuple[str, ...] = ()  # choose or repeat
    layout: Layout = "free"  # lines: line ends, and whether there is white space, are part of the code

    # names
    separator: str = "."
    sigils: str = ""  # before a name and not part of it
    methods: bool = True  # a function with an owner is a method
    member: str = ""  # separator between a type and its members, if another
    splits: str = ""  # pattern that joins an owner to a name inside a definition's name: `A::f`, `M.f`
    unowned: str = ""  # pattern of text that is no owner, or no part of one: `exports`, `.prototype`
    heads: tuple[tuple[str, str], ...] = ()  # capture → pattern of the text before its name
    named: tuple[tuple[str, str], ...] = ()  # capture → pattern of its name
    lambdas: str = ""  # text after a constant's name that makes it a function
    qualifies: bool = True  # a declared package is part of qualified names; False: the folder is the package
    macros: frozenset[str] = frozenset()  # look like functions, define tests
    merges: bool = False  # equations of one function stand one after the other
    nests: int = 0  # how deep keys are symbols, 0 for no limit: data files can be huge
    deepest: int = 0  # … and where in the tree the deepest of them begin
    docstrings: str | None = None  # pattern of the text before a docstring in a body; None: no docstrings
    paths: str = r"\."  # pattern of the separator in the path of a reference
    chains: str = "?!"  # characters between a receiver and a separator
    words: frozenset[str] = frozenset()  # look like calls and are not
    types: frozenset[str] = frozenset()  # built in: no reference worth keeping
    explicit: bool = False  # a type that a file neither defines nor imports is built in
    importers: frozenset[str] = frozenset()  # functions that import

    # visibility, see `symbol_properties`
    marks: tuple[tuple[str, str], ...] = ()  # word between the start of a definition and its name → visibility
    before: tuple[tuple[str, str], ...] = ()  # pattern of the text before a definition → visibility
    names: NameRule = ""  # visibility by the form of a name
    default: str = "public"  # at the top of a file
    members: str = "public"  # inside a type
    top_marks: tuple[tuple[str, str], ...] = ()  # as marks, outside of types only
    open_types: tuple[str, ...] = ()  # first words of types whose members are public

    # tests, see `symbol_properties`
    test_files: str = ""  # pattern of paths
    test_names: str = ""  # pattern of names that are tests, in such files
    test_marks: str = ""  # pattern of decorators that make a test, anywhere


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


JAVA_MARKS = (("private", "private"), ("protected", "protected"), ("internal", "internal"), ("public", "public"))
PUB_MARKS = (("pub(crate)", "internal"), ("pub(super)", "internal"), ("pub(self)", "private"), ("pub", "public"))
SWIFT_MARKS = (
    ("fileprivate", "private"), ("private", "private"), ("package", "internal"), ("internal", "internal"),
    ("public", "public"), ("open", "public"),
)  # fmt: skip
EXPORTED = (
    (r"export(?<!\wexport)\s+(?:default\s+|declare\s+|abstract\s+|async\s+|const\s+|let\s+|var\s+)*$", "public"),
)
JS_UNOWNED = r"^(?:(?:module\.)?exports|this|self|window|globalThis|global)(?:\.|$)|\.?prototype$"
UNNAMED = (("definition.constant", r"(?!_$)"),)  # `var _ Sender = (*Folder)(nil)` has no name
TEST_FOLDERS = r"(?:^|/)(?:tests?|specs?|__tests__|testing|testdata|src/test|src/androidTest|[\w.]*Tests?)/"
JS_TEST_HEAD = r"^(?:it|test|describe|suite|context|specify|bench)\b[^\n]*\(\s*$"
C_TYPES = words(
    "int char short long float double void bool size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t "
    "uint16_t uint32_t uint64_t uintptr_t intptr_t va_list FILE wchar_t"
)

JAVASCRIPT = Language(
    name="javascript",
    grammar="tree_sitter_javascript",
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    queries=("javascript", "jsx"),
    files=("Jakefile",),
    shebangs=("node", "nodejs"),
    comments=("(comment)", "(html_comment)", "(hash_bang_line)"),
    strings=("(string_fragment)", "(regex_pattern)"),
    markup=("(jsx_text)",),
    branches=('"if"', '"for"', '"while"', '"switch"'),
    unowned=JS_UNOWNED,
    heads=(("definition.test", JS_TEST_HEAD),),
    words=words("require super import"),
    importers=words("require import"),
    explicit=True,
    before=EXPORTED,
    default="internal",
    test_files=rf"{TEST_FOLDERS}|(?:(?:^|/)(?:tests?|spec)|\.(?:test|spec|bench|cy|e2e))\.[cm]?[jt]sx?$",
)
TYPESCRIPT = JAVASCRIPT._replace(
    name="typescript",
    grammar="tree_sitter_typescript",
    entry="language_typescript",
    extensions=(".ts", ".mts", ".cts"),
    queries=(),
    files=(),
    shebangs=("ts-node", "tsx", "deno", "bun"),
    markup=(),
    marks=JAVA_MARKS,
    test_files=rf"{TEST_FOLDERS}|(?:(?:^|/)(?:tests?|spec)|\.(?:test|spec|bench|cy|e2e|test-d))\.[cm]?[jt]sx?$",
)
TSX = TYPESCRIPT._replace(
    name="tsx",
    entry="language_tsx",
    extensions=(".tsx",),
    queries=("typescript", "jsx"),
    shebangs=(),
    markup=JAVASCRIPT.markup,
)
MARKDOWN = Language(
    name="markdown",
    grammar="tree_sitter_markdown",
    extensions=(".md", ".markdown", ".mdx", ".mdown"),
    document=True,
    comments=(),
    layout="lines",
    separator=" › ",
)

LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        grammar="tree_sitter_python",
        extensions=(".py", ".pyi", ".pyw"),
        files=("SConstruct", "SConscript", "wscript"),
        shebangs=("python", "pypy"),
        strings=("(string_content)",),
        blocks=("(block)",),
        branches=('"if"', '"elif"', '"for"', '"while"', '"match"'),
        types=words("int str float bool bytes None list dict set tuple object type complex frozenset"),
        explicit=True,
        lambdas=" = lambda",
        names="underscore",
        docstrings="",
        test_files=rf"{TEST_FOLDERS}|(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.py$",
        test_names=r"test(?:_|[A-Z]|s?$)|Test",
        test_marks=r"pytest\.mark\.(?!fixture)|given\b|unittest\.",
    ),
    JAVASCRIPT,
    TYPESCRIPT,
    TSX,
    Language(
        name="java",
        grammar="tree_sitter_java",
        extensions=(".java",),
        comments=("(line_comment)", "(block_comment)"),
        strings=("(string_fragment)", "(multiline_string_fragment)", "(character_literal)"),
        branches=('"if"', '"for"', '"while"', '"switch"'),
        paths=r"\.|::",
        types=words("String Object Integer Long Boolean Double Float Character Byte Short Void Override var"),
        marks=JAVA_MARKS,
        default="internal",
        members="internal",
        test_files=rf"{TEST_FOLDERS}|(?:Test|Tests|IT|Spec)\.java$",
        test_names=r"test[A-Z_]|\w+Tests?$",
        test_marks=r"(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b",
    ),
    Language(
        name="c",
        grammar="tree_sitter_c",
        extensions=(".c", ".h"),
        strings=("(string_content)", "(character)", "(system_lib_string)"),
        directives=("(preproc_arg)",),
        branches=('"if"', '"for"', '"while"', '"switch"', '"#if"', '"#ifdef"'),
        paths=r"\.|->",
        types=C_TYPES,
        marks=(("static", "private"),),
        test_files=rf"{TEST_FOLDERS}|(?:^|/)(?:test_[^/]*|[^/]*_test)\.[ch]$",
        test_names=r"test_",
    ),
    Language(
        name="cpp",
        grammar="tree_sitter_cpp",
        extensions=tuple(".cpp .cc .cxx .c++ .hpp .hh .hxx .h++ .ipp .inl .tpp .cu .cuh".split()),
        strings=("(string_content)", "(character)", "(system_lib_string)", "(raw_string_content)"),
        directives=("(preproc_arg)",),
        branches=('"if"', '"for"', '"while"', '"switch"', '"#if"', '"#ifdef"'),
        separator="::",
        splits="::",
        paths=r"\.|->|::",
        macros=words("TEST TEST_F TEST_P TYPED_TEST TYPED_TEST_P FUZZ_TEST BENCHMARK_F"),
        types=C_TYPES | words("string auto vector"),
        top_marks=(("static", "private"),),
        members="private",
        open_types=("struct", "union", "enum"),
        test_files=rf"{TEST_FOLDERS}|(?:^|/)(?:test_[^/]*|[^/]*(?:_|-)?(?:test|unittest|Test)s?)\.(?:cc|cpp|cxx|h|hpp)$",
        test_names=r"test_|Test|TEST",
    ),
    Language(
        name="go",
        grammar="tree_sitter_go",
        extensions=(".go",),
        strings=("(interpreted_string_literal_content)", "(raw_string_literal_content)", "(rune_literal)"),
        branches=('"if"', '"for"', '"switch"', '"select"'),
        types=words(
            "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr string bool byte rune float32 float64 "
            "error any complex64 complex128 comparable"
        ),
        qualifies=False,
        named=UNNAMED,
        words=words("make new len cap append copy delete panic recover print println close string int byte error"),
        names="capital",
        test_files=r"_test\.go$",
        test_names=r"(?:Test|Benchmark|Fuzz|Example)(?![a-z])",
    ),
    Language(
        name="rust",
        grammar="tree_sitter_rust",
        extensions=(".rs",),
        shebangs=("rust-script", "cargo"),
        comments=("(line_comment)", "(block_comment)"),
        strings=("(string_content)", "(char_literal)"),
        branches=('"if"', "(for_expression)", '"while"', '"loop"', '"match"'),
        separator="::",
        paths=r"\.|::",
        named=UNNAMED,
        words=words("Self Some None Ok Err"),
        explicit=True,
        marks=PUB_MARKS,
        default="private",
        members="private",
        test_files=rf"{TEST_FOLDERS}|(?:^|/)benches/|(?:^|/)tests?\.rs$|_test\.rs$",
        test_marks=r"(?:\w+::)*(?:test|bench|rstest|test_case|proptest|wasm_bindgen_test)\b",
    ),
    Language(
        name="ruby",
        grammar="tree_sitter_ruby",
        extensions=(".rb", ".rake", ".gemspec", ".ru", ".rbi", ".podspec"),
        files=("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Fastfile", "Brewfile"),
        shebangs=("ruby", "jruby", "rake"),
        strings=("(string_content)", "(heredoc_content)", "(character)", "(bare_string)"),
        branches=('"if"', '"unless"', '"for"', '"while"', '"until"', '"case"', '"elsif"'),
        layout="lines",
        separator="::",
        splits="::",
        sigils=":",
        unowned=r"^self$",
        heads=(
            ("definition.test", r"^(?:RSpec\.)?(?:it|specify|test|describe|context|feature|scenario)\b\s*\(?\s*$"),
            ("definition.method", r"^(?:define_method|attr_reader|attr_writer|attr_accessor)\b[^\n]*$"),
            ("reference.implements", r"\b(?:include|extend|prepend)\b[\s(]*(?:[\w:]+,\s*)*$"),
        ),
        paths=r"\.|::",
        chains="&",
        words=words(
            "require require_relative load include extend prepend attr_reader attr_writer attr_accessor private public "
            "protected module_function define_method private_class_method raise lambda proc loop"
        ),
        importers=words("require require_relative load"),
        before=((r"\bprivate(?:_class_method)?[ (]$", "private"), (r"\bprotected[ (]$", "protected")),
        test_files=rf"{TEST_FOLDERS}|_(?:test|spec)\.rb$",
        test_names=r"test_",
    ),
    Language(
        name="php",
        grammar="tree_sitter_php",
        entry="language_php",
        extensions=(".php", ".phtml"),
        shebangs=("php",),
        strings=("(string_content)", "(heredoc_body)", "(nowdoc_body)", "(text)"),
        branches=('"if"', '"elseif"', '"for"', '"foreach"', '"while"', '"switch"', '"match"'),
        separator="\\",
        member="::",
        paths=r"->|::|\\",
        types=words("self static parent"),
        marks=JAVA_MARKS,
        test_files=rf"{TEST_FOLDERS}|Test\.php$",
        test_names=r"test[A-Z_]|\w+Test$",
        test_marks=r"Test\b|DataProvider",
    ),
    Language(
        name="csharp",
        grammar="tree_sitter_c_sharp",
        extensions=(".cs", ".csx"),
        strings=(
            "(string_literal_content)",
            "(verbatim_string_literal)",
            "(raw_string_content)",
            "(string_content)",
            "(character_literal)",
        ),
        branches=('"if"', '"for"', '"foreach"', '"while"', '"switch"'),
        types=words("var dynamic nint nuint"),
        words=words("nameof typeof sizeof default"),
        marks=JAVA_MARKS,
        default="internal",
        members="private",
        test_files=rf"{TEST_FOLDERS}|Tests?\.cs$",
        test_names=r"\w+Tests?$",
        test_marks=r"(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod|TestFixture|TestClass)\b",
    ),
    Language(
        name="kotlin",
        grammar="tree_sitter_kotlin",
        extensions=(".kt", ".kts"),
        comments=("(line_comment)", "(block_comment)"),
        strings=("(string_content)", "(character_literal)"),
        branches=('"if"', '"for"', '"while"', '"when"'),
        paths=r"\.|::",
        types=words("Int Long Short Byte String Boolean Double Float Char Unit Any Nothing"),
        marks=JAVA_MARKS,
        test_files=rf"{TEST_FOLDERS}|(?:Test|Tests|Spec)\.kt$",
        test_names=r"\w+(?:Test|Spec)s?$",
        test_marks=r"(?:Test|ParameterizedTest|RepeatedTest)\b",
    ),
    Language(
        name="swift",
        grammar="tree_sitter_swift",
        extensions=(".swift",),
        shebangs=("swift",),
        comments=("(comment)", "(multiline_comment)"),
        strings=("(line_str_text)", "(multi_line_str_text)", "(raw_str_part)", "(raw_str_end_part)", "(regex_literal)"),
        branches=('"if"', '"for"', '"while"', '"switch"', '"guard"'),
        types=words(
            "Int String Bool Double Float Void Any Self Character UInt AnyObject objc testable discardableResult"
        ),
        marks=SWIFT_MARKS,
        default="internal",
        members="internal",
        test_files=rf"{TEST_FOLDERS}|Tests?\.swift$",
        test_names=r"test[A-Z_]|\w+Tests?$",
        test_marks=r"(?:Test|Suite)\b",
    ),
    Language(
        name="scala",
        grammar="tree_sitter_scala",
        extensions=(".scala", ".sc", ".sbt"),
        shebangs=("scala", "amm"),
        comments=("(comment)", "(block_comment)"),
        strings=("(string)", "(interpolated_string)", "(character_literal)"),
        branches=('"if"', '"for"', '"while"', '"match"'),
        types=words("Int Long Short Byte String Boolean Double Float Char Unit Any Nothing AnyRef AnyVal"),
        marks=JAVA_MARKS,
        heads=(("definition.test", r"^(?:test|it|describe|should|property)\s*\(\s*$"),),
        test_files=rf"{TEST_FOLDERS}|(?:Test|Tests|Spec|Suite)\.scala$",
        test_names=r"\w+(?:Test|Spec|Suite)s?$",
        test_marks=r"Test\b",
    ),
    Language(
        name="lua",
        grammar="tree_sitter_lua",
        extensions=(".lua", ".rockspec"),
        shebangs=("lua", "luajit", "texlua"),
        comments=("(comment)", "(hash_bang_line)"),
        strings=("(string_content)",),
        branches=('"if"', '"elseif"', '"for"', '"while"', '"repeat"'),
        splits=r"[.:]",
        heads=(("definition.test", r"^(?:it|test|describe|context|spec|insulate|pending)\s*\(\s*$"),),
        paths=r"[.:]",
        words=words("require pairs ipairs setmetatable getmetatable type tostring tonumber error assert pcall"),
        importers=words("require dofile loadfile"),
        marks=(("local", "private"),),
        names="underscore",
        test_files=rf"{TEST_FOLDERS}|_(?:test|spec)\.lua$|(?:^|/)test_[^/]*\.lua$",
        test_names=r"test_?",
    ),
    Language(
        name="bash",
        grammar="tree_sitter_bash",
        extensions=(".sh", ".bash", ".zsh", ".ksh", ".bats", ".ebuild"),
        files=(".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD", "APKBUILD"),
        shebangs=("sh", "bash", "zsh", "dash", "ksh", "ash", "bats"),
        strings=("(string_content)", "(raw_string)", "(ansi_c_string)", "(heredoc_body)"),
        branches=('"if"', '"elif"', '"for"', '"while"', '"until"', '"case"'),
        layout="lines",
        paths=r"(?!)",
        words=words(
            "echo printf cd exit return set shift test [ [[ true false : local export read eval exec trap unset source "
            ". wait kill cat grep sed awk rm mkdir cp mv ls sleep command builtin type getopts umask declare readonly"
        ),
        importers=words("source ."),
        names="underscore",
        test_files=rf"{TEST_FOLDERS}|\.bats$|(?:^|/)test[-_][^/]*\.sh$|[-_]test\.sh$",
        test_names=r"test",
    ),
    Language(
        name="elixir",
        grammar="tree_sitter_elixir",
        extensions=(".ex", ".exs"),
        shebangs=("elixir",),
        strings=("(quoted_content)", "(charlist)"),
        branches=("(stab_clause)", "(else_block)"),
        layout="lines",
        heads=(
            ("definition.module", r"^(?:defmodule|defprotocol)\b[ (]*$"),
            ("definition.function", r"^(?:defp?|defmacrop?|defguardp?|defdelegate|defnp?)\b[ (]*$"),
            ("definition.test", r"^(?:test|describe|property|feature)\b[ (]*$"),
            ("definition.constant", r"^@$"),
            ("scope", r"^defimpl\b[ (]*$"),
            ("reference.implements", r"@behaviour\s+$"),
            ("reference.call", r"^(?!\s*@(?:spec|type\w*|opaque|\w*callback)\b)"),
        ),
        docstrings=r"do\s+@moduledoc\s+(?:~[sS])?",
        named=(
            ("decorator", r"@(?:doc|typedoc|spec|impl|deprecated|since)\b"),
            ("definition.constant", r"(?!(?:\w*doc|spec|type\w*|opaque|impl|behaviour|callback|derive|on_\w+)$)"),
        ),
        merges=True,
        words=words(
            "def defp defmacro defmacrop defmodule defprotocol defimpl defstruct defguard defguardp defdelegate "
            "defexception use import alias require if unless case cond with for fn quote unquote raise test describe "
            "doc moduledoc spec type typep opaque callback behaviour impl typedoc defoverridable receive try super"
        ),
        importers=words("use import alias require"),
        marks=(("defp", "private"), ("defmacrop", "private"), ("defguardp", "private"), ("defnp", "private")),
        test_files=rf"{TEST_FOLDERS}|_test\.exs$",
    ),
    Language(
        name="haskell",
        grammar="tree_sitter_haskell",
        extensions=(".hs", ".lhs", ".hs-boot"),
        shebangs=("runhaskell", "runghc"),
        comments=("(comment)", "(haddock)"),
        strings=("(string)", "(char)", "(quasiquote_body)"),
        blocks=(
            "(do)",
            "(local_binds)",
            "(alternatives)",
            "(class_declarations)",
            "(instance_declarations)",
            "(match)",
        ),
        branches=('"if"', '"case"', "(guards)"),
        merges=True,
        types=words("Int Integer String Bool Char Double Float Maybe Either IO Show Eq Ord"),
        test_files=rf"{TEST_FOLDERS}|Spec\.hs$|Tests?\.hs$",
        test_names=r"(?:test|prop|unit|spec)(?:_|[A-Z]|$)",
    ),
    Language(
        name="zig",
        grammar="tree_sitter_zig",
        extensions=(".zig", ".zon"),
        strings=("(string_content)", "(multiline_string)", "(character)"),
        branches=('"if"', '"for"', '"while"', '"switch"'),
        types=words("type anytype"),
        importers=words("@import @cImport"),
        marks=(("pub", "public"), ("export", "public")),
        default="private",
        members="private",
        test_files=rf"{TEST_FOLDERS}|_test\.zig$|(?:^|/)tests?\.zig$",
    ),
    Language(
        name="sql",
        grammar="tree_sitter_sql",
        extensions=(".sql", ".ddl", ".pgsql", ".psql"),
        comments=("(comment)", "(marginalia)"),
        strings=("(literal)",),
        splits=r"\.",
        methods=False,
        branches=("(keyword_if)", "(keyword_case)", "(keyword_for)"),
    ),
    MARKDOWN,
    # Read by lines (`document_outline`). What asks for a tree gets that of Markdown, which is mostly text.
    MARKDOWN._replace(name="rst", extensions=(".rst", ".rest"), queries=("markdown",)),
    MARKDOWN._replace(name="asciidoc", extensions=(".adoc", ".asciidoc"), queries=("markdown",)),
    Language(
        name="json",
        grammar="tree_sitter_json",
        extensions=(".json", ".jsonc", ".json5", ".webmanifest", ".geojson"),
        files=(".babelrc", ".eslintrc", ".prettierrc"),
        document=True,
        strings=("(string_content)",),
        nests=2,
        deepest=4,
    ),
    Language(
        name="yaml",
        grammar="tree_sitter_yaml",
        extensions=(".yaml", ".yml"),
        files=(".clang-format", ".clang-tidy"),
        document=True,
        layout="lines",
        nests=2,
        deepest=7,
    ),
    Language(
        name="toml",
        grammar="tree_sitter_toml",
        extensions=(".toml",),
        files=("Pipfile",),
        document=True,
        strings=("(string)",),
        nests=2,
    ),
    Language(
        name="html",
        grammar="tree_sitter_html",
        extensions=(".html", ".htm", ".xhtml", ".vue", ".svelte"),
        document=True,
        strings=("(attribute_value)",),
        layout="lines",
        heads=(
            ("definition.module", r"^<(?:h[1-6]|title)\b[^>]*>\s*$"),
            ("definition.constant", r"\sid\s*=\s*[\"']?$"),
        ),
        importers=words("src"),
    ),
    Language(
        name="css",
        grammar="tree_sitter_css",
        extensions=(".css",),
        document=True,
        strings=("(string_content)",),
        layout="lines",
        named=(("definition.constant", r"--"),),
    ),
)

BY_NAME: dict[str, Language] = {language.name: language for language in LANGUAGES}
BY_EXTENSION: dict[str, Language] = {
    extension: language for language in reversed(LANGUAGES) for extension in language.extensions
}
BY_FILE: dict[str, Language] = {file: language for language in LANGUAGES for file in language.files}
BY_SHEBANG: dict[str, Language] = {shell: language for language in LANGUAGES for shell in language.shebangs}

SHEBANG = re.compile(rb"#!\s*(?:\S*/)?([^/\s]+)(?:[ \t]+(?:-\S+[ \t]+)*([^\s-]\S*))?")
# Text of a C++ header that a C header cannot have.
CPP = re.compile(
    rb"\bstd::|^[^\S\n]*+(?:namespace\s++[\w:]*+\s*+\{|template\s*+<|(?:class|struct)\s++\w++\s*+(?:final\s*+)?:|"
    rb"class\s++\w++\s*+[;{]|"
    rb"(?:public|private|protected)\s*+:|using\s++\w|#\s*+include\s*+<(?:vector|string|memory|map|iostream|functional)>)",
    re.MULTILINE,
)


def detect(path: str, head: bytes) -> Language | None:
    """Return the language of a file from its name and its first bytes; None if it is unknown or binary.

    head: the beginning of the file. A kilobyte is enough, except for C++ headers.
    """
    if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    extension = name[dot:].lower() if (dot := name.rfind(".")) >= 0 else ""
    found = BY_FILE.get(name) or BY_EXTENSION.get(extension)
    if extension == ".h" and found and CPP.search(head):
        return BY_NAME["cpp"]
    return found or (_by_shebang(head) if dot <= 0 else None)


def _by_shebang(head: bytes) -> Language | None:
    match = SHEBANG.match(head)
    if not match:
        return None
    program = (match[2] if match[1] == b"env" and match[2] else match[1]).decode("ascii", "replace")
    return BY_SHEBANG.get(program) or BY_SHEBANG.get(program.rstrip("0123456789."))
