"""`evaluate --split` and `--all`: the scores, the tables between their markers, and nothing else written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from modelzoo import cards, report
from modelzoo.cards import Measure
from modelzoo.cli import main
from modelzoo.data import joined
from modelzoo.data.folder import Splits
from modelzoo.data.joined import BUCKETS, length_buckets
from modelzoo.recipes import RECIPES, making, scores
from modelzoo.tasks import SourceText
from tests.checkpoints import SLUGS, write_checkpoint
from tests.failures import write_failures
from tests.tiny import tiny_examples, tiny_model

LIKE = {
    "self-attentive": "self-attentive-sst",
    "decomposable": "decomposable-nli",
    "conv-s2s": "conv-s2s-en-fr",
}


@pytest.fixture(autouse=True)
def only_tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tiny checkpoints with tiny recipes, one without, and a folder with the files to rewrite."""
    monkeypatch.setattr(cards, "CHECKPOINTS_DIR", tmp_path / "checkpoints")
    monkeypatch.delenv("ATLAS_CHECKPOINTS", raising=False)
    monkeypatch.setenv("ATLAS_DATA", str(tmp_path))
    monkeypatch.setattr(scores, "BUCKET_ROWS", 1)
    monkeypatch.setattr(joined, "BUCKETS", ((1, 10), (51, 60)))
    recipes = {}
    for model, recipe in LIKE.items():
        rows = tuple(tiny_examples(tiny_model(model)))
        splits = Splits(rows, rows[:6], rows[6:])
        slug = SLUGS[model]
        recipes[slug] = replace(
            RECIPES[recipe], slug=slug, beam_size=1, read=lambda data, splits=splits: splits
        )
        write_checkpoint(tmp_path / "checkpoints", model, slug)
    write_checkpoint(tmp_path / "checkpoints", "rnn-search", "my-own")
    write_failures(tmp_path)
    monkeypatch.setattr(report, "RECIPES", recipes)
    monkeypatch.setattr(
        making, "measure", lambda model, dev: [Measure("60 pairs", "diagonal", {"aer": 0.35})]
    )
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text("# A\n<!-- results -->\nold\n<!-- /results -->\nB\n")
    (root / "docs" / "results.md").write_text("# C\n<!-- checkpoints --><!-- /checkpoints -->\nD\n")
    return root


def test_all_rewrites_what_stands_between_the_markers(
    only_tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = set(only_tiny.parent.rglob("*"))
    report.evaluate_all("cpu", only_tiny)
    assert set(only_tiny.parent.rglob("*")) == before
    assert "my-own has no recipe and is left out" in capsys.readouterr().err
    readme = (only_tiny / "README.md").read_text()
    assert readme.startswith("# A\n<!-- results -->\n| checkpoint |")
    assert readme.endswith("<!-- /results -->\nB\n")
    assert "old" not in readme
    for slug in report.RECIPES:
        assert readme.count(f"`{slug}`") == 1
    assert "naive Bayes of the hypothesis alone " in readme
    results = (only_tiny / "docs" / "results.md").read_text()
    assert "`evaluate conv-s2s-tiny --split dev`" in results
    for split in ("dev", "test"):
        assert f"| {split}, 51 to 60 words | BLEU " in results
    hans = next(line for line in results.splitlines() if line.startswith("| `decomposable-tiny` | HANS, 4 |"))
    assert "most frequent label 0.500" in hans
    assert hans.endswith("% of 50.0% |")
    assert "tok:13a" in results
    assert "| `conv-s2s-tiny` | 60 pairs | diagonal | aer 0.350 |" in results
    report.evaluate_all("cpu", only_tiny)
    assert (only_tiny / "README.md").read_text() == readme


def test_tables_of_the_cards_alone_measure_nothing(only_tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "measured", None)
    report.rewrite_tables(only_tiny)
    assert "`conv-s2s-tiny`" not in (only_tiny / "README.md").read_text()  # its card has no score yet
    folder = cards.CHECKPOINTS_DIR / "conv-s2s-tiny"
    replace(cards.read_card("conv-s2s-tiny"), metrics={"test_bleu": 12.34}).save(folder)
    report.rewrite_tables(only_tiny)
    assert "| BLEU 12.3 |" in (only_tiny / "README.md").read_text()


def test_without_markers_nothing_is_measured(only_tiny: Path) -> None:
    (only_tiny / "README.md").write_text("# A\n")
    with pytest.raises(ValueError, match=r"README\.md has no <!-- results --> … <!-- /results -->"):
        report.evaluate_all("cpu", only_tiny)


def test_a_split_prints_the_row_of_the_table(only_tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slug = SLUGS["self-attentive"]
    assert main(["evaluate", slug, "--split", "test", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 9
    low, high = found["intervals"]["accuracy"]
    assert low <= found["metrics"]["accuracy"] <= high
    assert set(found["beside"]) == {"most frequent label", "naive Bayes"}
    report.evaluate_all("cpu", only_tiny)
    accuracy = f"accuracy {found['metrics']['accuracy']:.3f} ({low:.3f} to {high:.3f})"
    assert accuracy in (only_tiny / "README.md").read_text()
    assert main(["evaluate", slug, "--split", "dev"]) == 0
    assert "most frequent label" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one checkpoint, or all of them with --all"),
        (["my-own", "--all"], "name one checkpoint, or all of them with --all"),
        (["my-own", "--split", "dev"], "my-own has no recipe"),
        (
            ["self-attentive-tiny", "--split", "train"],
            "the split is 'train'; accepted are dev, test, lengths, known-failures",
        ),
        (["self-attentive-tiny", "--split", "lengths"], "lengths are for models that translate"),
        (
            ["self-attentive-tiny", "--split", "known-failures"],
            "known failures are for models that say entailment, neutral, contradiction",
        ),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["evaluate", *arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_buckets_hold_joined_rows_of_their_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joined, "BUCKETS", BUCKETS)
    rows = tiny_examples(tiny_model("conv-s2s"))
    found = length_buckets(rows, 5, seed=0)
    assert list(found) == list(BUCKETS)
    targets = {row.gold for row in rows}
    for (low, high), examples in found.items():
        assert len(examples) == 5
        for example in examples:
            assert isinstance(example.inputs, SourceText)
            assert low <= len(example.inputs.text.split()) <= high
            assert any(example.gold.startswith(target) for target in targets)
    assert found == length_buckets(rows, 5, seed=0)
