"""Completion scripts for bash, zsh and fish, written from the table of commands.

The scripts are static: pressing Tab starts no Python. They complete groups, commands, options, the choices of an option
or of a positional argument, and file names where a path is expected. Hidden names are not offered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recollect.operations import Parameter
from recollect.surface.cli.arguments import global_options, kind, options, spellings
from recollect.surface.cli.catalog import Section
from recollect.surface.cli.command_table import GLOBAL_OPTIONS, Command, Commands


def script(shell: str, table: Commands) -> str:
    """Return the completion script of one of the shells in `SCRIPTS`."""
    return SCRIPTS[shell](table)


def _groups(table: Commands) -> tuple[Section, ...]:
    return tuple(row for row in table.sections if row.group)


def _first_words(table: Commands) -> dict[str, str]:
    """Return what can follow `recollect`, with its summary: commands of one word, and groups."""
    found = {path: row.summary for path, row in table.by_path.items() if " " not in path}
    return found | {row.group: row.title for row in _groups(table)}


def _group_words(group: Section, table: Commands) -> dict[str, str]:
    """Return what can follow a group's name, with its summary."""
    return {word: table.by_path[f"{group.group} {word}"].summary for word in group.entries}


def _visible(command: Command) -> list[str]:
    return [word for word, row in options(command).items() if not row.is_hidden]


def _option_words(row: Parameter) -> list[str]:
    return [word for word, option in spellings(row).items() if not option.is_hidden]


def _positional_choices(command: Command, table: Commands) -> list[str]:
    if command.path == "help":
        return [name for name in _first_words(table) if name != "help"]
    return [choice for row in command.positionals for choice in row.choices]


def _takes_files(command: Command) -> bool:
    return any(kind(row) == "path" for row in command.positionals)


# --- bash ------------------------------------------------------------------------------------------------------------


def _bash(table: Commands) -> str:
    values = "\n".join(_bash_value(path, word, choices) for path, word, choices in _valued(table))
    cases = {path: [*_positional_choices(row, table), *_visible(row)] for path, row in table.by_path.items()}
    globals_ = [option for row in GLOBAL_OPTIONS for option in row.flags]
    cases |= {row.group: [*row.entries, *globals_] for row in _groups(table)}
    words = "\n".join(f'    {_quote(path)}) words="{" ".join(found)}" ;;' for path, found in cases.items())
    valued_globals = "|".join(option for row in GLOBAL_OPTIONS if row.metavar for option in row.flags)
    groups = "|".join(row.group for row in _groups(table)) or "''"
    return f"""\
# bash completion for recollect: eval "$(recollect completion bash)"
_recollect() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" i
  # bash splits --option=value at the sign
  if [[ $current == "=" ]]; then current=""
  elif [[ $previous == "=" ]]; then previous="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i]}}" in
      {valued_globals}) ((i++)) ;;
      -*) ;;
      *) command="${{command:+$command }}${{COMP_WORDS[i]}}"
        case "$command" in
          {groups}) ;;
          *) break ;;
        esac ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
{values}
  esac
  case "$command" in
    "") words="{" ".join([*_first_words(table), *globals_])}" ;;
{words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _recollect recollect
"""


