"""Attention while it was learned, on the page of model cards: tiny models that are trained here."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from modelzoo import probes
from modelzoo.probes import PROBES_FILE
from tests.checkpoints import write_checkpoint
from tests.test_probes import CONFIG, PROBES, STEPS, trained

Open = Callable[..., AppTest]
HEAD = "Attention while it was learned"


@pytest.fixture
def folder(only_tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    return tmp_path


def record(folder: Path, model: str) -> tuple[str, Path]:
    """A checkpoint of that model with the record of a run of 20 steps."""
    slug = f"{model}-learned"
    write_checkpoint(folder, model, slug)
    metric = "bleu" if model in ("rnn-search", "conv-s2s") else "accuracy"
    trained(folder / slug, PROBES[model], replace(CONFIG, metric=metric), model)
    return slug, folder / slug / PROBES_FILE


def drawn(page: AppTest) -> list[str]:
    """The note below the title of each map on the page."""
    specs = [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]
    return [note for spec in specs for note in spec.get("title", {}).get("subtitle", [])]


def text(page: AppTest) -> str:
    return html.unescape(" ".join(str(one.value) for one in (*page.caption, *page.subheader)))


@pytest.mark.parametrize("model", list(PROBES))
def test_the_slider_goes_through_the_recorded_steps(folder: Path, open_view: Open, model: str) -> None:
    slug, file = record(folder, model)
    moments = probes.read(file)
    page = open_view("zoo", model=slug)
    assert not page.exception
    assert HEAD in text(page)
    slider = page.select_slider(key=f"zoo_{slug}_step")
    assert [option.replace(",", "") for option in slider.options] == [str(step) for step in STEPS]
    last = moments[-1]
    assert last.dev is not None
    assert f"At step {last.step}, dev " in text(page)
    shown = drawn(page)
    assert shown
    assert set(shown) == {"at step 20"}
    page.select_slider(key=f"zoo_{slug}_step").set_value(STEPS[0]).run()
    assert not page.exception
    assert "At step 0, before the first evaluation." in text(page)
    assert drawn(page) == ["at step 0"] * len(shown)


def test_another_run_s_record_beside_it_can_be_chosen(folder: Path, open_view: Open) -> None:
    slug, file = record(folder, "self-attentive")
    moments = probes.read(file)
    probes.write(file.with_name("probes-mine-seed2.npz"), moments[:2])
    page = open_view("zoo", model=slug)
    choice = page.selectbox(key=f"zoo_{slug}_run")
    assert choice.options == [slug, "mine-seed2"]
    choice.set_value("mine-seed2").run()
    assert not page.exception
    assert [int(one) for one in page.select_slider(key="zoo_mine-seed2_step").options] == STEPS[:2]
    assert set(drawn(page)) == {f"at step {STEPS[1]}"}
    page.selectbox(key=f"zoo_{slug}_run").set_value(slug).run()
    assert set(drawn(page)) == {"at step 20"}


def test_every_recorded_text_can_be_chosen(folder: Path, open_view: Open) -> None:
    slug, file = record(folder, "rnn-search")
    page = open_view("zoo", model=slug)
    choice = page.selectbox(key=f"zoo_{slug}_probe")
    assert choice.options == ["A man is riding a red bicycle.", "Dogs"]
    written = probes.read(file)[-1].results[1].prediction
    choice.set_value(1).run()
    assert not page.exception
    assert html.escape(written.text) in " ".join(str(one.proto.body) for one in page.get("html"))  # type: ignore[union-attr]
    assert "one and the same translation at every step" in text(page)


def test_without_a_record_nothing_is_drawn_and_a_damaged_one_is_said(folder: Path, open_view: Open) -> None:
    write_checkpoint(folder, "self-attentive", "plain")
    page = open_view("zoo", model="plain")
    assert not page.exception
    assert HEAD not in text(page)
    (folder / "plain" / PROBES_FILE).write_bytes(b"PK\x03\x04 cut off")
    page = open_view("zoo", model="plain")
    assert not page.exception
    assert "probes.npz of plain is damaged" in html.unescape(page.error[0].value)
