"""The page of model cards, over tiny checkpoints."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from modelzoo.cards import TRAINING_FILE, Measure, Score, read_card
from tests.app.conftest import APP, TIMEOUT
from tests.checkpoints import SLUGS, write_checkpoint, write_checkpoints

Open = Callable[..., AppTest]
HISTORY = [
    {"step": 10, "loss": 1.5, "dev_accuracy": 0.5, "minutes": 0.1},
    {"step": 20, "loss": 1.0, "dev_accuracy": 0.7, "minutes": 0.2},
]


def shown(page: AppTest) -> str:
    return html.unescape(" ".join(str(one.value) for one in (*page.markdown, *page.caption, *page.code)))


@pytest.fixture
def folder(only_tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tiny checkpoints that a test may change."""
    write_checkpoints(tmp_path)
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    return tmp_path


def test_page_lists_every_checkpoint_and_shows_the_first_card(open_view: Open) -> None:
    page = open_view("zoo")
    assert not page.exception
    assert set(page.dataframe[0].value["checkpoint"]) == set(SLUGS.values())
    assert page.selectbox(key="zoo_model").value == sorted(SLUGS.values())[0]
    assert "fifteen sentences of this test: 15 train" in shown(page)
    assert "python -m modelzoo train conv-s2s-tiny" in shown(page)
    assert "no record of its training" in shown(page)
    page.selectbox(key="zoo_model").set_value("rnn-search-tiny").run()
    assert page.header[0].value == "Tiny rnn-search"
    assert page.query_params == {"model": "rnn-search-tiny"}


def test_card_shows_metrics_terms_limits_and_the_curve(folder: Path, open_view: Open) -> None:
    slug = SLUGS["self-attentive"]
    made = replace(
        read_card(slug),
        metrics={"dev_accuracy": 0.7, "test_accuracy": 0.65},
        intervals={"dev_accuracy": [0.6, 0.8]},
        sources=("Ours, CC0",),
        limits=("Knows <b>nothing</b> $x$",),
        steps=20,
        made_by="python -m modelzoo train --model self-attentive --slug mine",
    )
    made.save(folder / slug)
    (folder / slug / TRAINING_FILE).write_text(json.dumps({"history": HISTORY}))
    page = open_view("zoo", model=slug)
    assert not page.exception
    table = page.dataframe[1].value
    assert table["metric"].tolist() == ["dev accuracy", "test accuracy"]
    assert table["95 % interval"].tolist() == ["0.6 to 0.8", ""]
    assert "Ours, CC0" in shown(page)
    assert "Knows <b>nothing</b> $x$" in shown(page)
    assert made.made_by in shown(page)
    drawn = [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]
    assert [chart["layer"][0]["title"]["text"] for chart in drawn] == ["dev accuracy", "loss"]


def test_all_checkpoints_stand_in_one_table_with_intervals_and_baselines(
    folder: Path, open_view: Open
) -> None:
    slug = SLUGS["decomposable"]
    made = replace(
        read_card(slug),
        metrics={"dev_accuracy": 0.7, "test_accuracy": 0.65},
        intervals={"dev_accuracy": [0.6, 0.8], "test_accuracy": [0.6, 0.7]},
        beside={"test": {"most frequent label": 0.34}},
        seed=3,
        steps=1200,
        minutes=4.5,
        training={"metric": "accuracy"},
    )
    made.save(folder / slug)
    table = open_view("zoo").dataframe[0].value.set_index("checkpoint")
    row = table.loc[slug]
    assert row["test, 95 % interval"] == "0.650 (0.600 to 0.700)"
    assert row["dev, 95 % interval"] == "0.700 (0.600 to 0.800)"
    assert row["beside it, on test"] == "most frequent label 0.340"
    assert tuple(row[["weights", "seed", "steps", "minutes"]]) == (made.parameters, 3, 1200, 4.5)
    assert table.loc[SLUGS["rnn-search"], "test, 95 % interval"] == ""


