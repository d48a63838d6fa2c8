"""Links and state files: what still applies is opened, what does not is said."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qsl

import pytest

from app import links

PAGES = {"decomposable": ("model", "text", "scale"), "viewer": ("text",)}
STATE = {"model": "a", "text": "I & שלום 👩‍👩‍👧 $x$ ../../etc <b>", "scale": "log"}


def test_link_gives_the_state_back() -> None:
    made = links.query(STATE)
    assert made is not None
    assert dict(parse_qsl(made)) == STATE


def test_too_long_a_state_is_a_file_instead() -> None:
    long = {**STATE, "text": "今" * 1000}
    assert links.query(long) is None
    opened = links.from_file(links.to_file("decomposable", long), PAGES)
    assert opened == ("decomposable", long, ())


def test_stale_file_opens_with_what_still_applies() -> None:
    text = links.to_file("decomposable", {**STATE, "<b>old</b>": "1", "text": "x" * 20_001})
    opened = links.from_file(text, PAGES)
    assert opened.state == {"model": "a", "scale": "log"}
    assert opened.notes == (
        "text has 20,001 characters of 20,000; it was left out",
        "this page knows no '<b>old</b>'; it was left out",
    )


def test_other_values_than_texts_are_left_out() -> None:
    opened = links.checked("viewer", {"text": {"a": 1}}, PAGES["viewer"])
    assert opened.state == {}
    assert "accepted is a text" in opened.notes[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is no JSON"),
        ("[" * 100_000, "the file is no JSON"),
        ("[]", "the file is no saved view"),
        (links.to_file("../../etc/passwd", {}), "accepted are decomposable, viewer"),
        (
            json.dumps({"format": links.FORMAT, "page": "viewer", "state": 3}),
            "accepted is an object of texts",
        ),
        ("x" * 200_000, "accepted are at most 160,000"),
    ],
)
def test_other_files_are_refused_with_the_rule(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        links.from_file(text, PAGES)
