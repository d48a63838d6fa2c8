"""What the fonts of this machine cannot draw, found by drawing it; SVG and HTML carry text, not glyphs.

A character without a glyph comes out as the same box as a code point that no font has. One that has a glyph
can be a box too where a line mixes scripts, because the converter then gives up looking for a second font.
"""

from __future__ import annotations

import base64
import html
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import islice

import regex

from modelzoo.export.view import legible

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
    by_script = {_script(c): c for c in reversed(characters)}
    tried = dict.fromkeys((*reversed(by_script.values()), *characters))
    return tuple(c for c in list(tried)[:_PROBES] if not _has_glyph(c))


def note(texts: Iterable[str]) -> str:
    """The sentence to show beside PNG and PDF; empty where every character is drawn."""
    lines = tuple(texts)
    lacking = missing(lines)
    lost = [c for c in boxed(lines) if c not in lacking]
    why = [f"No font on this machine has {_few(lacking)}"] if lacking else []
    if lost:
        why.append(f"{_few(lost)} cannot be drawn in one line with the other scripts in it")
    if not why:
        return ""
    return (
        f"{'; '.join(why)}: PNG and PDF show boxes there. "
        "SVG and HTML keep the text, and the fonts of the reader draw it."
    )


def boxed(texts: Iterable[str]) -> tuple[str, ...]:
    """Characters that have a glyph, and yet are boxes in one of the texts; one of each script and text.

    Where a character is a box, the text looks the same with another one of its script in its place.
    """
    tried = ((text, c, other) for text in dict.fromkeys(texts) for c, other in _one_of_each_script(text))
    found = (c for text, c, other in islice(tried, _PROBES) if _line(text) == _line(text.replace(c, other)))
    return tuple(dict.fromkeys(found))


def _one_of_each_script(text: str) -> list[tuple[str, str]]:
    """A character of each script and another one, where the text may need fonts beside that of Latin."""
    by_script: dict[str, dict[str, None]] = {}
    for character in text:
        if character > "\u024f" and _is_drawn(character):
            by_script.setdefault(_script(character), {})[character] = None
    if len(by_script) < 2:
        return []
    return [(first, [*others, _NO_CHARACTER][0]) for first, *others in by_script.values()]


def _line(text: str) -> bytes:
    return _drawn(html.escape(legible(text)), 14 * len(text) + 40)


def _script(character: str) -> str:
    return unicodedata.name(character, character).split()[0]


def _few(characters: Sequence[str]) -> str:
    return " ".join(characters[:5]) + (" …" if len(characters) > 5 else "")


def emoji_as_pictures(svg: str) -> str:
    """The SVG with every text that holds an emoji as a picture of it, for what cannot embed colour fonts."""
    return _TEXT.sub(lambda found: _picture(found) if _EMOJI.search(found[2]) else found[0], svg)


def _is_drawn(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CMZ"


@cache
def _has_glyph(character: str) -> bool:
    return _drawn(html.escape(character)) != _drawn(_NO_CHARACTER)


@lru_cache(maxsize=1024)
def _drawn(text: str, width: int = 40) -> bytes:
    import vl_convert

    place = 'x="5" y="25" font-family="sans-serif" font-size="20"'
    return bytes(vl_convert.svg_to_png(_svg(width, 40, f"<text {place}>{text}</text>")))


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
