"""The command line: ``specsel select`` ranks the features of a table, ``specsel path`` takes few.

``specsel stable`` keeps those of which a principal subspace is certain; ``specsel reproduce`` runs
the papers' experiments.

Results go to stdout, messages of one line to stderr. Exit codes: 0 done, 1 done but not
converged, 2 refused, 130 interrupted.
"""

import argparse

import specsel
from specsel.cli import info, path, reproduce, select, stable, terminal


def main(argv=None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : list of str, optional
        Arguments, those of the process by default.
    """
    try:
        parser = _parser()
        args = parser.parse_args(argv)
        if args.command is None:
            parser.print_help()
            return 2
        return args.run(args)
    except SystemExit as end:  # help or version has been printed
        return end.code or 0
    except (ValueError, OSError, MemoryError) as error:
        terminal.say(_reason(error))
        return 2


def _reason(error):
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)

    def _print_message(self, message, file=None):
        terminal.write(message.rstrip())


def _parser():
    parser = _Parser(prog="specsel", description="Spectral feature selection.")
    parser.add_argument("--version", action="version", version=f"specsel {specsel.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in (select, path, stable, reproduce, info):
        command.add_command(commands)
    return parser
