"""The examples of the page about language models run, each where its framework is installed."""

import importlib.util
import re
from pathlib import Path

import pytest
import scripted_model

PAGE = Path(__file__).resolve().parents[3] / "docs" / "pages" / "language_models.md"
EXAMPLES = re.findall(
    r"^```py\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
SERVER, MODEL = "http://127.0.0.1:8000", "http://127.0.0.1:9000/v1"
FRAMEWORKS = ("openenv", "verifiers", "textarena")


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_runs(example: str) -> None:
    needed = [name for name in FRAMEWORKS if f"{name}" in example]
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} has an environment of its own")
    if SERVER in example:
        from openenv_server import served

        with served() as url:
            exec(example.replace(SERVER, url), {})
    else:
        with scripted_model.served() as url:
            exec(example.replace(MODEL, url).replace("my-model", "scripted-0"), {})


def test_every_module_has_its_example() -> None:
    assert SERVER in "".join(EXAMPLES) and MODEL in "".join(EXAMPLES)
    assert all(f"parlour_{name}" in PAGE.read_text() for name in ("openenv", "trl", "textarena"))
