"""A view as one HTML file that works offline: the chart with its pointer, its facts, its numbers.

Text reaches the page escaped, or as JSON in which no `<` is left; the page may load nothing.
"""

from __future__ import annotations

import html
import json
import re

from modelzoo.export.picture import spec_of, to_svg
from modelzoo.export.table import to_csv
from modelzoo.export.view import View, view_of
from modelzoo.results import Grid
from modelzoo.viz import heatmap

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:"
)
"""What the page may do: run the chart that is in it (Vega compiles its expressions), and load nothing."""
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;"
    "background:#fff;color:#1f2933}figure{margin:0;overflow-x:auto}dt{font-weight:600}dd{margin:0 0 .5rem}"
    "pre{overflow:auto;max-height:30rem;font-size:.85rem}"
)
DRAW = (
    "vegaEmbed('#chart',JSON.parse(document.getElementById('spec').textContent),"
    "{renderer:'svg',actions:false});"
)


def to_html(shown: View | Grid) -> str:
    """The view as a page of its own; about 0.9 MB of it is the program that draws."""
    view = view_of(shown)
    title = html.escape(heatmap.title(view.grid))
    facts = "".join(f'<dt>{html.escape(k)}</dt><dd dir="auto">{html.escape(v)}</dd>' for k, v in view.facts())
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}</style></head><body><h1>{title}</h1><dl>{facts}</dl>\n"
        f'<figure aria-label="{html.escape(heatmap.describe(view.grid))}">{_chart(view)}</figure>\n'
        f"<details><summary>Numbers</summary><pre>{html.escape(to_csv(view.grid))}</pre></details>"
        "</body></html>\n"
    )


def _chart(view: View) -> str:
    """Curves and text as they are; the heat map as its specification and the program that draws it."""
    if view.kind != "matrix":
        return re.sub(r"<\?xml.*?\?>", "", to_svg(view))
    import vl_convert

    spec = json.dumps(spec_of(view)).replace("<", "\\u003c")
    bundle = str(vl_convert.javascript_bundle())  # type: ignore[call-arg]
    program = re.sub("<(?=/script|!--)", r"<\\", bundle, flags=re.IGNORECASE)  # its `/</g` must stay
    return (
        f'<div id="chart"></div><script type="application/json" id="spec">{spec}</script>'
        f"<script>{program}</script><script>{DRAW}</script>"
    )
