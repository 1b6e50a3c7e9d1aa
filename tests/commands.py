"""Commands of Parlour, in the process of the tests."""

import pytest

from parlour.scripts.main import main


def told(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints that succeeds."""
    assert main(command.split()) == 0
    return capsys.readouterr().out


def refusal(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line, beside those on damaged results, that a wrong command is answered with."""
    with pytest.raises(SystemExit) as left:
        main(command.split())
    assert left.value.code == 2
    shown = capsys.readouterr().err
    assert shown.endswith("\n")
    (line,) = (line for line in shown.splitlines() if "left out" not in line)
    assert line.startswith("parlour")
    return line
