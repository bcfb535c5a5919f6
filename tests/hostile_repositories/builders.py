"""Repositories that try to make git run a command; each command leaves a marker that names it.

`BUILDERS` is the table: a name, and a function that turns an ordinary repository into a hostile one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.trees import git, write

# Every setting that git's documentation lets name a command, or that makes git use one.
COMMAND_SETTINGS = (
    "core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "core.askPass", "core.gitProxy",
    "core.alternateRefsCommand", "sequence.editor", "diff.external", "diff.e.command", "diff.e.textconv",
    "filter.e.clean", "filter.e.smudge", "filter.e.process", "filter.lfs.clean", "filter.lfs.smudge",
    "merge.e.driver", "mergetool.e.cmd", "difftool.e.cmd", "difftool.e.path", "man.e.cmd", "browser.e.cmd",
    "gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand",
    "credential.helper", "credential.https://example.invalid.helper", "interactive.diffFilter", "pager.log",
    "pager.diff", "pager.ls-files", "pager.rev-list", "remote.origin.uploadpack", "remote.origin.receivepack",
    "sendemail.toCmd", "imap.tunnel", "trailer.e.command", "trailer.e.cmd", "uploadpack.packObjectsHook",
    "tar.e.command", "instaweb.httpd", "receive.procReceive", "web.browser",
)  # fmt: skip
# Settings that make git look at what it otherwise would not.
EAGER_SETTINGS: Mapping[str, str] = {
    "log.showSignature": "true", "diff.ignoreSubmodules": "none", "status.submoduleSummary": "true",
    "submodule.recurse": "true", "diff.submodule": "log", "fetch.recurseSubmodules": "true", "gc.auto": "1",
    "gc.autoDetach": "false", "maintenance.auto": "true", "core.untrackedCache": "true", "core.trustctime": "false",
    "core.checkStat": "minimal", "filter.e.required": "true", "diff.tool": "e", "merge.tool": "e",
    "protocol.allow": "always", "protocol.ext.allow": "always", "protocol.file.allow": "always",
    "safe.bareRepository": "all", "log.mailmap": "true", "index.version": "2",
    "core.preloadIndex": "true", "feature.manyFiles": "true", "color.ui": "always",
}  # fmt: skip
HOOKS = (
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "post-applypatch", "post-checkout",
    "post-commit", "post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch",
    "pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg",
    "proc-receive", "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
)  # fmt: skip
SUBCOMMANDS = ("log", "diff", "ls-files", "rev-list", "rev-parse", "cat-file", "diff-index", "diff-tree", "ls-tree",
               "merge-base", "for-each-ref", "update-index")  # fmt: skip

SOURCE = "class Parser:\n    def parse(self):\n        return 1\n\ndef parse_file():\n    return Parser()\n"
LONG = "".join(f"LINE_{number} = {number}\n" for number in range(60))


class Traps:
    """Commands that leave markers, and the folder of the markers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.markers = folder / "markers"
        self.markers.mkdir(parents=True)

    def command(self, name: str) -> str:
        """Return an executable that leaves a marker; a filter passes its input on."""
        file = self.folder / "traps" / name.replace("/", "_")
        if not file.exists():
            marker = self.markers / file.name
            passes = "cat" if name.endswith((".clean", ".smudge")) else "exit 0"
            write(file.parent, {file.name: f"#!/bin/sh\n: >'{marker}'\n{passes}\n"})
            file.chmod(0o755)
        return str(file)

    def sprung(self) -> list[str]:
        """Return the names of the commands that ran."""
        return sorted(marker.name for marker in self.markers.iterdir())

    def reset(self) -> None:
        for marker in self.markers.iterdir():
            marker.unlink()


