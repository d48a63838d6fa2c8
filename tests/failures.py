"""The sets of known failures of inference models, four rows each, as the data folder has them."""

from __future__ import annotations

import gzip
from pathlib import Path

from modelzoo.data.nli_tests import FILES, TWO_CLASSES
from tests.tiny import ENGLISH

LABELS = {
    "HANS": ("entailment", "not_entailment", "not_entailment", "entailment"),
    "MED": ("entailment", "neutral", "neutral", "neutral"),
    "SICK test": ("entailment", "neutral", "contradiction", "neutral"),
    "MultiNLI dev": ("entailment", "neutral", "contradiction", "-"),
}
assert {name for name, labels in LABELS.items() if "contradiction" not in labels} == set(TWO_CLASSES)


def write_failures(data: Path) -> None:
    """Write every file of FILES under `data`."""
    for name, path in FILES.items():
        rows = ["premise\thypothesis\tlabel"]
        rows += [f"{ENGLISH[k]}\t{ENGLISH[k + 1]}\t{label}" for k, label in enumerate(LABELS[name])]
        file = data / "nli" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(file, "wt", encoding="utf-8") as opened:
            opened.write("\n".join(rows) + "\n")
