"""The compare page over tiny models: zero for equal sides, a reason where axes differ, a link for both."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from tests.checkpoints import SLUGS, write_checkpoint

OpenCompare = Callable[..., AppTest]


@pytest.fixture
def compared(open_view: Callable[..., AppTest]) -> OpenCompare:
    """Open the page with both sides, given as `a_text="…"`."""

    def opened(**sides: str) -> AppTest:
        both = ("a_", "b_")
        names = {name: name.replace("_", ".", 1) if name.startswith(both) else name for name in sides}
        return open_view("compare", **{names[name]: value for name, value in sides.items()})

    return opened


def charts(page: AppTest) -> list[dict[str, Any]]:
    return [json.loads(chart.proto.spec) for chart in page.get("vega_lite_chart")]


def titles(page: AppTest) -> list[str]:
    return [chart["title"]["text"] for chart in charts(page)]


def weights(page: AppTest, k: int) -> list[float]:
    data = page.get("vega_lite_chart")[k].proto.datasets[0].data.data
    return [row["weight"] for row in pa.ipc.open_stream(data).read_all().to_pylist()]


def said(elements: Any) -> str:
    return " ".join(html.unescape(element.value) for element in elements)


LIN = SLUGS["self-attentive"]


def test_a_thing_compared_with_itself_differs_by_zero_everywhere(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat saw the dog", b_text="the cat saw the dog")
    assert not page.exception
    assert titles(page)[-1].startswith("B − A")
    assert len(charts(page)) == 3
    assert not any(weights(page, 2))
    assert "the difference is 0" in said(page.caption)
    assert not page.dataframe[0].value["difference"].any()


@pytest.mark.parametrize("model", ["rnn-search", "conv-s2s"])
def test_a_translation_compared_with_itself_differs_by_zero(compared: OpenCompare, model: str) -> None:
    slug, text = SLUGS[model], "A man is riding a red bicycle."
    page = compared(a_model=slug, b_model=slug, a_text=text, b_text=text, a_beam="2", b_beam="2")
    assert not page.exception
    assert not any(weights(page, 2))


def test_different_texts_stand_side_by_side_with_the_reason(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat saw it", b_text="the dog saw it")
    assert not page.exception
    assert "column 2 is the first that differs, 'cat' in A and 'dog' in B" in said(page.info)
    assert len(charts(page)) == 2
    assert [title[:2] for title in titles(page)] == ["A:", "B:"]


def test_both_maps_have_one_scale_and_the_difference_a_symmetric_one(compared: OpenCompare) -> None:
    pair = {"a_text": "A man sleeps", "a_text_pair": "He sleeps", "b_text": "A man sleeps"}
    slug = SLUGS["decomposable"]
    link = {"a_model": slug, "b_model": slug, "b_text_pair": "He sleeps"}
    page = compared(**pair, **link)
    domains = [json.dumps(chart).partition('"domain": [')[2].partition("]")[0] for chart in charts(page)]
    first, second, signed = ([float(limit) for limit in domain.split(",")] for domain in domains)
    assert first == second
    assert signed[0] == -signed[1]


def test_two_checkpoints_differ_by_b_less_a(
    compared: OpenCompare, tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed, slug in enumerate(("lin-one", "lin-two")):
        write_checkpoint(tmp_path, "self-attentive", slug, seed=seed)
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page = compared(a_model="lin-one", b_model="lin-two", a_text="the cat saw it")
    assert not page.exception
    assert page.text_input(key="compare_b_text").value == "the cat saw it"
    page.selectbox(key="compare_pair").set_value(0).run()
    a, b, signed = (np.array(weights(page, k)) for k in range(3))
    np.testing.assert_allclose(signed, b - a, atol=1e-6)
    assert signed.any()
    table = page.dataframe[0].value
    np.testing.assert_allclose(table["difference"], table["B"] - table["A"], atol=1e-7)
    assert "of a row's weight lies elsewhere in B" in said(page.caption)


@pytest.mark.parametrize("output", ["a", "b"])
def test_two_translators_are_compared_on_one_output(compared: OpenCompare, output: str) -> None:
    page = compared(
        a_model=SLUGS["rnn-search"],
        b_model=SLUGS["conv-s2s"],
        a_text="A man.",
        b_text="A man.",
        output=output,
    )
    assert not page.exception
    assert len(charts(page)) == 3
    assert len(page.selectbox(key="compare_pair").options) == 3
    rows = {json.dumps(chart["encoding"]["y"]["axis"]["labelExpr"]) for chart in charts(page)}
    assert len(rows) == 1
    assert len(page.get("html")) >= 2


def test_two_translators_can_be_given_a_text_of_ones_own(compared: OpenCompare) -> None:
    page = compared(a_model=SLUGS["rnn-search"], b_model=SLUGS["conv-s2s"], a_text="A man.", output="own")
    assert "type a translation" in said(page.info)
    page.text_input(key="compare_target").set_value("Un homme.").run()
    assert not page.exception
    assert page.query_params["target"] == "Un homme."
    shown = page.dataframe[0].proto.arrow_data.styler.display_values
    (told,) = pa.ipc.open_stream(shown).read_all().to_pandas().iloc[:1, -1:].to_numpy().ravel()
    assert str(told).startswith("\u2212")
    rows = charts(page)[0]["encoding"]["y"]["axis"]["labelExpr"]
    assert "</s>" in rows
    assert len(charts(page)) == 3


def test_a_checkpoint_without_attention_is_told(
    compared: OpenCompare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_checkpoint(tmp_path, "self-attentive", "with")
    write_checkpoint(tmp_path, "self-attentive", "without", pooling="mean")
    monkeypatch.setenv("ATLAS_CHECKPOINTS", str(tmp_path))
    page = compared(a_model="with", b_model="without", a_text="the cat")
    assert not page.exception
    assert "B has no attention" in said(page.info)
    assert len(charts(page)) == 1
    assert len(page.dataframe[0].value) == 2


@pytest.mark.parametrize("slug", ["../self-attentive-tiny", "/etc/passwd", "<b>x</b>", "$x$"])
def test_a_slug_of_a_link_is_looked_up_and_never_a_path(compared: OpenCompare, slug: str) -> None:
    page = compared(a_model=slug, b_model=slug)
    assert not page.exception
    assert said(page.info).count(f"{slug!r} is not there") == 2
    assert page.selectbox(key="compare_a_model").value in SLUGS.values()


def test_b_must_answer_the_task_of_a(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=SLUGS["rnn-search"])
    assert not page.exception
    assert "answers another task than A" in said(page.info)
    assert page.selectbox(key="compare_b_model").value == LIN


def test_both_sides_start_anew_when_a_changes_its_task(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat", b_text="the dog")
    page.selectbox(key="compare_a_model").set_value(SLUGS["decomposable"]).run()
    assert not page.exception
    assert not page.info or "another task" not in said(page.info)
    assert page.selectbox(key="compare_b_model").value == SLUGS["decomposable"]
    assert page.text_input(key="compare_a_text-pair").value


def test_the_link_carries_both_sides(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat", b_text="the dog")
    page.text_input(key="compare_b_text").set_value("a <b>dog</b> & $x$").run()
    assert page.query_params == {
        "a.model": LIN,
        "a.text": "the cat",
        "b.model": LIN,
        "b.text": "a <b>dog</b> & $x$",
    }


def test_texts_are_copied_and_sides_are_swapped(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat", b_text="the dog")
    page.button(key="compare_swap").click().run()
    assert page.text_input(key="compare_a_text").value == "the dog"
    page.button(key="compare_copy").click().run()
    assert page.text_input(key="compare_b_text").value == "the dog"
    assert "the difference is 0" in said(page.caption)


def test_a_side_that_is_emptied_keeps_its_last_answer_and_says_so(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat saw it", b_text="the dog saw it")
    page.text_input(key="compare_b_text").set_value("\u200b").run()
    page.text_input(key="compare_a_text").set_value("the bird saw it").run()
    assert not page.exception
    assert "empty; type at least one word" in said(page.error)
    assert "Below stays the answer to what was asked before: 'the dog saw it'" in said(page.info)
    assert "'bird' in A and 'dog' in B" in said(page.info)
    assert len(charts(page)) == 2


def test_a_blank_side_is_refused_and_the_other_stays(compared: OpenCompare) -> None:
    page = compared(a_model=LIN, b_model=LIN, a_text="the cat", b_text=" ")
    assert not page.exception
    assert "empty; type at least one word" in said(page.error)
    assert page.get("html")


def test_no_model_runs_when_another_map_is_chosen(
    compared: OpenCompare, monkeypatch: pytest.MonkeyPatch
) -> None:
    from app import state

    slug = SLUGS["conv-s2s"]
    page = compared(a_model=slug, b_model=slug, a_text="A man.", b_text="A man.")
    asked: list[Any] = []
    monkeypatch.setattr(type(state.load(slug)), "attend", lambda self, inputs: asked.append(inputs))
    page.selectbox(key="compare_pair").set_value(0).run()
    assert not page.exception
    assert asked == []
