"""Completion scripts for bash, zsh and fish, written from the table of commands.

The scripts are static: pressing Tab starts no Python. They complete groups, commands, options, the choices of an option
or of a positional argument, and file names where a path is expected. Hidden names are not offered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from recollect.operations import Parameter
from recollect.surface.cli.arguments import global_options, kind, spellings
from recollect.surface.cli.catalog import Section
from recollect.surface.cli.command_table import GLOBAL_OPTIONS, Commands, GlobalOption

# What is offered for the value of an option beside its choices: file names, or nothing.
_FILES, _NOTHING = "/", "-"


class _Shell(NamedTuple):
    """A script with names in capital letters for its tables, and how their rows and words are written."""

    script: str
    value: str
    words: str
    word: str
    separator: str


def script(shell: str, table: Commands) -> str:
    """Return the completion script of one of the shells in `SCRIPTS`."""
    form = SCRIPTS[shell]
    valued = [option for row in GLOBAL_OPTIONS if row.metavar for option in row.flags]
    groups = [row.group for row in _groups(table)] or [""]
    files = [path for path, row in table.by_path.items() if any(kind(each) == "path" for each in row.positionals)]
    parts = {
        "VALUED": form.separator.join(valued),
        "GROUPS": form.separator.join(map(_quote, groups)),
        "FILES": form.separator.join(map(_quote, files or [""])),
        "VALUES": "\n".join(form.value.format(_quote(at), _quote(values)) for at, values in _values(table)),
        "EVERYWHERE": _listed(_described(GLOBAL_OPTIONS), form),
        "WORDS": "\n".join(form.words.format(_quote(at), _listed(words, form)) for at, words in _words(table)),
    }
    text = form.script
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _groups(table: Commands) -> tuple[Section, ...]:
    return tuple(row for row in table.sections if row.group)


def _words(table: Commands) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield commands and groups with what can follow them beside global options, with its summary."""
    commands = {path: row.summary for path, row in table.by_path.items() if " " not in path}
    first = commands | {row.group: row.title for row in _groups(table)}
    yield "", first
    for row in _groups(table):
        yield row.group, {word: table.by_path[f"{row.group} {word}"].summary for word in row.entries}
    for path, command in table.by_path.items():
        choices = [choice for row in command.positionals for choice in row.choices]
        choices += [name for name in first if path == "help" != name]
        options = {word: row.help for row in command.optionals for word in _spelled(row)}
        extra = [row for row in global_options(command) if row not in GLOBAL_OPTIONS]
        yield path, dict.fromkeys(choices, "") | options | _described(extra)


def _described(rows: Iterable[GlobalOption]) -> dict[str, str]:
    return {option: row.help for row in rows for option in row.flags}


def _values(table: Commands) -> Iterator[tuple[str, str]]:
    """Yield the options of commands that take a value, after their command, with what is offered for it."""
    for path, command in table.by_path.items():
        for row in command.optionals:
            if (shape := kind(row)) != "truth":
                offered = " ".join(row.choices) or (_FILES if shape == "path" else _NOTHING)
                yield from ((f"{path} {word}", offered) for word in _spelled(row))


def _spelled(row: Parameter) -> list[str]:
    return [word for word, option in spellings(row).items() if not option.is_hidden]


def _listed(words: Mapping[str, str], form: _Shell) -> str:
    return " ".join(_quote(form.word.format(word, _brief(text)).rstrip(":\t")) for word, text in words.items())


def _brief(text: str) -> str:
    """Return the first sentence without what means something to a shell inside of quotes."""
    return text.partition(". ")[0].removesuffix(".").replace("\\", "")


def _quote(text: str) -> str:
    """Return `text` as one word of a shell."""
    return "'" + text.replace("'", "'\\''") + "'"


