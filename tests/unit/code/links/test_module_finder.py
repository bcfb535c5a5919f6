"""Which files an import means, language by language."""

from __future__ import annotations

import pytest

from recollect.code.links.module_finder import Declared, Facts, Modules, Provided
from recollect.code.manifests.typescript_paths import Alias

ENDINGS = {
    "py": "python", "ts": "typescript", "tsx": "tsx", "js": "javascript", "java": "java", "kt": "kotlin", "go": "go",
    "rs": "rust", "c": "c", "h": "c", "cpp": "cpp", "rb": "ruby", "php": "php", "cs": "csharp", "lua": "lua",
    "sh": "bash", "ex": "elixir", "hs": "haskell", "zig": "zig", "swift": "swift", "scala": "scala",
}  # fmt: skip


NOTHING = Facts()


def tree(*files: str, facts: Facts = NOTHING) -> Modules:
    """Return modules of files written as `path`, `path package` or `path package name,name`."""
    declared = {}
    for line in files:
        path, *said = line.split()
        package = said[0] if said and said[0] != "-" else ""
        names = tuple(said[1].split(",")) if len(said) > 1 else ()
        declared[path] = Declared(ENDINGS[path.rpartition(".")[2]], package, names)
    return Modules(declared, facts)


PYTHON = tree(
    "src/app/__init__.py", "src/app/core.py", "src/app/web/__init__.py", "src/app/web/views.py", "tests/test_core.py",
    "tests/conftest.py", "scripts/run.py", "scripts/common.py", "space/plug/one.py", "setup.py",
)  # fmt: skip


@pytest.mark.parametrize(
    ("importer", "module", "level", "expected"),
    [
        ("src/app/core.py", "app.web", 0, "src/app/web/__init__.py"),
        ("src/app/core.py", "app.web.views", 0, "src/app/web/views.py"),
        ("src/app/web/views.py", "core", 0, None),
        ("src/app/web/views.py", "core", 2, "src/app/core.py"),
        ("src/app/web/views.py", "", 1, "src/app/web/__init__.py"),
        ("src/app/core.py", "", 1, "src/app/__init__.py"),
        ("tests/test_core.py", "app.core", 0, "src/app/core.py"),
        ("tests/test_core.py", "conftest", 0, "tests/conftest.py"),
        ("scripts/run.py", "common", 0, "scripts/common.py"),
        ("scripts/run.py", "space.plug.one", 0, "space/plug/one.py"),
        ("src/app/core.py", "json", 0, None),
        ("scripts/run.py", "run", 0, None),
    ],
)
def test_python_finds_modules_below_source_roots_and_by_level(
    importer: str, module: str, level: int, expected: str | None
) -> None:
    assert PYTHON.find(importer, module, level) == ((expected,) if expected else ())


