"""Learners with a kernel of strings take strings themselves: the same run as on a matrix of letters."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import littlestone as ls
from littlestone.core.errors import BadInput
from littlestone.kernels import GapWeighted, Spectrum, gram, letters

WORDS = ["sing", "table", "wing", "apple", "ring", "paper", "king", "water", "being", "river"]
WORDS += ["swing", "stone", "bring", "house"]
ENDS = ["ing" if w.endswith("ing") else "other" for w in WORDS]

pytestmark = pytest.mark.usefixtures("plain")


def learner(kernel=None):
    return ls.KernelPerceptron(kernel=kernel or Spectrum(3))


@pytest.mark.parametrize("kernel", [Spectrum(3), GapWeighted(2, 0.5)], ids=str)
@pytest.mark.parametrize("given", [list, tuple, np.array, lambda w: np.array(w, object)])
def test_a_run_on_strings_is_one_on_letters(kernel, given):
    a = ls.play(learner(kernel), letters(WORDS), ENDS)
    b = ls.play(learner(kernel), given(WORDS), ENDS)
    assert a.predictions.tolist() == b.predictions.tolist()
    assert a.certificate.verdict == b.certificate.verdict == "kept"
    assert a.bound == b.bound


def test_strings_of_a_frame_and_one_by_one():
    pd = pytest.importorskip("pandas")
    whole = ls.play(learner(), WORDS, ENDS)
    assert ls.play(learner(), pd.Series(WORDS), ENDS).mistakes == whole.mistakes
    live = learner()
    for word, end in zip(WORDS, ENDS, strict=True):
        live = live.update(word, end)
    assert live.predict(["king", "paper"]).tolist() == ["ing", "other"]
    assert live.predict("king") == whole.learner.predict("king") == "ing"


def test_a_longer_string_is_not_cut(tmp_path):
    run = ls.play(learner(), WORDS[:6], ENDS[:6])  # at most five letters
    new = ["kingfishing" * 30, "i", "", "tableware", "ringing"]
    state = run.learner.state
    m = int(state.N[0])
    S = ["".join(chr(int(c)) for c in row if c) for row in state.S[:m]]
    by_hand = gram(Spectrum(3), new, S) @ state.A[0, :m]
    assert [run.learner.live.ask_score(w) for w in new] == pytest.approx(by_hand)
    cut = gram(Spectrum(3), [w[:5] for w in new], S) @ state.A[0, :m]
    assert not np.allclose(by_hand, cut)  # cutting would have been seen
    many = run.learner.predict(new).tolist()
    assert many == [run.learner.predict(w) for w in new]
    assert run.learner.state.S.shape == state.S.shape  # asking changes nothing
    again = ls.load(run.learner.save(tmp_path / "strings.ls"))
    assert again.predict(new).tolist() == many
    assert again.update("ringing", "ing").predict("ringing") == "ing"


def test_a_longer_sparse_row_of_letters_is_not_cut():  # it was, when nothing was learned from it
    run = ls.play(learner(), csr_array(letters(WORDS[:6])), ENDS[:6])
    long = csr_array(letters(["kingfishing" * 30]))
    assert run.learner.live.ask_score(long) == run.learner.live.ask_score("kingfishing" * 30)
    assert run.learner.live.ask_score(long) == 60 * run.learner.live.ask_score("kingf") != 0


def test_learners_that_began_with_a_matrix_of_letters():
    run = ls.play(learner(), letters(WORDS), ENDS)
    assert run.learner.predict("king") == "ing"
    assert run.learner.predict(["king", "being"]).tolist() == ["ing", "ing"]
    with pytest.raises(BadInput, match="must have 5 features, as the first one, not 7"):
        run.learner.predict("ringing")


def test_what_is_refused():
    with pytest.raises(BadInput, match=r"examples: row 2 is 3 \(int\), not a string"):
        ls.play(learner(), ["ab", 3], [0, 1])
    with pytest.raises(BadInput, match="row 1 holds the letter"):
        ls.play(learner(), ["a\0b", "c"], [0, 1])
    with pytest.raises(BadInput):
        ls.play(ls.KernelPerceptron(kernel="gaussian"), WORDS, ENDS)