# After the words before the cursor: what the last one takes as its value, or what is offered.
_BOURNE = """\
_recollect_look() {
  local command=""
  values="" offered=()
  while [ $# -gt 0 ]; do
    case "$1" in
      @VALUED@) [ $# -gt 1 ] && shift ;;
      -*) ;;
      *) command="${command:+$command }$1"
        case "$command" in
          @GROUPS@) ;;
          *) break ;;
        esac ;;
    esac
    shift
  done
  case "$previous" in
    @VALUED@) values=/ ;;
  esac
  case "$command $previous" in
@VALUES@
  esac
  case "$command" in
@WORDS@
    *) return ;;
  esac
  offered+=(@EVERYWHERE@)
  case "$command" in
    @FILES@) takes_files=1 ;;
  esac
}
"""

_BASH = """\
# bash completion for recollect: eval "$(recollect completion bash)"
@LOOK@
_recollect() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" values takes_files offered
  # bash splits --option=value at the sign
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous="${COMP_WORDS[COMP_CWORD-2]}"; fi
  _recollect_look "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=()
  case "$values" in
    [-/]) return ;;  # bash offers file names
    ?*) offered=("$values") ;;
  esac
  COMPREPLY=($(compgen -W "${offered[*]}" -- "$current"))
}
complete -o default -F _recollect recollect
"""

_ZSH = """\
#compdef recollect
# zsh completion for recollect: recollect completion zsh > a folder of $fpath/_recollect
@LOOK@
_recollect() {
  local current="$words[CURRENT]" previous="$words[CURRENT-1]" values takes_files
  local -a offered
  if [[ $current == --*=* ]]; then previous="${current%%=*}"; compset -P '*='; fi
  _recollect_look "${(@)words[2,CURRENT-1]}"
  case "$values" in
    /) _files; return ;;
    -) return ;;
    ?*) compadd -- ${=values}; return ;;
  esac
  if [[ $current == -* ]]; then offered=(${(M)offered:#-*}); _describe -o option offered; return; fi
  offered=(${offered:#-*})
  _describe command offered
  if [[ -n $takes_files ]]; then _files; fi
}
if [ "$funcstack[1]" = "_recollect" ]; then _recollect "$@"; else compdef _recollect recollect; fi
"""

_FISH = """\
# fish completion for recollect: recollect completion fish > ~/.config/fish/completions/recollect.fish
function __recollect_offer --description 'what can be typed at the cursor'
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l previous $words[-1]
  set -l prefix (string match -r -- '^--[^=]+=' $current)
  and set previous (string trim -r -c = -- $prefix)
  or set prefix ''
  set -l command ''
  set -l is_value 0
  set -l values ''
  set -l offered
  for word in $words[2..-1]
    if test $is_value = 1
      set is_value 0
      continue
    end
    switch $word
      case @VALUED@
        set is_value 1
      case '-*'
      case '*'
        set command (string trim -- "$command $word")
        contains -- $command @GROUPS@; or break
    end
  end
  switch $previous
    case @VALUED@
      set values /
  end
  switch "$command $previous"
@VALUES@
  end
  switch $values
    case ''
    case /
      __fish_complete_path (string replace -r -- '^--[^=]+=' '' $current) | string replace -r '^' -- "$prefix"
      return
    case -
      return
    case '*'
      printf '%s\\n' $prefix(string split ' ' -- $values)
      return
  end
  switch $command
@WORDS@
    case '*'
      return
  end
  set -a offered @EVERYWHERE@
  if string match -q -- '-*' $current
    printf '%s\\n' $offered
    return
  end
  string match -v -- '-*' $offered
  contains -- $command @FILES@; and __fish_complete_path $current
end
complete -c recollect -f -a '(__recollect_offer)'
"""

_ROWS = ("    {}) values={} ;;", "    {}) offered=({}) ;;")
SCRIPTS: Mapping[str, _Shell] = {
    "bash": _Shell(_BASH.replace("@LOOK@", _BOURNE), *_ROWS, "{}", "|"),
    "zsh": _Shell(_ZSH.replace("@LOOK@", _BOURNE), *_ROWS, "{}:{}", "|"),
    "fish": _Shell(_FISH, "    case {}\n      set values {}", "    case {}\n      set offered {}", "{}\t{}", " "),
}