SCRIPTS = tree(
    "web/src/app.ts", "web/src/util/index.ts", "web/src/view.tsx", "web/src/old.js", "packages/core/src/index.ts",
    "packages/core/src/deep/thing.ts", "packages/ui/lib/button.js", "web/tests/a.ts",
    facts=Facts(
        (
            Provided("npm", "@acme/core", "packages/core", "dist/index.js"),
            Provided("npm", "@acme/ui", "packages/ui"),
        ),
        (Alias("web", "@/*", "src/*"), Alias("web", "app", "src/app.ts")),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("importer", "module", "expected"),
    [
        ("web/src/app.ts", "./util", "web/src/util/index.ts"),
        ("web/src/app.ts", "./view", "web/src/view.tsx"),
        ("web/src/app.ts", "./view.js", "web/src/view.tsx"),
        ("web/src/app.ts", "./old.js", "web/src/old.js"),
        ("web/src/util/index.ts", "..", None),
        ("web/src/util/index.ts", "../app", "web/src/app.ts"),
        ("web/tests/a.ts", "@/util", "web/src/util/index.ts"),
        ("web/tests/a.ts", "app", "web/src/app.ts"),
        ("packages/ui/lib/button.js", "@/util", None),
        ("web/src/app.ts", "@acme/core", "packages/core/src/index.ts"),
        ("web/src/app.ts", "@acme/core/deep/thing", "packages/core/src/deep/thing.ts"),
        ("web/src/app.ts", "@acme/ui/lib/button", "packages/ui/lib/button.js"),
        ("web/src/app.ts", "react", None),
    ],
)
def test_javascript_finds_relative_paths_aliases_and_packages(importer: str, module: str, expected: str | None) -> None:
    assert SCRIPTS.find(importer, module) == ((expected,) if expected else ())


def test_java_and_kotlin_find_packages_and_classes() -> None:
    modules = tree("src/a/B.java a B", "src/a/C.java a C", "src/b/D.kt b D,make", "src/b/E.scala b E")
    assert modules.find("src/b/D.kt", "a") == ("src/a/B.java", "src/a/C.java")
    assert modules.find("src/a/B.java", "b.D") == ("src/b/D.kt",)
    assert modules.find("src/a/B.java", "b.make") == ("src/b/D.kt",)
    assert modules.find("src/a/B.java", "java.util") == ()
    assert modules.visible("src/a/B.java", "C") == ("src/a/C.java",)
    assert modules.visible("src/a/B.java", "D") == ()


def test_go_finds_the_folder_of_a_module_without_its_tests() -> None:
    modules = tree(
        "cmd/main.go main main",
        "pkg/store/store.go store New",
        "pkg/store/file.go store open",
        "pkg/store/store_test.go store TestNew,open",
        facts=Facts((Provided("go", "example.com/app", ""),)),
    )
    assert modules.find("cmd/main.go", "example.com/app/pkg/store") == ("pkg/store/file.go", "pkg/store/store.go")
    assert modules.find("cmd/main.go", "fmt") == ()
    assert modules.visible("pkg/store/store.go", "open") == ("pkg/store/file.go",)
    assert modules.visible("pkg/store/store_test.go", "New") == ("pkg/store/store.go",)
    assert modules.visible("cmd/main.go", "New") == ()


@pytest.mark.parametrize(
    ("importer", "module", "expected"),
    [
        ("app/src/lib.rs", "net", "app/src/net/mod.rs"),
        ("app/src/net/mod.rs", "wire", "app/src/net/wire.rs"),
        ("app/src/net/wire.rs", "super", "app/src/net/mod.rs"),
        ("app/src/net/wire.rs", "super::super::util", "app/src/util.rs"),
        ("app/src/net/wire.rs", "crate", "app/src/lib.rs"),
        ("app/src/net/wire.rs", "crate::util", "app/src/util.rs"),
        ("app/src/util.rs", "self", "app/src/util.rs"),
        ("app/src/util.rs", "core_kit::shape", "kit/src/shape.rs"),
        ("app/src/util.rs", "std::fmt", None),
    ],
)
def test_rust_finds_modules_of_the_crate_and_other_crates(importer: str, module: str, expected: str | None) -> None:
    modules = tree(
        "app/src/lib.rs", "app/src/util.rs", "app/src/net/mod.rs", "app/src/net/wire.rs", "kit/src/lib.rs",
        "kit/src/shape.rs", facts=Facts((Provided("cargo", "core_kit", "kit", "src/lib.rs"),)),
    )  # fmt: skip
    assert modules.find(importer, module) == ((expected,) if expected else ())


def test_c_includes_are_found_beside_below_include_or_by_their_only_ending() -> None:
    modules = tree("src/a.c - go", "src/a.h", "include/lib/b.h", "deep/down/c.h", "one/same.h", "two/same.h")
    assert modules.find("src/a.c", "a.h") == ("src/a.h",)
    assert modules.find("src/a.c", "lib/b.h") == ("include/lib/b.h",)
    assert modules.find("src/a.c", "down/c.h") == ("deep/down/c.h",)
    assert modules.find("src/a.c", "same.h") == ()
    assert modules.find("src/a.c", "stdio.h") == ()
    assert modules.visible("src/a.h", "go") == ("src/a.c",)


def test_ruby_lua_bash_and_zig_find_paths() -> None:
    modules = tree(
        "lib/app/a.rb", "lib/app.rb", "lua/tele/init.lua", "lua/tele/job.lua", "bin/run.sh", "bin/lib/tools.sh",
        "src/main.zig", "src/b.zig",
    )  # fmt: skip
    assert modules.find("lib/app.rb", "app/a") == ("lib/app/a.rb",)
    assert modules.find("lib/app/a.rb", "json") == ()
    assert modules.find("lua/tele/init.lua", "tele.job") == ("lua/tele/job.lua",)
    assert modules.find("lua/tele/job.lua", "tele") == ("lua/tele/init.lua",)
    assert modules.find("bin/run.sh", "$(dirname $0)/lib/tools.sh") == ("bin/lib/tools.sh",)
    assert modules.find("bin/run.sh", "${HERE}/lib/tools.sh") == ("bin/lib/tools.sh",)
    assert modules.find("src/main.zig", "b.zig") == ("src/b.zig",)
    assert modules.find("src/main.zig", "std") == ()


def test_php_finds_namespaces_and_classes_by_psr_4() -> None:
    modules = tree(
        "src/Web/View.php App\\Web View",
        "src/Data/Row.php - Row",
        "tests/helper.php",
        facts=Facts((Provided("composer", "App", "src"),)),
    )
    assert modules.find("tests/helper.php", "App\\Web") == ("src/Web/View.php",)
    assert modules.find("tests/helper.php", "App\\Web\\View") == ("src/Web/View.php",)
    assert modules.find("tests/helper.php", "App\\Data\\Row") == ("src/Data/Row.php",)
    assert modules.find("src/Web/View.php", "../../tests/helper.php") == ("tests/helper.php",)


def test_namespaces_of_csharp_are_seen_from_inside_and_by_using() -> None:
    modules = tree("a.cs App Base", "b.cs App.Web View", "c.cs Other Row")
    assert modules.find("c.cs", "App.Web") == ("b.cs",)
    assert modules.visible("b.cs", "Base") == ("a.cs",)
    assert modules.visible("b.cs", "Row") == ()


def test_modules_of_elixir_and_haskell_are_found_by_their_whole_name() -> None:
    modules = tree("lib/a.ex - App.A,App.A.Inner", "lib/b.ex - App.B", "src/Data/Tree.hs Data.Tree", "src/Main.hs Main")
    assert modules.find("lib/b.ex", "App.A.Inner") == ("lib/a.ex",)
    assert modules.find("src/Main.hs", "Data.Tree") == ("src/Data/Tree.hs",)
    assert modules.find("src/Main.hs", "Data.Map") == ()
