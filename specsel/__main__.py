"""Runs the command line as a process: ``python -m specsel``, or ``specsel``."""

from specsel.cli import terminal


def main() -> int:
    """Run the command line with the arguments of the process and return its exit code."""
    try:
        # Imported here so that Ctrl-C during the import ends in one line too.
        from specsel.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        terminal.say("interrupted")
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
