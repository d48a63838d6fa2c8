"""Greedy and beam search over tables of probabilities whose best outputs are known by trying them all."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import Tensor

from modelzoo.decoding import Bounds, Hypothesis, State, Step, StepFunction, beam_search, greedy
from modelzoo.tasks import LengthPenalty

BOS, EOS, V, DEPTH = 1, 2, 6, 5
PLAIN = LengthPenalty("none")
PENALTIES = [
    PLAIN,
    LengthPenalty("average", 1.0),
    LengthPenalty("average", 0.5),
    LengthPenalty("gnmt", 0.8),
    LengthPenalty("average", -0.3),
]


def bounds(*limits: int, forbidden: tuple[int, ...] = (0, BOS)) -> Bounds:
    return Bounds(BOS, EOS, limits, forbidden)


def random_tables(items: int, seed: int = 0, ending: float = 0.0) -> Tensor:
    """Log-probabilities (items, DEPTH, V, V) of the next piece, by step and previous piece."""
    scores = 2 * torch.randn(items, DEPTH, V, V, generator=torch.Generator().manual_seed(seed))
    scores[..., EOS] += ending
    return scores.double().log_softmax(-1)


def start(tables: Tensor) -> State:
    return {"table": tables, "step": torch.zeros(len(tables), dtype=torch.int64)}


def step(y: Tensor, state: State) -> Step:
    """Looks the next piece up; its "attention" is the step, the piece before and the table's mark."""
    rows, i = torch.arange(len(y)), state["step"]
    seen = torch.stack([i, y, 1000 * state["table"][:, 0, 0, 0]], dim=1)
    return Step(state["table"][rows, i, y], {**state, "step": i + 1}, (seen,))


def log_probabilities(table: Tensor, ids: tuple[int, ...]) -> list[float]:
    previous = (BOS, *ids[:-1])
    return [table[i, y, piece].item() for i, (y, piece) in enumerate(zip(previous, ids, strict=True))]


def every_output(table: Tensor, limit: int, penalty: LengthPenalty) -> list[tuple[float, tuple[int, ...]]]:
    """All finished outputs of at most `limit` pieces with their scores, best first."""
    going_on = [piece for piece in range(V) if piece not in (0, BOS, EOS)]
    outputs = [(*ids, EOS) for n in range(limit) for ids in product(going_on, repeat=n)]
    scored = [(sum(log_probabilities(table, ids)) / penalty.divisor(len(ids)), ids) for ids in outputs]
    return sorted(scored, reverse=True)


def search(
    tables: Tensor, limits: Bounds, size: int, penalty: LengthPenalty = PLAIN
) -> list[list[Hypothesis]]:
    return beam_search(step, start(tables), limits, beam_size=size, length_penalty=penalty)


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_a_wide_beam_finds_the_best_of_all_outputs(penalty: LengthPenalty) -> None:
    tables, size = random_tables(4), 400
    for table, found in zip(tables, search(tables, bounds(*[DEPTH] * 4), size, penalty), strict=True):
        score, ids = every_output(table, DEPTH, penalty)[0]
        assert found[0].ids == ids
        assert found[0].score == pytest.approx(score, abs=1e-12)


def test_a_beam_wider_than_there_are_outputs_lists_them_all_in_order() -> None:
    tables = random_tables(1)
    found = search(tables, bounds(3), 100, LengthPenalty("average", 1.0))[0]
    finished = [hypothesis for hypothesis in found if hypothesis.finished]
    expected = every_output(tables[0], 3, LengthPenalty("average", 1.0))
    assert [hypothesis.ids for hypothesis in finished] == [ids for _, ids in expected]
    assert {hypothesis.ids for hypothesis in found[len(finished) :]} == set(product((3, 4, 5), repeat=3))


@pytest.mark.parametrize("seed", range(20))
def test_a_beam_of_one_equals_greedy_and_a_loop_over_argmax(seed: int) -> None:
    tables = random_tables(5, seed)
    limits = bounds(5, 4, 3, 2, 1)
    found = greedy(step, start(tables), limits)
    for table, limit, best in zip(tables, limits.limits, found, strict=True):
        ids = []
        while len(ids) < limit and ids[-1:] != [EOS]:
            allowed = table[len(ids), ids[-1] if ids else BOS].clone()
            allowed[[0, BOS]] = -torch.inf
            ids.append(int(allowed.argmax()))
        assert best.ids == tuple(ids)
        assert best.finished == (ids[-1] == EOS)
        assert best.log_probabilities == pytest.approx(log_probabilities(table, best.ids), abs=1e-12)
    for penalty in PENALTIES:
        beams = search(tables, limits, 1, penalty)
        assert [[h.ids for h in beam] for beam in beams] == [[best.ids] for best in found]
        assert [beam[0].log_probabilities for beam in beams] == [best.log_probabilities for best in found]


@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_a_score_is_the_log_probability_over_the_divisor_and_scores_fall(penalty: LengthPenalty) -> None:
    for found in search(random_tables(6, seed=3), bounds(*[DEPTH] * 6), 4, penalty):
        for hypothesis in found:
            expected = sum(hypothesis.log_probabilities) / penalty.divisor(len(hypothesis.ids))
            assert hypothesis.score == pytest.approx(expected, abs=1e-12)
        for ended in (True, False):
            scores = [hypothesis.score for hypothesis in found if hypothesis.finished == ended]
            assert scores == sorted(scores, reverse=True)
        assert [h.finished for h in found] == sorted((h.finished for h in found), reverse=True)
        assert 1 <= len(found) <= 4


