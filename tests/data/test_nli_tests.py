"""The sets on which inference models fail: their labels, and which have two classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelzoo.data import nli, nli_tests
from modelzoo.data.folder import data_folder
from tests.failures import write_failures


def test_neutral_and_contradiction_are_one_answer_where_a_set_has_two(tmp_path: Path) -> None:
    write_failures(tmp_path)
    found = {
        name: [example.gold for example in examples] for name, examples in nli_tests.read(tmp_path).items()
    }
    assert found["HANS"] == ["entailment", "not_entailment", "not_entailment", "entailment"]
    assert found["MED"] == ["entailment", "not_entailment", "not_entailment", "not_entailment"]
    assert found["SICK test"] == ["entailment", "neutral", "contradiction", "neutral"]
    assert found["MultiNLI dev"] == ["entailment", "neutral", "contradiction"], "the pair without a label"
    assert [nli_tests.of_two(label) for label in nli.LABELS] == [
        "entailment",
        "not_entailment",
        "not_entailment",
    ]


def test_no_training_source_is_one_of_them() -> None:
    assert not set(nli.SOURCES.values()) & set(nli_tests.FILES.values())
    assert not [path for path in nli.SOURCES.values() if path.startswith("sick/")]


@pytest.mark.data
def test_the_sets_are_whole() -> None:
    found = nli_tests.read(data_folder())
    sizes = {name: len(examples) for name, examples in found.items()}
    assert sizes == {"HANS": 30_000, "MED": 5_382, "SICK test": 4_906, "MultiNLI dev": 9_815}
    assert sum(example.gold == "entailment" for example in found["HANS"]) == 15_000
