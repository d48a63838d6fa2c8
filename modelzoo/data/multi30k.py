"""Multi30k: image captions in English with human translations (Elliott et al. 2016, 2017)."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, lines
from modelzoo.tasks import Example, SourceText


def read(data: Path, source: str = "en", target: str = "fr") -> Splits:
    """train (29,000), val (1,014) and test_2016_flickr (1,000); training pairs whose source is held out
    are left out."""
    folder = data / "translation" / "multi30k"
    dev = _read(folder, "val", source, target)
    test = _read(folder, "test_2016_flickr", source, target)
    held_out = {_source(example) for example in dev + test}
    train = [e for e in _read(folder, "train", source, target) if _source(e) not in held_out]
    return Splits(tuple(train), tuple(dev), tuple(test))


def _read(folder: Path, split: str, source: str, target: str) -> list[Example]:
    pairs = zip(lines(folder / f"{split}.{source}.gz"), lines(folder / f"{split}.{target}.gz"), strict=True)
    return [Example(SourceText(s), t) for s, t in pairs if s.strip() and t.strip()]


def _source(example: Example) -> str:
    inputs = example.inputs
    if not isinstance(inputs, SourceText):
        raise TypeError("a translation example holds a SourceText")
    return inputs.text.strip().lower()
