"""The ledger against a program that shares no code with it, on seeds of its own."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from tiers import slow

from fgn_notebooks.claims import ledger

FOLDER = Path(__file__).parents[2] / "benchmarks"
QUICK = (
    ("normalization-crucial", "EX=EY=1, 3 x 3, N=200"),
    ("kl-next", "EX=EY=1, 3 x 3, N=200"),
    ("vit-above-var", "EX=EY=20"),
    ("alike-when-sharp", "EX=EY=20, 3 x 3, N=200"),
    ("ml-kl-best", "M_S=4, N=400, 60 epochs"),
    ("vit-second", "N=400, 60 epochs"),
    ("vit-second", "rows that no sample reached keep their values"),
    ("var-fails", "random models, 7 binary children"),
    ("priors-uniform", "ML"),
    ("priors-uniform", "KL"),
    ("smooth", "random matrices at the start"),
    ("too-few-states", "N=400, 60 epochs"),
    ("150-samples-do", "M_S=4, N=300"),
    ("same-on-test", "M_S=4, N=300"),
)
"""What takes a second or less with 30 tables; ``benchmarks/claims.py`` does all of it."""


@pytest.fixture(scope="module")
def program():
    """``benchmarks/claims.py`` and what it imports, as they run by themselves."""
    spec = importlib.util.spec_from_file_location("claims_again", FOLDER / "claims.py")
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = before
    for name, other in list(sys.modules.items()):
        if Path(getattr(other, "__file__", None) or "/").parent == FOLDER:
            del sys.modules[name]


@pytest.mark.parametrize(
    ("claim", "setting"),
    [pytest.param(*case, marks=slow) if case[0] == "var-fails" else case for case in QUICK],
)
def test_another_program_passes_a_claim_as_often(program, claim, setting):
    old = program.stored()[claim][setting]
    new = program.again(claim, setting, most=30)
    assert program.apart(*old, *new) < 3.5


def test_the_other_program_has_every_claim_and_every_setting_of_the_ledger(program):
    known = {c.name: [s.label for s in c.settings] for c in ledger()}
    assert {name: list(settings) for name, settings in program.stored().items()} == known
    assert set(program.CLAIMS) == set(known)
    for name, settings in known.items():
        assert set(program.CLAIMS[name]) == set(settings), name


def test_what_the_last_run_printed_names_every_setting_and_no_disagreement(program):
    lines = (FOLDER / "claims.txt").read_text(encoding="utf-8").splitlines()
    settings = [line for line in lines if line.startswith("    ")]
    everything = [s for settings in program.CLAIMS.values() for s in settings]
    assert len([s for s in settings if s.endswith("agree")]) == len(everything)
    assert lines[-1].startswith(f"{len(everything)} of {len(everything)} settings agree")


def test_shares_that_are_far_apart_do_not_agree(program):
    assert program.apart(0.9, 200, 0.6, 60) > program.APART > program.apart(0.9, 200, 0.85, 60)
    assert program.apart(1.0, 200, 0.97, 60) < program.APART


def test_the_plain_messages_are_sums_over_all_configurations(program):
    """A forest with two parents, against one sum over the table of all variables."""
    trees = sys.modules["plain_trees"]
    tree = sys.modules["claims_graphs"].graph("S 2; T 3; Y 3 S T; X1 2 Y; X2 2 T")
    rng = np.random.default_rng(0)
    th = trees.random_rows(tree, [rng])
    x = {"X1": np.array([0, 1, 1]), "X2": np.array([1, 0, 1])}
    each = [th["S"][0, 0], th["T"][0, 0], th["Y"][0].reshape(2, 3, 3), th["X1"][0], th["X2"][0]]
    joint = np.einsum("s,t,sty,yx,tz->styxz", *each)
    heard = trees.Messages(tree, th, x)
    rest = np.einsum("s,t,tz->stz", each[0], each[1], each[4])
    for n in range(3):
        a, b = x["X1"][n], x["X2"][n]
        above = rest[:, :, b].ravel()
        np.testing.assert_allclose(heard.f["Y"][0, n], above / above.sum())
        below = each[3][:, a]
        np.testing.assert_allclose(
            np.broadcast_to(heard.b["Y"], (1, 3, 3))[0, n], below / below.sum()
        )
        p = joint[:, :, :, a, b].sum()
        np.testing.assert_allclose(trees.exact(tree, th, x)[0, n], np.log(p))
        given = p / joint[:, :, :, :, b].sum(), p / joint[:, :, :, a, :].sum()
        np.testing.assert_allclose(trees.aggregated(tree, th, x)[0, n], np.log(given).sum())


def test_independence_is_worth_what_the_shares_of_the_rows_learned_from_give(program):
    graphs = sys.modules["claims_graphs"]
    x = {"A": np.array([0, 0, 1]), "B": np.array([0, 1, 1])}
    learn, judge = np.array([[2.0, 1, 1]]), np.array([[0.0, 3, 1]])
    by_hand = 3 * np.log(3 / 4 * 2 / 4) + np.log(1 / 4 * 2 / 4)
    np.testing.assert_allclose(graphs.independent(learn, x, judge), by_hand)
