from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from modelzoo import export, transform
from modelzoo.cards import ROOT
from modelzoo.data import archive
from modelzoo.results import AttentionResult, Internal
from modelzoo.tasks import LengthPenalty, Sentence, SentencePair, SourceText
from tests.checkpoints import write_checkpoint
from tests.samples import ODD_TOKENS, attention, label_result, text_result


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_gives_back_every_token_and_the_exact_weights() -> None:
    grid = attention(ODD_TOKENS, ODD_TOKENS[::-1])
    rows = rows_of(export.to_csv(grid))
    assert tuple(rows[0]) == export.CSV_HEADER
    back = np.zeros_like(grid.values)
    for row in rows:
        i, j = int(row["row_index"]), int(row["column_index"])
        assert (row["map"], row["row_token"], row["column_token"]) == (
            "alignment",
            grid.rows[i],
            grid.columns[j],
        )
        back[i, j] = np.float32(row["weight"])
    np.testing.assert_array_equal(back, grid.values)


def test_csv_of_two_grids_names_the_map_in_each_line() -> None:
    result = label_result()
    rows = rows_of(export.to_csv(result.map("hops"), transform.as_grid(result, "AAT")))
    assert [row["map"] for row in rows] == ["hops"] * 6 + ["AAT"] * 4


def test_summary_of_a_label_result_is_plain_and_complete() -> None:
    result = label_result()
    made = json.loads(json.dumps(export.summary(result)))
    assert made["checkpoint"] == "sample"
    assert made["tokens"]["sentence"][2] == {"typed": "zyzzyva", "model": "<unk>", "known": False}
    assert made["prediction"] == {"label": "positive", "probabilities": {"negative": 0.25, "positive": 0.75}}
    assert made["maps"][0]["rows"] == ["hop 1", "hop 2"]
    assert made["maps"][0]["columns"] == ["The", "cat", "zyzzyva"]
    assert made["maps"][0]["equation"] == "Eq. (6)"
    np.testing.assert_array_equal(np.float32(made["maps"][0]["weights"]), result.map("hops").values)


def test_summary_of_a_text_result_has_its_candidates_and_notes() -> None:
    made = json.loads(json.dumps(export.summary(text_result())))
    assert list(made["tokens"]) == ["source", "target"]
    assert made["notes"] == ["cut at 3 tokens"]
    prediction = made["prediction"]
    assert prediction["text"] == "le chat"
    assert prediction["finished"] is True
    assert prediction["candidates"][0]["tokens"] == ["▁le", "▁chat", "</s>"]
    assert prediction["log_probabilities"] == pytest.approx([-0.1, -0.2, -0.3])


# --- results that come back ---------------------------------------------------------------------


