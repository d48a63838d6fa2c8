"""From pre-tokenised text to a Parquet part, against the model's bare batched forward over the same batches.

    python benchmarks/rows.py [--rows 400] [--rounds 5] [--slug SLUG] [--profile]

Bare is `forward` of batches that are already padded, or the same greedy search for a model that writes.
Ours is answers, measures, attention, the comparison with gold, and the written part. Rounds alternate;
times are the process's own seconds on one thread, the ratio is bare / ours, the median of the rounds. The
exit status is 1 when a ratio is under its limit.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pyarrow.parquet as pq
import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from modelzoo import registry  # noqa: E402
from modelzoo.evaluation import batches_by_size  # noqa: E402
from modelzoo.models.base import AttentionModel, EncodedInputs  # noqa: E402
from modelzoo.models.translation import TranslationModel  # noqa: E402
from modelzoo.rows import batch_columns, gold_columns  # noqa: E402
from modelzoo.tasks import Inputs, Sentence, SentencePair, SourceText  # noqa: E402

LIMITS = {"self-attentive-sst": 0.8, "decomposable-nli": 0.5, "rnn-search-en-fr": 0.8, "conv-s2s-en-fr": 0.8}
REVIEW, SOURCE = (60, 320), (6, 20)
"""Words of a text: a review, a sentence to translate."""
Batches = list[list[EncodedInputs]]


def inputs(model: AttentionModel, rows: int) -> list[Inputs]:
    """Seeded texts of usual lengths, from the words of the example sentences."""
    lines = (ROOT / "assets" / "examples" / "entailment.jsonl").read_text(encoding="utf-8").splitlines()
    words = [word for line in lines for text in json.loads(line).values() for word in str(text).split()]
    chance = random.Random(0)

    def text(low: int, high: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(low, high)))

    make: dict[str, Callable[[], Inputs]] = {
        "classification": lambda: Sentence(text(*REVIEW)),
        "entailment": lambda: SentencePair(text(8, 24), text(4, 12)),
        "translation": lambda: SourceText(text(*SOURCE)),
    }
    return [make[model.task.name]() for _ in range(rows)]


def bare(model: AttentionModel, batches: Batches) -> float:
    """Seconds of the model alone."""
    with torch.inference_mode():
        if isinstance(model, TranslationModel):
            start = time.process_time()
            for batch in batches:
                model.search(batch)
            return time.process_time() - start
        padded = [model.collate(batch) for batch in batches]
        start = time.process_time()
        for one in padded:
            model(one)
        return time.process_time() - start


def ours(model: AttentionModel, batches: Batches) -> float:
    """Seconds to the written part."""
    language = getattr(model.text, "target_language", None)
    with tempfile.TemporaryDirectory() as folder:
        start, writer = time.process_time(), None
        for batch in batches:
            table = batch_columns(model, batch)
            said = table["prediction"].to_pylist()
            for column in (verdict := gold_columns(said[::-1], said, language=language)).column_names:
                table = table.append_column(column, verdict[column])
            writer = writer or pq.ParquetWriter(
                Path(folder) / "part.parquet", table.schema, compression="zstd"
            )
            writer.write_table(table)
        if writer is not None:
            writer.close()
        return time.process_time() - start


def compare(slug: str, options: argparse.Namespace) -> bool:
    """Measure one checkpoint and print a line; whether its ratio is within the limit."""
    model = registry.load(slug, "cpu")
    encoded = [model.encode(given) for given in inputs(model, options.rows)]
    groups = batches_by_size({i: item.size for i, item in enumerate(encoded)})
    batches = [[encoded[i] for i in group] for group in groups]
    bare(model, batches[-1:]), ours(model, batches[-1:])  # warm
    times = [(bare(model, batches), ours(model, batches)) for _ in range(options.rounds)]
    ratio = median(b / o for b, o in times)
    alone, whole = (1000 * median(column) / len(encoded) for column in zip(*times, strict=True))
    limit = LIMITS[slug]
    print(f"{slug:22} bare {alone:7.3f} ms a row  ours {whole:7.3f}  ratio {ratio:.2f}  limit {limit}")
    if options.profile:
        with cProfile.Profile() as profile:
            ours(model, batches)
        pstats.Stats(profile).sort_stats("tottime").print_stats(18)
    return ratio >= limit


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--slug", action="append", choices=LIMITS)
    parser.add_argument("--profile", action="store_true", help="where our own time goes")
    options = parser.parse_args()
    torch.set_num_threads(1)
    within = [compare(slug, options) for slug in options.slug or LIMITS]
    return 0 if all(within) else 1


if __name__ == "__main__":
    raise SystemExit(main())
