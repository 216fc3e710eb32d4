"""The claims ledger: verdicts follow from the numbers, and a check can come out both ways."""

import numpy as np
import pytest

from fgn_notebooks import claims, contents
from fgn_notebooks.claims import ALWAYS, MOSTLY, Claim, batches, block, hidden_variable
from fgn_notebooks.claims.ledger import under
from fgn_notebooks.experiments import deeper_graph, one_hidden
from fgn_notebooks.experiments.hidden_variable import samples


def share(passed: int, seeds: int = 200) -> np.ndarray:
    return np.arange(seeds) < passed


def toy(needs: float, *passed: int) -> Claim:
    settings = ((f"case {k}", n) for k, n in enumerate(passed))
    return Claim("toy", "6", "Something is so.", needs, under(share, *settings), "Because.")


@pytest.mark.parametrize(
    ("needs", "passed", "verdict"),
    [
        (ALWAYS, (200,), "holds"),
        (ALWAYS, (191,), "holds"),
        (ALWAYS, (185,), "does not hold here"),  # 92 %, but the interval reaches below 90 %
        (ALWAYS, (0,), "does not hold here"),
        (MOSTLY, (115,), "holds"),
        (MOSTLY, (110,), "does not hold here"),
        (MOSTLY, (85,), "does not hold here"),
        (MOSTLY, (200, 20), "holds under case 0"),
        (MOSTLY, (20, 200, 190), "holds under case 1 and case 2"),
        (MOSTLY, (20, 30), "does not hold here"),
        (MOSTLY, (200, 190), "holds"),
    ],
)
def test_a_verdict_asks_that_the_whole_interval_lies_above_what_is_needed(needs, passed, verdict):
    finding = toy(needs, *passed).measure()
    assert finding.verdict == verdict
    for measured, n in zip(finding.measured, passed, strict=True):
        low, high = measured.interval
        assert measured.share == n / 200 and low <= measured.share <= high


def test_a_check_that_is_no_bool_for_each_seed_is_refused():
    claim = Claim("toy", "6", "So.", ALWAYS, under(lambda: np.array([0.5, 1.0])), "")
    assert claim.settings == ()
    wrong = Claim("toy", "6", "So.", ALWAYS, under(lambda: np.ones(3), ("here",)), "")
    with pytest.raises(ValueError, match="a bool for each seed"):
        wrong.measure()


def test_the_ledger_is_in_the_order_of_the_paper_with_names_of_their_own():
    ledger = claims.ledger()
    sections = [tuple(map(int, claim.section.split("."))) for claim in ledger]
    assert sections == sorted(sections)
    assert {claim.section for claim in ledger} <= set(contents.SECTIONS)
    assert len({claim.name for claim in ledger}) == len(ledger) >= 30
    for claim in ledger:
        assert claim.says.endswith(".") and claim.why.endswith(".")
        assert claim.needs in (ALWAYS, MOSTLY) and claim.settings


def test_a_claim_is_found_by_its_name():
    assert claims.claim("ml-best").section == "6"
    with pytest.raises(ValueError, match="no claim 'ml-worst'"):
        claims.claim("ml-worst")


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("ml-rises", "holds"),
        ("ml-few-steps", "holds under EX=EY=5 and EX=EY=20"),
        ("mean-like-mode", "holds under EX=EY=1, N=200"),
        ("all-count", "holds"),
        ("ml-best", "holds"),
        ("kl-next", "holds"),
        ("vit-above-var", "holds under EX=EY=1"),
        ("kl-faster", "holds under EX=EY=1 and EX=EY=5"),
        ("ml-kl-alike", "holds"),
        ("vit-second", "does not hold here"),
        ("var-fails", "holds"),
        ("priors-uniform", "holds under KL and VAR"),
        ("nit-matters-little", "holds under Nit=1, 3, 5"),
        ("another-model", "holds"),
        ("smooth", "holds"),
        ("vit-oscillates", "holds"),
        ("large-nit-settles", "does not hold here"),
    ],
)
def test_these_claims_come_out_as_the_course_says(name, verdict):
    """Those that need a second or less; the chapter on conclusions measures all of them."""
    finding = claims.claim(name).measure()
    assert finding.verdict == verdict
    assert {m.seeds for m in finding.measured} == {200}


def test_checks_of_one_block_come_out_both_ways():
    assert block.ml_is_quick(20.0).mean() > 0.9 and block.ml_is_quick(1.0).mean() < 0.1
    assert block.vit_beats_var(1.0).mean() > 0.7 and block.vit_beats_var(20.0).mean() < 0.3
    assert block.rules_draw_together(1.0, 20.0).mean() > 0.98
    assert block.rules_draw_together(20.0, 1.0).mean() < 0.02


def test_checks_of_the_hidden_variable_come_out_both_ways():
    assert hidden_variable.prior_is_uniform(batches.KL).all()
    assert not hidden_variable.prior_is_uniform(batches.VIT).any()
    assert hidden_variable.is_smooth(batches.ML).all()
    assert not hidden_variable.is_smooth(batches.VIT).all()
    finals = np.array([[5.0, 1.0, 9.0], [4.0, 5.0, 9.0], [3.0, 3.0, 9.0], [2.0, 2.0, 1.0]])
    assert batches.lead(finals).tolist() == [True, False, False]


def test_a_turn_is_a_wide_move_and_a_wide_move_back():
    up_and_down = np.array([0.0, 0.1, 0.0, 0.04, 0.0, 0.1, 0.2, 0.1])
    turned = batches.turning(up_and_down)
    assert turned.tolist() == [True, False, False, False, False, True]


def test_the_way_to_go_is_a_share_of_the_whole_way():
    values = np.array([[[0.0, 0.0]], [[3.0, 0.0]], [[4.0, 0.0]]])
    assert batches.to_go(values).tolist() == [0.25]


def test_a_seed_of_a_batch_is_a_run_that_anyone_can_repeat():
    run = batches.hidden()
    for seed in (0, 17):
        single = one_hidden(seed=seed, data_seed=seed)
        for lane, rule in enumerate(single.rules):
            ours = run.aggregated[:, lane, seed]
            np.testing.assert_allclose(ours, single.curve(rule, "aggregated"), rtol=1e-8)


def test_every_seed_has_a_table_of_its_own():
    one, other = samples(400, 0), samples(400, 1)
    assert any((one[name] != other[name]).any() for name in one)
    assert deeper_graph.samples(100, 0)[1] != deeper_graph.samples(100, 1)[1]


def test_the_text_names_claim_verdict_and_every_setting():
    finding = toy(MOSTLY, 200, 20).measure()
    assert claims.text([finding]) == (
        "6  toy: Something is so.\n"
        "     verdict: holds under case 0\n"
        "     100% of 200 seeds (98% to 100%)  case 0\n"
        "      10% of 200 seeds (7% to 15%)  case 1\n"
        "     Because."
    )
    assert claims.summary([finding]) == "6    toy  holds under case 0"