def test_known_failures_stand_beside_the_most_frequent_label(folder: Path, open_view: Open) -> None:
    slug = SLUGS["decomposable"]
    hans = Score(
        "HANS",
        30_000,
        {"accuracy": 0.52, "entailment_said": 0.97, "entailment_right": 0.5},
        {"accuracy": (0.51, 0.53)},
        {"most frequent label": 0.5},
    )
    metrics = {"dev_accuracy": 0.7}
    replace(read_card(slug), metrics=metrics, known_failures=(hans,)).save(folder / slug)
    page = open_view("zoo", model=slug)
    (row,) = page.dataframe[2].value.to_dict("records")
    assert row == {
        "set": "HANS",
        "rows": 30_000,
        "accuracy, 95 % interval": "0.520 (0.510 to 0.530)",
        "most frequent label": "0.500",
        "says entailment": "97%",
        "is entailment": "50%",
    }
    assert "It learned from none of these sets" in shown(page)
    page.selectbox(key="zoo_model").set_value(SLUGS["rnn-search"]).run()
    assert "It learned from none of these sets" not in shown(page)


def test_long_sentences_are_told_on_the_card_and_on_the_model_s_page(folder: Path, open_view: Open) -> None:
    slug = SLUGS["rnn-search"]
    buckets = tuple(
        Score(f"{split}, {words} words", 100, {"bleu": value}, {"bleu": (value - 1, value + 1)})
        for split, words, value in (
            ("dev", "1 to 10", 40.0),
            ("test", "1 to 10", 42.0),
            ("test", "51 to 60", 9),
        )
    )
    usual = {"source": 35}
    replace(read_card(slug), metrics={"dev_bleu": 40.0}, lengths=buckets, usual_lengths=usual).save(
        folder / slug
    )
    st.cache_resource.clear()  # other tests have asked the model that this card is of
    st.cache_data.clear()
    page = open_view("zoo", model=slug)
    table = page.dataframe[2].value.set_index("source")
    assert table.loc["1 to 10 words"].tolist() == ["40.0 (39.0 to 41.0)", "42.0 (41.0 to 43.0)"]
    assert table.loc["51 to 60 words", "test, 95 % interval"] == "9.0 (8.0 to 10.0)"
    assert "99 % of what it learned from has at most 35 tokens in the source" in shown(page)
    page = open_view("rnn_search", model=slug, text="A dog runs.")
    told = "BLEU by length of the source, of test sentences joined: 1 to 10 words 42.0, 51 to 60 words 9.0."
    assert told in shown(page)
    page = open_view("rnn_search", model=slug, text="A dog runs. " * 15)
    assert any("learned from have at most 35" in notice.value for notice in page.info)


def test_link_to_an_unknown_card_opens_the_first_and_a_damaged_one_is_said(
    folder: Path, open_view: Open
) -> None:
    write_checkpoint(folder, "rnn-search", "broken")
    (folder / "broken" / "card.json").write_text("{")
    page = open_view("zoo", model="../x")
    assert not page.exception
    assert "broken/card.json is damaged" in html.unescape(" ".join(error.value for error in page.error))
    assert page.selectbox(key="zoo_model").value == "conv-s2s-tiny"


def test_without_checkpoints_it_says_so(
    only_tiny: None, open_view: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page = open_view("zoo")
    assert not page.exception
    assert "There is no checkpoint yet" in page.info[0].value


def test_navigation_leads_to_the_cards(only_tiny: None) -> None:
    page = AppTest.from_file(str(APP / "main.py"), default_timeout=TIMEOUT).run()
    page.switch_page("views/zoo.py").run()
    assert not page.exception
    assert page.title[0].value == "Model cards"


def test_card_shows_how_well_it_attends(folder: Path, open_view: Open) -> None:
    slug = SLUGS["rnn-search"]
    rows = (
        Measure("60 *pairs*", "diagonal", {"aer": 0.355}),
        Measure("60 *pairs*", "alignment", {"aer": 0.3}),
    )
    replace(read_card(slug, folder / slug), attention=rows).save(folder / slug)
    page = open_view("zoo", model=slug)
    table = next(t.value for t in page.dataframe if "map or baseline" in t.value)
    assert list(table["map or baseline"]) == ["diagonal", "alignment"]
    assert list(table["aer"]) == [0.355, 0.3]
    assert "How well it attends" in [h.value for h in page.subheader]