def difference(one: Any, other: Any, place: str = "result") -> str:
    """Where two results differ, in any field, to the last bit; empty where they don't."""
    if type(one) is not type(other):
        return f"{place}: {type(one)} and {type(other)}"
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        return "" if same and not other.flags.writeable else place
    if is_dataclass(one):
        inner = ((f.name, getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
        return next(filter(None, (difference(a, b, f"{place}.{name}") for name, a, b in inner)), "")
    if isinstance(one, Mapping):
        if list(one) != list(other):
            return place
        return next(filter(None, (difference(one[k], other[k], f"{place}[{k}]") for k in one)), "")
    if isinstance(one, tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next(filter(None, (difference(a, b, f"{place}[{k}]") for k, (a, b) in pairs)), "")
    return "" if one == other else place


def odd_results() -> list[AttentionResult]:
    """Results with what is rare: odd tokens, no maps, nothing in an axis, values that are not finite."""
    plain = label_result()
    odd = attention(ODD_TOKENS, ODD_TOKENS[::-1], name="../hop.1 [a]:x")
    unset = Internal("scores", np.array([[-np.inf, 1.1], [np.nan, 3e-45]]), ("hop", "unit"))
    nothing = Internal("none", np.zeros((0, 3)), ("hop", "unit"))
    forced = SourceText('$x$ "q"\n', forced=("▁a", "</s>"), length_penalty=LengthPenalty("gnmt", 0.6))
    return [
        plain,
        text_result(),
        replace(plain, maps=(), internals=(), inputs=SentencePair("<b>", "今天 👩‍👩‍👧")),
        replace(plain, maps=(odd, odd), internals=(unset, nothing)),
        replace(text_result(), inputs=forced),
    ]


@pytest.mark.parametrize("k", range(5))
def test_json_and_npz_load_back_into_an_equal_result(k: int) -> None:
    result = odd_results()[k]
    assert difference(result, export.from_json(export.to_json(result))) == ""
    assert difference(result, export.from_npz(export.to_npz(result))) == ""


def test_json_is_read_by_any_reader_and_npz_by_plain_numpy() -> None:
    result = odd_results()[3]
    json.loads(export.to_json(result), parse_constant=pytest.fail)
    arrays = np.load(io.BytesIO(export.to_npz(label_result())))
    np.testing.assert_array_equal(arrays["hops"], label_result().map("hops").values)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda d: d.pop("format"), "the file is no result"),
        (lambda d: d.pop("inputs"), "has no 'inputs'"),
        (lambda d: d.update(path="/etc/passwd"), "has 'path'"),
        (lambda d: d["inputs"].update({"class": "Popen"}), "accepted is Sentence, SentencePair, SourceText"),
        (lambda d: d.update(checkpoint=3), "checkpoint is 3; accepted is a text"),
        (lambda d: d["maps"][0].update(values=[[1, 2], [3]]), "maps, number 1, values"),
        (lambda d: d["maps"][0]["values"][0].__setitem__(0, 9.0), "sums to"),
        (lambda d: d["maps"][0].update(values={"shape": [10**12]}), "a shape that holds a 0"),
        (lambda d: d["maps"][0].update(limits=[0.0]), "a list of 2"),
        (lambda d: d["tokens"]["sentence"][1].update(known="yes"), "true or false"),
        (lambda d: d["maps"][0].update(limits=[0, 10**400]), "int too large to convert to float"),
        (lambda d: d["maps"][0].update(limits=[0.0, float("inf")]), "not a finite number"),
        (lambda d: d["maps"][0].update(values=[[10**400]]), "maps, number 1, values"),
        (lambda d: d["maps"][0]["values"][0].__setitem__(0, float("inf")), "maps, number 1"),
        (lambda d: d["maps"][0].update(values={"shape": [0, 10**30]}), "maps, number 1, values"),
    ],
)
def test_changed_json_is_refused_with_the_place(change: Callable[[Any], Any], told: str) -> None:
    document = json.loads(export.to_json(label_result()))
    change(document)
    with pytest.raises(ValueError, match=re.escape(told)):
        export.from_json(json.dumps(document))


@pytest.mark.parametrize("number", ["1e999", "-1e999", "1" + "0" * 400, "1" * 5000])
def test_no_number_of_a_file_is_too_large_for_a_sentence(number: str) -> None:
    """In the place of any number of the file."""
    text = export.to_json(label_result())
    refused = []
    for found in list(re.finditer(r"(?<=[\[ ])-?\d[\d.e-]*(?=[,\]}])", text))[::5]:
        try:
            export.from_json(text[: found.start()] + number + text[found.end() :])
        except ValueError as error:  # nothing else is raised
            refused.append(str(error))
    assert refused
    assert all(refused)


@pytest.mark.parametrize("text", ["", "[" * 100_000, "{}", "[1]", "null"])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the file is no"):
        export.from_json(text)


def test_other_npz_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    np.savez(file, a=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="holds Python objects"):
        export.from_npz(file.getvalue())
    for raw in (b"", b"PK", export.to_npz(label_result())[:-40]):
        with pytest.raises(ValueError, match="damaged NPZ"):
            export.from_npz(raw)
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", 100)
    with pytest.raises(ValueError, match="accepted are at most 100 bytes"):
        export.from_npz(export.to_npz(label_result()))


# --- as code -------------------------------------------------------------------------------------


def test_code_gives_the_same_numbers_in_another_process(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, "decomposable", "tiny")
    text = "It's \"quoted\" $5\\n </script>\n'''"
    from modelzoo import registry

    result = registry.load("tiny", "cpu", folder=tmp_path / "tiny").attend([SentencePair(text, "A man.")])[0]
    name = "premise_to_hypothesis"
    reading = transform.Reading(hide_special=True, scale="row")
    window = (range(2), range(1, 3))
    code = export.as_code(result, name, reading=reading, window=window)
    program = f"{code}import sys\nsys.stdout.write(repr(grid.values.tobytes()))\n"
    environment = {**os.environ, "ATLAS_CHECKPOINTS": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    sheet = transform.apply(transform.sheet_of(result, result.map(name)), reading)
    assert done.stdout.endswith(repr(transform.window(sheet, *window).grid.values.tobytes()))


def test_code_holds_text_only_as_literals() -> None:
    text = "'); import os; os.system('x') #\n\u2028\"\"\""
    tree = ast.parse(export.as_code(replace(label_result(), inputs=Sentence(text), checkpoint=text), text))
    assert [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)].count(text) == 3
    imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert imported == ["modelzoo.registry", "modelzoo.tasks"]
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
