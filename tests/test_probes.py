"""Recording probes: at which steps, without changing the training, under the size, and over kill -9."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from modelzoo import probes
from modelzoo.models.base import AttentionModel
from modelzoo.probes import PROBES_FILE
from modelzoo.recorder import MOST_CELLS, Recorder, answers
from modelzoo.results import AttentionMap, AttentionResult, LabelPrediction, TextPrediction
from modelzoo.tasks import Inputs, Sentence, SentencePair, SourceText
from modelzoo.training import TrainConfig, Trainer
from tests.tiny import ENGLISH, FRENCH, tiny_examples, tiny_model

CONFIG = TrainConfig(epochs=5, batch_size=4, learning_rate=1e-2, patience=99)  # 20 steps
STEPS = [0, 1, 2, 4, 8, 16, 20]
PROBES: dict[str, tuple[Inputs, ...]] = {
    "self-attentive": (Sentence(ENGLISH[0]), Sentence("Dogs")),
    "decomposable": (SentencePair(ENGLISH[0], ENGLISH[1]),),
    "rnn-search": (SourceText(ENGLISH[0], forced=FRENCH[0]), SourceText("Dogs", forced="Chiens")),
    "conv-s2s": (SourceText(ENGLISH[0], forced=FRENCH[0]),),
}


def trained(
    folder: Path, asked: tuple[Inputs, ...], config: TrainConfig = CONFIG, model: str = "self-attentive"
) -> AttentionModel:
    made = tiny_model(model)
    examples = tiny_examples(made)
    Trainer(made, config, folder, lambda best, progress: None, asked).fit(examples, examples[:4])
    return made


@pytest.mark.parametrize("model", list(PROBES))
def test_a_run_records_every_map_at_powers_of_two_and_at_its_end(tmp_path: Path, model: str) -> None:
    metric = "bleu" if isinstance(PROBES[model][0], SourceText) else "accuracy"
    config = replace(CONFIG, metric=metric)
    made = trained(tmp_path, PROBES[model], config, model)
    moments = probes.read(tmp_path / PROBES_FILE)
    assert [moment.step for moment in moments] == STEPS
    assert [moment.dev is None for moment in moments] == [True, True, True, False, False, False, False]
    for found, now in zip(moments[-1].results, answers(made, PROBES[model]), strict=True):
        assert found.inputs == now.inputs
        assert found.tokens == now.tokens
        assert [one.name for one in found.maps] == [one.name for one in now.maps]
        for one, other in zip(found.maps, now.maps, strict=True):
            assert (one.rows, one.columns, one.equation) == (other.rows, other.columns, other.equation)
            np.testing.assert_allclose(one.values, other.values, atol=1e-3)
        if isinstance(found.prediction, LabelPrediction):
            assert isinstance(now.prediction, LabelPrediction)
            np.testing.assert_allclose(found.prediction.probabilities, now.prediction.probabilities)
        else:
            assert isinstance(now.prediction, TextPrediction)
            assert found.prediction.text == now.prediction.text


@pytest.mark.parametrize("average_decay", [0.0, 0.9])
def test_recording_changes_no_weight(tmp_path: Path, average_decay: float) -> None:
    config = TrainConfig(epochs=3, batch_size=4, learning_rate=1e-2, average_decay=average_decay)
    without = trained(tmp_path / "without", (), config)
    asked = trained(tmp_path / "with", PROBES["self-attentive"], config)
    for name, value in without.state_dict().items():
        assert torch.equal(value, asked.state_dict()[name]), name
    assert not (tmp_path / "without" / PROBES_FILE).exists()


def test_answers_draw_no_random_number_and_leave_the_mode() -> None:
    model = tiny_model("rnn-search").train()
    before = torch.get_rng_state()
    answers(model, PROBES["rnn-search"])
    assert torch.equal(before, torch.get_rng_state())
    assert model.training


def test_the_largest_record_is_under_two_megabytes(tmp_path: Path) -> None:
    """With weights that cannot be compressed."""
    draw = np.random.default_rng(0).dirichlet

    def result() -> AttentionResult:
        labels = tuple(f"w{k}" for k in range(100))
        values = draw(np.ones(len(labels)), size=MOST_CELLS // len(labels))
        rows = tuple(f"r{k}" for k in range(len(values)))
        answer = LabelPrediction(("a", "b"), np.array([0.5, 0.5]))
        return AttentionResult(Sentence("x"), {}, answer, (AttentionMap("m", values, rows, labels),))

    probes.write(tmp_path / PROBES_FILE, [probes.Moment(k, 0.5, (result(),)) for k in range(25)])
    assert (tmp_path / PROBES_FILE).stat().st_size < 2e6


def test_inputs_with_too_large_maps_are_left_out(tmp_path: Path) -> None:
    long = "word " * 40
    asked = (SourceText(long, forced=long), SourceText("A man eats.", forced="Un homme mange."))
    Recorder(asked, tmp_path).record(tiny_model("conv-s2s"), 0, None)
    (moment,) = probes.read(tmp_path / PROBES_FILE)
    assert [result.inputs for result in moment.results] == [asked[1]]


def test_no_record_gives_no_moments_and_a_damaged_one_says_so(tmp_path: Path) -> None:
    assert probes.read(tmp_path / PROBES_FILE) == ()
    (tmp_path / PROBES_FILE).write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match=r"probes\.npz of .* is damaged"):
        probes.read(tmp_path / PROBES_FILE)


def test_no_damage_of_a_record_is_anything_but_a_sentence(tmp_path: Path) -> None:
    """Every byte of the packed arrays, and of what is around them, may be another one."""
    trained(tmp_path, PROBES["self-attentive"])
    path = tmp_path / PROBES_FILE
    raw = path.read_bytes()
    told = []
    for place in range(0, len(raw), max(1, len(raw) // 400)):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 0x5A]) + raw[place + 1 :])
        try:
            probes.read(path)
        except ValueError as error:  # nothing else is raised
            told.append(str(error))
    assert told
    assert all("is damaged" in one for one in told)


def test_what_a_broken_off_run_had_beyond_its_resume_file_comes_again_once(tmp_path: Path) -> None:
    trained(tmp_path, PROBES["self-attentive"])
    recorder = Recorder(PROBES["self-attentive"], tmp_path)
    recorder.resume(10)
    assert [moment.step for moment in recorder.moments] == [0, 1, 2, 4, 8]
    model = tiny_model("self-attentive")
    recorder.record(model, 16, 0.5)
    recorder.record(model, 16, 0.5)
    assert [moment.step for moment in probes.read(recorder.file)] == [0, 1, 2, 4, 8, 16]


KILLED = """
import sys
from pathlib import Path
import modelzoo.training as training
from tests.test_probes import CONFIG, PROBES, tiny_examples, tiny_model
training.RESUME_SECONDS = 0 if sys.argv[2] == "always" else 60
model = tiny_model("self-attentive")
trainer = training.Trainer(model, CONFIG, Path(sys.argv[1]), lambda best, progress: None, PROBES[model.name])
record = trainer._record
def recording():
    record()
    print(trainer.progress.step, flush=True)
trainer._record = recording
examples = tiny_examples(model)
trainer.fit(examples, examples[:4])
"""


@pytest.mark.parametrize(("saved", "at"), [("always", 8), ("seldom", 9)])
def test_a_run_killed_with_nine_has_the_same_record(tmp_path: Path, saved: str, at: int) -> None:
    """`seldom` saves at evaluations only, so the record is ahead of the resume file, and is made again."""
    trained(tmp_path / "whole", PROBES["self-attentive"])
    command = [sys.executable, "-c", KILLED, str(tmp_path / "cut"), saved]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= at:
                process.send_signal(signal.SIGKILL)
                break
    assert [m.step for m in probes.read(tmp_path / "cut" / PROBES_FILE)] == [0, 1, 2, 4, 8]
    trained(tmp_path / "cut", PROBES["self-attentive"])
    whole, cut = (probes.read(tmp_path / name / PROBES_FILE) for name in ("whole", "cut"))
    assert [m.step for m in cut] == STEPS
    for one, other in zip(whole, cut, strict=True):
        assert one.dev == other.dev
        for a, b in zip(one.results, other.results, strict=True):
            assert all(np.array_equal(x.values, y.values) for x, y in zip(a.maps, b.maps, strict=True))
