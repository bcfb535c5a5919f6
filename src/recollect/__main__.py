"""`python -m recollect` is the `recollect` command."""

from recollect.surface.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