@pytest.mark.parametrize("size", [1, 3])
def test_attention_goes_with_its_hypothesis(size: int) -> None:
    tables = random_tables(6, seed=1)
    for table, found in zip(tables, search(tables, bounds(*[DEPTH] * 6), size), strict=True):
        for hypothesis in found:
            assert hypothesis.log_probabilities == pytest.approx(log_probabilities(table, hypothesis.ids))
            previous = (BOS, *hypothesis.ids[:-1])
            mark = 1000 * table[0, 0, 0].item()
            expected = [[i, y, mark] for i, y in enumerate(previous)]
            assert torch.equal(hypothesis.attention[0], torch.tensor(expected, dtype=torch.float64))


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_company_in_the_batch_changes_nothing(penalty: LengthPenalty, size: int) -> None:
    tables, limits = random_tables(6, seed=2, ending=1.0), (5, 1, 4, 5, 2, 3)
    together = search(tables, bounds(*limits), size, penalty)
    for i, limit in enumerate(limits):
        alone = search(tables[i : i + 1], bounds(limit), size, penalty)[0]
        assert [(h.ids, h.score, h.finished) for h in alone] == [
            (h.ids, h.score, h.finished) for h in together[i]
        ]
        assert all(
            torch.equal(a.attention[0], b.attention[0]) for a, b in zip(alone, together[i], strict=True)
        )


def test_forbidden_ids_are_never_emitted() -> None:
    tables = random_tables(8, seed=4)
    for found in search(tables, bounds(*[DEPTH] * 8, forbidden=(0, BOS, 4)), 3):
        assert not {piece for hypothesis in found for piece in hypothesis.ids} & {0, BOS, 4}
    unrestricted = search(tables, bounds(*[DEPTH] * 8, forbidden=()), 3)
    assert 4 in {piece for found in unrestricted for hypothesis in found for piece in hypothesis.ids}


def test_open_hypotheses_are_cut_at_the_limit() -> None:
    tables = random_tables(3, ending=-9.0)
    for found in search(tables, bounds(2, 3, 4), 2):
        assert [hypothesis.finished for hypothesis in found] == [False, False]
    assert [len(found[0].ids) for found in search(tables, bounds(2, 3, 4), 2)] == [2, 3, 4]


# --- when a sentence stops -------------------------------------------------------------------


class Counted:
    """A step function that counts its calls."""

    def __init__(self, inner: StepFunction) -> None:
        self.inner, self.calls = inner, 0

    def __call__(self, y: Tensor, state: State) -> Step:
        self.calls += 1
        return self.inner(y, state)


def fixed_step(*rows: tuple[float, ...]) -> Counted:
    """The same probabilities whatever came before, one row a step."""
    table = torch.tensor(rows).log()[None, :, None].expand(1, len(rows), len(rows[0]), len(rows[0]))

    def look_up(y: Tensor, state: State) -> Step:
        i = state["step"]
        return Step(table[0, i, y], {"step": i + 1}, ())

    return Counted(look_up)


START = {"step": torch.zeros(1, dtype=torch.int64)}


def test_search_stops_when_as_many_have_finished_as_the_beam_is_wide() -> None:
    # pieces: pad, BOS, EOS, a, b; a beam of 2 has finished "EOS" and "a EOS" after two steps
    counted = fixed_step((0, 0, 0.4, 0.5, 0.1), (0, 0, 0.9, 0.1, 0), (0, 0, 1, 0, 0))
    found = beam_search(counted, START, bounds(3), beam_size=2, length_penalty=LengthPenalty("average", 1.0))[
        0
    ]
    assert [hypothesis.ids for hypothesis in found] == [(3, EOS), (EOS,)]
    assert counted.calls == 2


def test_search_stops_when_the_best_open_one_cannot_win() -> None:
    rows = ((0, 0, 0.6, 0.3, 0.1), (0, 0, 0.1, 0.8, 0.1), (0, 0, 0.9, 0.1, 0))
    counted = fixed_step(*rows)
    found = beam_search(counted, START, bounds(3), beam_size=2, length_penalty=PLAIN)[0]
    assert [hypothesis.ids for hypothesis in found] == [(EOS,)]  # log 0.3 is below log 0.6 already
    assert counted.calls == 1


def test_search_goes_on_while_the_length_penalty_may_still_favour_a_longer_output() -> None:
    rows = ((0, 0, 0.6, 0.35, 0.05), (0, 0, 0, 1, 0), (0, 0, 1, 0, 0))
    counted = fixed_step(*rows)
    average = LengthPenalty("average", 1.0)
    found = beam_search(counted, START, bounds(3), beam_size=2, length_penalty=average)[0]
    assert counted.calls == 3
    assert found[0].ids == (3, 3, EOS)  # log 0.35 / 3 > log 0.6


def test_a_candidate_that_ends_below_the_first_k_is_no_output() -> None:
    counted = fixed_step((0, 0, 0.2, 0.5, 0.3), (0, 0, 0.1, 0.6, 0.3), (0, 0, 0.8, 0.1, 0.1))
    found = beam_search(counted, START, bounds(3), beam_size=2, length_penalty=PLAIN)[0]
    assert all(hypothesis.ids != (EOS,) for hypothesis in found)


def test_finished_outputs_come_before_those_cut_at_the_limit() -> None:
    counted = fixed_step((0, 0, 0.3, 0.6, 0.1), (0, 0, 0, 0.9, 0.1))
    penalty = LengthPenalty("average", 8.0)
    first, second = beam_search(counted, START, bounds(2), beam_size=2, length_penalty=penalty)[0]
    assert (first.ids, first.finished) == ((EOS,), True)
    assert (second.ids, second.finished) == ((3, 3), False)
    assert second.score > first.score