def ordinary(root: Path) -> None:
    """Write a repository with two branches, a rename, a changed file, a staged rename and a new file."""
    write(root, {"lib/parser.py": SOURCE, "a.py": LONG, "moved.py": "M = 1\n" * 9, "pyproject.toml": "[project]\n"})
    write(root, {"README.md": "# Parser\n\nWe parse by hand because generators were slow.\n", ".mailmap": "A <a@b>\n"})
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "Parse by hand because generators were slow")
    git(root, "switch", "-qc", "other")
    write(root, {"other.py": "O = 1\n"})
    git(root, "add", ".")
    git(root, "commit", "-qm", "Add other, because it is needed")
    git(root, "switch", "-qc", "feature/x", "main")
    git(root, "mv", "a.py", "b.py")
    write(root, {"b.py": LONG + "LAST = 61\n"})
    git(root, "commit", "-qam", "Rename a, because b is shorter")
    git(root, "mv", "moved.py", "staged.py")
    write(root, {"lib/parser.py": SOURCE.replace("return 1", "return 2"), "new.py": "N = 1\n"})


# --- what makes a repository hostile ---


def _set(config: Path, settings: Mapping[str, str]) -> None:
    """Append settings to a file; a section may have a name in quotes."""
    lines = []
    for key, value in settings.items():
        section, _, name = key.rpartition(".")
        first, dot, second = section.partition(".")
        heading = f'{first} "{second}"' if dot else first
        lines.append(f'[{heading}]\n\t{name} = "{value}"\n')
    with config.open("a", encoding="utf-8") as file:
        file.write("".join(lines))


def _arm(folder: Path, traps: Traps, config: Path | None = None, mark: str = "") -> None:
    """Put every hostile setting, attribute and hook into a git folder."""
    settings = {key: traps.command(f"{mark}{key}") for key in COMMAND_SETTINGS}
    settings |= {f"alias.{name}": f"!{traps.command(f'{mark}alias.{name}')}" for name in SUBCOMMANDS}
    settings |= EAGER_SETTINGS
    settings["core.attributesFile"] = str(folder / "info/attributes")
    settings["init.templateDir"] = str(folder)
    _set(config or folder / "config", settings)
    rules = "* filter=e diff=e merge=e\n*.py filter=e diff=e\n"
    write(folder, {"info/attributes": rules})
    for name in HOOKS:
        hook = folder / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.unlink(missing_ok=True)
        hook.symlink_to(traps.command(f"{mark}hook.{name}"))


def _settings(root: Path, traps: Traps) -> None:
    _arm(root / ".git", traps)
    write(root, {".gitattributes": "* filter=e diff=e merge=e ident\n*.md filter=lfs\n"})


def _process_filter(root: Path, traps: Traps) -> None:
    """A long-running filter alone: where there is one, git does not start the clean filter."""
    _settings(root, traps)
    config = root / ".git/config"
    text = config.read_text(encoding="utf-8")
    config.write_text("".join(part for part in text.splitlines(True) if "process = " not in part), encoding="utf-8")


def _included(root: Path, traps: Traps) -> None:
    """The settings come from other files, by every condition that git knows."""
    conditions = {"include": "", 'includeIf "gitdir:/"': "1", 'includeIf "onbranch:**"': "2",
                  'includeIf "hasconfig:remote.*.url:**"': "3"}  # fmt: skip
    for section, mark in conditions.items():
        _arm(root / ".git", traps, traps.folder / f"included{mark}", f"included{mark}.")
        with (root / ".git/config").open("a", encoding="utf-8") as file:
            file.write(f"[{section}]\n\tpath = {traps.folder}/included{mark}\n")
    _set(root / ".git/config", {"remote.origin.url": "https://example.invalid/x"})


