"""The process of the command line, which may be interrupted while it still imports."""

from specsel.cli import terminal


def main() -> int:
    """Run the command line of this process and return its exit code."""
    try:
        from specsel.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        terminal.say("interrupted")
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
