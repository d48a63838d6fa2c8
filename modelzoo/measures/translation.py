"""Alignment error of every map of a translation model, beside the diagonal and IBM Model 1.

The reference translation is forced; each of its words goes with the source word it attends to most.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

from modelzoo import ibm1
from modelzoo.alignment import Links, best_links, diagonal_links, link_score, word_attention
from modelzoo.cards import Measure
from modelzoo.data import alignments, everyday_captions
from modelzoo.data.alignments import GOLD_SETS, AlignedPair, words_of
from modelzoo.data.folder import Splits, data_folder
from modelzoo.measures.base import attended
from modelzoo.models.base import AttentionModel
from modelzoo.results import AttentionMap, AttentionResult
from modelzoo.tasks import SourceText
from modelzoo.text import SubwordText

Languages = tuple[str, str]
FRENCH = """
le la les l' un une des du de d' à au aux en dans sur sous avec sans pour par chez et ou mais que qu' qui
ne n' pas y je j' tu il elle on nous vous ils elles me m' te t' se s' lui leur ce c' ça mon ma mes ton ta
tes son sa ses notre votre leurs cette cet ces est sont était a ont ai as avons avez suis es
"""
FUNCTION_WORDS = {"fr": frozenset(FRENCH.split())}
"""By target language, words that grammar asks for more than the source does: articles, pronouns,
prepositions, auxiliaries. The rest, but for punctuation, are content words."""
CORPORA: dict[Languages, Callable[[Path], Splits]] = {("en", "fr"): everyday_captions.read}
"""What IBM Model 1 is trained on: the training pairs of the models of these languages."""


def measures(model: AttentionModel) -> list[Measure]:
    """Our pairs (always) and gold sets of other corpora (with the data sets), by every map."""
    text = cast(SubwordText, model.text)
    languages = (text.source_language, text.target_language)
    data = data_folder() if os.environ.get("ATLAS_DATA") else None
    sets = _sets(languages, data)
    if not sets:
        raise ValueError(f"there are no aligned pairs for {'-'.join(languages)}, or ATLAS_DATA is not set")
    table = _trained(languages, data)
    found = []
    for name, pairs in sets.items():
        links = {"diagonal": [diagonal_links(len(p.source), len(p.target)) for p in pairs]}
        if table is not None:
            links["IBM Model 1"] = [table.links(_forms(p.source), _forms(p.target)) for p in pairs]
        links |= map_links(model, pairs)
        found += [
            Measure(name, method, scores_of(given, pairs, languages[1])) for method, given in links.items()
        ]
    return found


def _sets(languages: Languages, data: Path | None) -> dict[str, tuple[AlignedPair, ...]]:
    """The aligned pairs of these languages by name."""
    ours = alignments.read_ours(languages)
    sets = {f"{len(ours)} pairs of ours": ours} if ours else {}
    if data is not None:
        for gold in GOLD_SETS:
            if sorted(gold.languages) == sorted(languages):
                sets[f"{gold.name} (out of domain)"] = alignments.read_gold(data, gold, languages)
    return sets


def _trained(languages: Languages, data: Path | None) -> ibm1.IBM1 | None:
    """IBM Model 1 of these languages; None without data."""
    if data is None or languages not in CORPORA:
        return None
    source, target = languages
    train = CORPORA[languages](data).train
    texts = ((cast(SourceText, example.inputs).text, example.gold) for example in train)
    return ibm1.train([(_forms(words_of(e, source)), _forms(words_of(f, target))) for e, f in texts])


def _forms(words: Sequence[str]) -> list[str]:
    """Words as IBM Model 1 counts them: lower case, `l'` like `l`."""
    return [word.lower().strip("'’") or word for word in words]


def map_links(model: AttentionModel, pairs: Sequence[AlignedPair]) -> dict[str, list[Links]]:
    """Per map of a translation model, the links of each pair."""
    inputs = [
        SourceText(alignments.spelled(pair.source), forced=alignments.spelled(pair.target)) for pair in pairs
    ]
    links: dict[str, list[Links]] = {}
    for pair, result in zip(pairs, attended(model, inputs), strict=True):
        for one in result.maps:
            links.setdefault(one.name, []).append(_map_links(result, one, pair))
    return links


def _map_links(result: AttentionResult, one: AttentionMap, pair: AlignedPair) -> Links:
    tokens = (result.tokens["target"], result.tokens["source"])
    return best_links(word_attention(one.values, tokens, (pair.target, pair.source)))


def scores_of(links: Sequence[Links], pairs: Sequence[AlignedPair], target: str) -> dict[str, float]:
    """How good links are, and, where the target language's function words are listed, the alignment error of
    content words and that of function words and punctuation."""
    compared = (links, [pair.sure for pair in pairs], [pair.possible for pair in pairs])
    values = asdict(link_score(*compared))
    if target in FUNCTION_WORDS:
        is_content = [[_is_content(word, target) for word in pair.target] for pair in pairs]
        for kind, wanted in (("content", True), ("function", False)):
            values[f"aer_{kind}"] = link_score(*(_of_kind(one, is_content, wanted) for one in compared)).aer
    return values


def _is_content(word: str, language: str) -> bool:
    word = word.lower().replace("’", "'")
    return word not in FUNCTION_WORDS[language] and any(character.isalnum() for character in word)


def _of_kind(links: Sequence[Links], is_content: Sequence[Sequence[bool]], wanted: bool) -> list[Links]:
    """The links of target words of one kind."""
    return [
        frozenset((i, j) for i, j in found if kinds[j] is wanted)
        for found, kinds in zip(links, is_content, strict=True)
    ]