def _promisor(root: Path, traps: Traps) -> None:
    """Contents of the first commit are missing, and the remote that promises them is a command."""
    for path in ("a.py", "lib/parser.py"):
        blob = _output(root, "rev-parse", f"main:{path}")
        (root / ".git/objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
    url = f"ext::{traps.command('promisor')} %S"
    _set(root / ".git/config", {
        "core.repositoryformatversion": "1", "extensions.partialClone": "o", "remote.o.promisor": "true",
        "remote.o.url": url, "remote.o.partialCloneFilter": "blob:none", "protocol.ext.allow": "always",
        "protocol.allow": "always",
    })  # fmt: skip


def _output(root: Path, *words: str) -> str:
    import subprocess

    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def _alternates(root: Path, traps: Traps) -> None:
    """The objects lie in another hostile repository."""
    elsewhere = traps.folder / "alternate"
    shutil.copytree(root / ".git", elsewhere / ".git", symlinks=True)
    _arm(elsewhere / ".git", traps, mark="alternate.")
    _settings(root, traps)
    shutil.rmtree(root / ".git/objects")
    write(root, {".git/objects/info/alternates": f"{elsewhere}/.git/objects\n"})


def _submodules(root: Path, traps: Traps) -> None:
    """A submodule whose update is a command, with a hostile repository of its own."""
    inner = root / "sub"
    ordinary(inner)
    _arm(inner / ".git", traps, mark="sub.")
    command = f"!{traps.command('submodule.update')}"
    write(root, {".gitmodules": f'[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tupdate = "{command}"\n'})
    head = _output(root, f"--git-dir={inner}/.git", "rev-parse", "main")
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    _set(root / ".git/config", {"submodule.sub.update": command, "submodule.sub.url": "./sub"})
    _settings(root, traps)


def _linked(root: Path, traps: Traps) -> None:
    """A linked work tree of a hostile repository, with settings of its own."""
    main = traps.folder / "main"
    shutil.move(str(root), str(main))
    git(main, "worktree", "add", "-q", "--force", str(root), "-b", "linked")
    write(root, {"lib/parser.py": SOURCE.replace("return 1", "return 3")})
    _arm(main / ".git", traps)
    own = next((main / ".git/worktrees").iterdir())
    _set(main / ".git/config", {"core.repositoryformatversion": "1", "extensions.worktreeConfig": "true"})
    _arm(own, traps, own / "config.worktree", "worktree.")


def _foreign(root: Path, traps: Traps) -> None:
    """The git folder is elsewhere, and names a work tree elsewhere."""
    elsewhere = traps.folder / "elsewhere.git"
    shutil.move(str(root / ".git"), str(elsewhere))
    write(root, {".git": f"gitdir: {elsewhere}\n"})
    _arm(elsewhere, traps)
    victim = traps.folder / "victim"
    write(victim, {"secret.py": "S = 1\n"})
    _set(elsewhere / "config", {"core.worktree": str(victim)})


def _bare(root: Path, traps: Traps) -> None:
    """Bare repositories and clones lie among the files."""
    for place in ("lib/vendored.git", "tests/data/bare"):
        shutil.copytree(root / ".git", root / place, symlinks=True)
        _arm(root / place, traps, mark=f"{place}.")
        _set(root / place / "config", {"core.bare": "true"})
    shutil.copytree(root / ".git", root / "nested/.git", symlinks=True)
    _arm(root / "nested/.git", traps, mark="nested.")
    write(root, {"nested/lib/parser.py": SOURCE, "nested/.gitattributes": "* filter=e diff=e\n"})
    for name in ("HEAD", "config"):  # the root itself looks like a bare repository
        shutil.copy(root / "lib/vendored.git" / name, root / name)
    for name in ("objects", "refs"):
        (root / name).mkdir()


def _stale(root: Path, traps: Traps) -> None:
    """Every entry of the index looks changed, so that git would read and filter all files."""
    _settings(root, traps)
    for file in root.rglob("*.py"):
        os.utime(file, (1, 1))


def _endless(root: Path, traps: Traps) -> None:
    """Files that never end, and pipes that nobody writes to, where git would read settings."""
    os.mkfifo(traps.folder / "pipe")
    _settings(root, traps)
    _set(root / ".git/config", {"mailmap.file": "/dev/zero", "core.excludesFile": "/dev/zero"})
    for name in ("description", "FETCH_HEAD", "MERGE_HEAD", "shallow", "info/grafts", "config.worktree"):
        (root / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(root / ".git" / name)
    _set(root / ".git/config", {"include.path": str(traps.folder / "pipe")})


BUILDERS: Mapping[str, Callable[[Path, Traps], None]] = {
    "settings": _settings,
    "clean filter": _process_filter,
    "included settings": _included,
    "promisor remote": _promisor,
    "alternates": _alternates,
    "submodule": _submodules,
    "linked work tree": _linked,
    "foreign git folder": _foreign,
    "bare repositories": _bare,
    "stale index": _stale,
    "endless files": _endless,
}
