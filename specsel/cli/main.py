"""The command line: reads the arguments, runs a command, and turns every error into one line.

Results go to stdout, messages to stderr. Exit codes: 0 done; 1 the result stands, but did not
converge or was not proved; 2 bad input; 130 interrupted.
"""

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import specsel
from specsel import _validate
from specsel.cli import common, info, reproduce, select, subsets, tables, terminal

COMMANDS = {
    "select": select.COMMAND,
    "path": subsets.PATH,
    "stable": subsets.STABLE,
    "reproduce": reproduce.COMMAND,
    "info": info.COMMAND,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : list of str, optional
        The arguments; by default those of the process.
    """
    try:
        with terminal.warnings_in_lines():
            code, in_files = _run([*(sys.argv[1:] if argv is None else argv)])
        terminal.check_written(in_files)
        return code
    except (ValueError, OSError, MemoryError) as error:
        message = str(error) or type(error).__name__
        if isinstance(error, OSError) and error.filename is not None:
            message = f"{error.filename}: {error.strerror}"
        terminal.say(message)
        return 2


def _run(argv: list[str]) -> tuple[int, bool]:
    """Return the exit code, and whether the command wrote its results to files as well."""
    commands = parser(argv)
    try:
        args, unknown = commands.parse_known_args(argv)
    except SystemExit as end:  # argparse has printed the help or the version
        return int(end.code or 0), False
    if unknown:
        close = _validate.suggest(
            unknown[0], [f"--{name.replace('_', '-')}" for name in vars(args)]
        )
        raise ValueError(f"unrecognized arguments: {' '.join(unknown)}{close}")
    if args.command is None:
        commands.print_help()
        return 2, False
    args.argv = argv
    try:
        code = int(args.run(args))
    except Exception as error:
        damage = tables.damage(error)
        if damage:
            raise ValueError(f"{args.file}: {damage}") from None
        kind = next((kind for kind in (ValueError, MemoryError) if isinstance(error, kind)), None)
        if kind is None:
            raise
        raise kind(common.with_options(str(error), args)) from None
    return code, any(getattr(args, option, None) for option in common.FILES_OUT)


class _Parser(argparse.ArgumentParser):
    """A parser that raises its errors and prints as `terminal` does."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if wrong:
            known = [name.strip(" '") for name in wrong[2].split(",")]
            message += _validate.suggest(wrong[1], known)
        raise ValueError(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        terminal.write(message.rstrip())


def parser(argv: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of all commands. Bad arguments make it raise a `ValueError`.

    Only commands among the arguments get their options: those of methods are read from their
    signatures, which imports numba.
    """
    made = _Parser(prog="specsel", description="Spectral feature selection.")
    made.add_argument("--version", action="version", version=f"specsel {specsel.__version__}")
    commands = made.add_subparsers(dest="command", metavar="COMMAND")
    for name, command in COMMANDS.items():
        one = commands.add_parser(
            name,
            help=command.description,
            description=command.description,
            epilog=command.epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in argv:
            command.add_options(one)
        one.set_defaults(run=command.run)
    return made
