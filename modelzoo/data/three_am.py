"""3AM: image captions rich in ambiguous words, English and Chinese (Ma et al. 2024)."""

from __future__ import annotations

from pathlib import Path

from modelzoo.data.folder import Splits, letters, lines
from modelzoo.tasks import Example, SourceText
from modelzoo.text import normalise


def read(data: Path) -> Splits:
    """train, val and test with one target a source; training pairs whose source is held out are left out."""
    folder = data / "translation" / "3am-en-zh"
    dev, test = _read(folder, "val"), _read(folder, "test")
    train = {key: e for key, e in _read(folder, "train").items() if key not in dev and key not in test}
    return Splits(tuple(train.values()), tuple(dev.values()), tuple(test.values()))


def _read(folder: Path, split: str) -> dict[str, Example]:
    examples: dict[str, Example] = {}
    pairs = zip(lines(folder / f"{split}.en.gz"), lines(folder / f"{split}.zh.gz"), strict=True)
    for source, target in pairs:
        source, target = normalise(source), normalise(target)
        if source and target:
            examples.setdefault(letters(source), Example(SourceText(source), target))
    return examples
