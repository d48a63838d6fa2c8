from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from modelzoo import export, transform
from tests.samples import ODD_TOKENS, attention, label_result, text_result


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def texts_of(svg: str) -> list[str]:
    """The texts an SVG shows, as a reader of XML sees them."""
    return ["".join(node.itertext()) for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


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


def test_svg_shows_every_token_as_typed() -> None:
    tokens = tuple(token for token in ODD_TOKENS if "\n" not in token)
    shown = texts_of(export.to_svg(attention(("<i>r</i>",), tokens)))
    assert [text for text in shown if text in tokens] == list(tokens)
    assert {"<i>r</i>", "where it looked", "source", "target", "weight, scale 0 to 1"} <= set(shown)


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (60, 60)])
def test_svg_has_a_whole_cell_for_every_weight(size: tuple[int, int]) -> None:
    rows, columns = (tuple(f"w{k}" for k in range(n)) for n in size)
    svg = export.to_svg(attention(rows, columns))
    assert svg.count("<path aria-label=") == size[0] * size[1]


def test_svg_needs_nothing_from_elsewhere() -> None:
    svg = export.to_svg(attention(("a",), ("b",)))
    assert "<script" not in svg
    assert "href" not in svg.replace("http://www.w3.org/1999/xlink", "")


def test_json_of_a_label_result_is_plain_and_complete() -> None:
    result = label_result()
    made = json.loads(json.dumps(export.to_json(result)))
    assert made["checkpoint"] == "sample"
    assert made["tokens"]["sentence"][2] == {"typed": "zyzzyva", "model": "<unk>", "known": False}
    assert made["prediction"] == {"label": "positive", "probabilities": {"negative": 0.25, "positive": 0.75}}
    assert made["maps"][0]["rows"] == ["hop 1", "hop 2"]
    assert made["maps"][0]["columns"] == ["The", "cat", "zyzzyva"]
    assert made["maps"][0]["equation"] == "Eq. (6)"
    np.testing.assert_array_equal(np.float32(made["maps"][0]["weights"]), result.map("hops").values)


def test_json_of_a_text_result_has_its_candidates_and_notes() -> None:
    made = json.loads(json.dumps(export.to_json(text_result())))
    assert list(made["tokens"]) == ["source", "target"]
    assert made["notes"] == ["cut at 3 tokens"]
    prediction = made["prediction"]
    assert prediction["text"] == "le chat"
    assert prediction["finished"] is True
    assert prediction["candidates"][0]["tokens"] == ["▁le", "▁chat", "</s>"]
    assert prediction["log_probabilities"] == pytest.approx([-0.1, -0.2, -0.3])