def _valued(table: Commands) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return every option that takes a value with its command (`*`: global) and its choices."""
    found: list[tuple[str, str, tuple[str, ...]]]
    found = [("*", option, ()) for row in GLOBAL_OPTIONS if row.metavar for option in row.flags]
    for path, command in table.by_path.items():
        for row in command.optionals:
            if kind(row) != "truth":
                found += [(path, word, row.choices) for word in _option_words(row)]
    return found


def _bash_value(path: str, option: str, choices: tuple[str, ...]) -> str:
    """Return the case of an option: its choices, or nothing, where bash falls back to file names."""
    pattern = f"*' {option}'" if path == "*" else f"'{path} {option}'"
    choose = f'COMPREPLY=($(compgen -W "{" ".join(choices)}" -- "$current")); ' if choices else ""
    return f"    {pattern}) {choose}return ;;"


# --- zsh -------------------------------------------------------------------------------------------------------------


def _zsh(table: Commands) -> str:
    groups = {row.group: row for row in _groups(table)}
    functions = [
        _zsh_function(
            f"_recollect_{name}",
            _group_words(row, table),
            {word: _zsh_call(table.by_path[f"{name} {word}"], table) for word in row.entries},
        )
        for name, row in groups.items()
    ]
    first = _first_words(table)
    calls = {word: f"_recollect_{word}" if word in groups else _zsh_call(table.by_path[word], table) for word in first}
    return "\n".join(
        [
            "#compdef recollect",
            "# zsh completion for recollect: recollect completion zsh > a folder of $fpath/_recollect",
            *functions,
            _zsh_function("_recollect", first, calls),
            'if [ "$funcstack[1]" = "_recollect" ]; then _recollect "$@"; else compdef _recollect recollect; fi\n',
        ]
    )


def _zsh_function(name: str, words: Mapping[str, str], calls: Mapping[str, str]) -> str:
    """Return a function that completes one of some words, and then what belongs to that word."""
    described = "\n".join(f"    {_quote(f'{word}:{summary}')}" for word, summary in words.items())
    everywhere = " \\\n    ".join(_zsh_globals())
    cases = "\n".join(f"        {word}) {call} ;;" for word, call in calls.items())
    return f"""\
{name}() {{
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
{described}
  )
  _arguments -C \\
    {everywhere} \\
    '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
{cases}
      esac ;;
  esac
}}"""


def _zsh_call(command: Command, table: Commands) -> str:
    specs = [spec for row in command.optionals for spec in _zsh_option(row)]
    choices = _positional_choices(command, table)
    action = f"({' '.join(choices)})" if choices else "_files" if _takes_files(command) else " "
    specs.append(_quote(f"*:argument:{action}"))
    extra = [row for row in global_options(command) if row not in GLOBAL_OPTIONS]
    specs += [_quote(f"{option}[{_zsh_text(row.help)}]") for row in extra for option in row.flags]
    return " ".join(["_arguments", *specs, *_zsh_globals()])


def _zsh_globals() -> list[str]:
    return [
        _quote(f"{option}[{_zsh_text(row.help)}]" + (f":{row.metavar}:_files" if row.metavar else ""))
        for row in GLOBAL_OPTIONS
        for option in row.flags
    ]


def _zsh_option(row: Parameter) -> list[str]:
    shape = kind(row)
    star = "*" if shape == "several" else ""
    action = f"({' '.join(row.choices)})" if row.choices else "_files" if shape == "path" else ""
    value = "" if shape == "truth" else f":{row.name}:{action}"
    return [_quote(f"{star}{word}[{_zsh_text(row.help)}]{value}") for word in _option_words(row)]


def _zsh_text(text: str) -> str:
    return _brief(text).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


# --- fish ------------------------------------------------------------------------------------------------------------

_FISH = """\
# fish completion for recollect: recollect completion fish > ~/.config/fish/completions/recollect.fish
function __recollect_words --description 'the words that are no options'
  set -l is_value 0
  for word in (commandline -opc)[2..-1]
    if test $is_value = 1
      set is_value 0
      continue
    end
    switch $word
      case VALUED
        set is_value 1
      case '-*'
      case '*'
        echo $word
    end
  end
end
function __recollect_at --description 'exactly these words were typed'
  set -l words (__recollect_words)
  test "$argv" = "$words"
end
function __recollect_in --description 'these words come first'
  set -l words (__recollect_words)
  string match -q -- "$argv *" "$words "
end
complete -c recollect -f"""


def _fish(table: Commands) -> str:
    valued_globals = " ".join(option for row in GLOBAL_OPTIONS if row.metavar for option in row.flags)
    lines = [_FISH.replace("VALUED", valued_globals)]
    lines += [
        f"complete -c recollect {_fish_flags(row.flags)}{' -r -F' if row.metavar else ''} -d {_fish_text(row.help)}"
        for row in GLOBAL_OPTIONS
    ]
    offered = {"": _first_words(table)} | {row.group: _group_words(row, table) for row in _groups(table)}
    lines += [
        f"complete -c recollect -n '__recollect_at {at}' -a {word} -d {_fish_text(summary)}"
        for at, words in offered.items()
        for word, summary in words.items()
    ]
    for path, command in table.by_path.items():
        lines += [f"complete -c recollect -n '__recollect_in {path}' {part}" for part in _fish_parts(command, table)]
    return "\n".join(lines) + "\n"


def _fish_parts(command: Command, table: Commands) -> list[str]:
    parts: list[str] = []
    choices = _positional_choices(command, table)
    if choices:
        parts.append(f"-a '{' '.join(choices)}'")
    elif _takes_files(command):
        parts.append("-F")
    for row in command.optionals:
        shape = kind(row)
        value = f" -x -a '{' '.join(row.choices)}'" if row.choices else " -r -F" if shape == "path" else " -x"
        words = [(word,) for word in _option_words(row)] if shape == "truth" else [tuple(_option_words(row))]
        text = "" if shape == "truth" else value
        parts += [f"{_fish_flags(flags)}{text} -d {_fish_text(row.help)}" for flags in words]
    extra = [row for row in global_options(command) if row not in GLOBAL_OPTIONS]
    return [*parts, *(f"{_fish_flags(row.flags)} -d {_fish_text(row.help)}" for row in extra)]


def _fish_flags(flags: tuple[str, ...]) -> str:
    return " ".join(f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}" for option in flags)


def _fish_text(text: str) -> str:
    return "'" + _brief(text).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _quote(text: str) -> str:
    """Return `text` as one word of a Bourne shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _brief(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".")


SCRIPTS: Mapping[str, Callable[[Commands], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
