"""The command line without a process of its own."""

from __future__ import annotations

import pytest

from modelzoo.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The exit status, stdout and stderr of `python -m modelzoo` with these arguments."""
    try:
        status = main(arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    printed = capsys.readouterr()
    return status, printed.out, printed.err
