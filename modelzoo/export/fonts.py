"""What the fonts of this machine cannot draw, found by drawing it; SVG and HTML carry text, not glyphs.

A character without a glyph comes out as the same box as a code point that no font has.
"""

from __future__ import annotations

import base64
import html
import unicodedata
from collections.abc import Iterable
from functools import cache

import regex

_NO_CHARACTER = "\U0010fffe"
_PROBES = 40
"""Characters that are tried at most; one of each script comes first."""
_EMOJI = regex.compile(r"\p{Extended_Pictographic}|\p{Regional_Indicator}")
_TEXT = regex.compile(r"<text\b([^>]*)>(.*?)</text>", regex.DOTALL)
_ATTRIBUTE = regex.compile(r'([\w-]+)="([^"]*)"')
_SHARPNESS = 4


def missing(texts: Iterable[str]) -> tuple[str, ...]:
    """Characters of the texts, one a script first, that no font here has; `A` speaks for all Latin ones."""
    others = (c for text in texts for c in text if c > "\u024f" and _is_drawn(c))
    characters = dict.fromkeys(("A", *others))
    by_script = {unicodedata.name(c, c).split()[0]: c for c in reversed(characters)}
    tried = dict.fromkeys((*reversed(by_script.values()), *characters))
    return tuple(c for c in list(tried)[:_PROBES] if not _has_glyph(c))


def note(texts: Iterable[str]) -> str:
    """The sentence to show beside PNG and PDF; empty where every character has its glyph."""
    lacking = missing(texts)
    shown = " ".join(lacking[:5]) + (" …" if len(lacking) > 5 else "")
    if not lacking:
        return ""
    return (
        f"No font on this machine has {shown}: PNG and PDF show boxes there. "
        "SVG and HTML keep the text, and the fonts of the reader draw it."
    )


def emoji_as_pictures(svg: str) -> str:
    """The SVG with every text that holds an emoji as a picture of it, for what cannot embed colour fonts."""
    return _TEXT.sub(lambda found: _picture(found) if _EMOJI.search(found[2]) else found[0], svg)


def _is_drawn(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CMZ"


@cache
def _has_glyph(character: str) -> bool:
    return _drawn(html.escape(character)) != _drawn(_NO_CHARACTER)


@cache
def _drawn(text: str) -> bytes:
    import vl_convert

    place = 'x="5" y="25" font-family="sans-serif" font-size="20"'
    return bytes(vl_convert.svg_to_png(_svg(40, 40, f"<text {place}>{text}</text>")))


def _svg(width: float, height: float, inside: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{inside}</svg>'


def _picture(found: regex.Match[str]) -> str:
    """One text element as an image at the same place, its baseline and its anchor kept."""
    import vl_convert

    given = dict(_ATTRIBUTE.findall(found[1]))
    size = float(given.get("font-size", "14px").removesuffix("px"))
    width, height = size * (len(found[2]) + 4), size * (3 + 2 * found[2].count("<tspan"))
    x = {"middle": width / 2, "end": width}.get(given.get("text-anchor", "start"), 0.0)
    left, top = float(given.pop("x", 0)), float(given.pop("y", 0))
    turned = given.pop("transform", "")
    look = " ".join(f'{name}="{value}"' for name, value in given.items())
    drawn = vl_convert.svg_to_png(
        _svg(width, height, f'<text {look} x="{x}" y="{2 * size}">{found[2]}</text>'), scale=_SHARPNESS
    )
    address = f"data:image/png;base64,{base64.b64encode(drawn).decode()}"
    place = f'x="{left - x}" y="{top - 2 * size}" width="{width}" height="{height}"'
    return f'<image {place} transform="{turned}" href="{address}"/>'
