"""Views as SVG, PNG, PDF and HTML: whole, literal, offline, in every script."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest
import vl_convert

from modelzoo import export
from modelzoo.export import fonts
from modelzoo.viz.curves import LABEL_CHARACTERS
from tests.samples import ODD_TOKENS, attention


def texts_of(svg: str) -> list[str]:
    """The texts an SVG shows, as a reader of XML sees them."""
    return ["".join(node.itertext()) for node in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_svg_shows_every_token_as_typed() -> None:
    tokens = tuple(token for token in ODD_TOKENS if "\n" not in token)
    shown = texts_of(export.to_svg(attention(("<i>r</i>",), tokens)))
    assert [text for text in shown if text in tokens] == list(tokens)
    assert {"<i>r</i>", "where it looked", "source", "target", "weight, scale 0 to 1"} <= set(shown)


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (12, 20)])
def test_svg_has_a_whole_cell_for_every_weight(size: tuple[int, int]) -> None:
    rows, columns = (tuple(f"w{k}" for k in range(n)) for n in size)
    svg = export.to_svg(attention(rows, columns))
    assert svg.count("<path aria-label=") == size[0] * size[1]


def test_svg_needs_nothing_from_elsewhere() -> None:
    svg = export.to_svg(attention(("a",), ("b",)))
    assert "<script" not in svg
    assert "href" not in svg.replace("http://www.w3.org/1999/xlink", "")


WORLD = ("今天", "هذا", "👩‍👩‍👧", "נמסטה", "</script><script>alert(1)</script>", "the", "the")


def world_view(**changes: Any) -> export.View:
    grid = replace(attention(("a", "b"), WORLD), notes=("per-row maximum",), title="$x$ <b>t</b>")
    return replace(export.View(grid, model="Tiny (tiny-x)", texts={"source": "I said שלום & <i>"}), **changes)


CONTROL = ("a\x00b", "\x1b[31m", "\uffff", "\ud800", "x")


@pytest.mark.parametrize("kind", ["matrix", "curves", "text"])
def test_characters_that_no_svg_may_hold_are_drawn_as_pictures(kind: Any) -> None:
    """In a text or a token they would end the converter, and with it the whole process."""
    grid = replace(attention(CONTROL, CONTROL), title="t\x01", notes=("n\x02",))
    view = export.View(grid, kind, texts={"source": "s\x00"})
    shown = " ".join(texts_of(export.to_svg(view)))
    assert all(text in shown for text in ("a␀b", "␛[31m", "�", "t␁", "n␂", "s␀"))
    assert export.to_png(view, width=800).startswith(b"\x89PNG")
    assert export.to_pdf(view).startswith(b"%PDF")
    assert "a␀b" in export.to_html(view)
    assert export.note(("今 हि \x00",)) is not None


KINDS = {
    "matrix": "weight, scale 0 to 1",
    "curves": "weight, scale 0 to 1",
    "text": "Colour: the strongest word of a line; no colour is the scale's lower end",
}


@pytest.mark.parametrize("kind", KINDS)
def test_picture_carries_title_model_text_reading_pins_and_scale(kind: Any) -> None:
    shown = texts_of(export.to_svg(world_view(kind=kind, pinned=(1,), columns=(0, 1))))
    for line in (
        "$x$ <b>t</b>",
        "model: Tiny (tiny-x)",
        "source: I said שלום & <i>",
        "read: per-row maximum",
    ):
        assert any(line in text for text in shown)
    assert any("pinned: b" in text for text in shown)
    assert any("pinned columns: 今天, هذا" in text for text in shown)
    assert KINDS[kind] in shown


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_takes_chinese_arabic_and_joined_emoji(kind: Any) -> None:
    view = world_view(texts={}, kind=kind, pinned=(0,))
    nodes = ET.fromstring(export.to_svg(view)).iter("{http://www.w3.org/2000/svg}text")
    words = [word for word in WORLD if len(word) <= LABEL_CHARACTERS]  # curves cut longer ones
    assert [node.text for node in nodes if node.text in words] == words
    png = export.to_png(view, width=300)
    assert png.startswith(b"\x89PNG")
    assert int.from_bytes(png[16:20], "big") == 300
    assert export.to_pdf(view).startswith(b"%PDF")


def test_page_works_offline_and_holds_tokens_only_as_text() -> None:
    page = export.to_html(world_view())
    assert "alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "default-src 'none'" in page
    assert str(vl_convert.javascript_bundle()) in page, "the program that draws was changed"
    spec = json.loads(page.partition('id="spec">')[2].partition("</script>")[0])
    assert spec["title"]["text"] == "$x$ <b>t</b>"
    outside = page.replace("http://www.w3.org/", "").partition("<script>")[0]
    assert "http://" not in outside


def test_too_large_a_png_is_refused_with_the_number() -> None:
    with pytest.raises(ValueError, match=r"50,000 by .* a side may have 1 to 12,000"):
        export.to_png(attention(("a",), ("b",)), width=50_000)


def test_a_pdf_that_cannot_be_made_says_what_can(monkeypatch: pytest.MonkeyPatch) -> None:
    import vl_convert

    def fail(svg: str) -> bytes:
        raise RuntimeError("An error occurred while subsetting a font.")

    monkeypatch.setattr(vl_convert, "svg_to_pdf", fail)
    with pytest.raises(ValueError, match=r"subsetting a font\); SVG, PNG and HTML show the same"):
        export.to_pdf(attention(("a",), ("b",)))


def test_glyphs_that_no_font_has_are_named() -> None:
    assert fonts.missing(["abc é <b>"]) == ()
    assert fonts.missing(["\ue123"]) == ()  # no character, so nothing to draw
    assert fonts.missing(["a\U000e0fffb 𐒀"]) in ((), ("𐒀",))


def test_box_in_a_line_of_several_scripts_is_said_though_a_font_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = "said שלום هذا"
    drawn = fonts._drawn

    def without_arabic_beside_hebrew(text: str, width: int = 40) -> bytes:
        both = any("א" <= c <= "ת" for c in text) and any("ا" <= c <= "ي" for c in text)
        return drawn("".join("\u25a1" if both and c >= "ا" else c for c in text), width)

    assert fonts.boxed(["abc", "هذا", "a—b"]) == ()
    monkeypatch.setattr(fonts, "_drawn", without_arabic_beside_hebrew)
    assert fonts.boxed([line]) == ("ه",)
    monkeypatch.setattr(fonts, "missing", lambda texts: ())
    assert fonts.note([line]).startswith("ه cannot be drawn in one line with the other scripts in it")


def test_a_missing_font_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fonts, "_has_glyph", lambda character: character < "\u0370")
    assert fonts.note(["the", "今天 今", "ж"]).startswith(
        "No font on this machine has 今 ж 天: PNG and PDF show boxes"
    )
    assert fonts.note(["the"]) == ""


def test_emoji_become_pictures_where_a_colour_font_cannot_be_embedded() -> None:
    svg = export.to_svg(world_view())
    drawn = fonts.emoji_as_pictures(svg)
    assert drawn.count("data:image/png") == sum("👩" in text for text in texts_of(svg))
    assert texts_of(drawn) == [text for text in texts_of(svg) if "👩" not in text]


def test_large_grid_keeps_every_cell_as_a_mark() -> None:
    tokens = tuple(f"w{k}" for k in range(51))
    svg = export.to_svg(attention(tokens, tokens))
    assert svg.count('fill="rgb(') >= 51 * 51
