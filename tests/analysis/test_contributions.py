"""The rows behind a learned number, beside enumeration of the whole joint table."""

import numpy as np
import pytest
from oracles import posterior

import fgnwidgets as fg

GRAPH = fg.BayesGraph(
    {"S": 2, "A": ("no", "yes"), "B": ("no", "yes"), "C": ("low", "mid", "high")},
    dict.fromkeys("ABC", "S"),
)
LOOP = fg.BayesGraph(
    {"S": 2, "A": 2, "B": 3, "C": ("no", "yes")}, {"A": "S", "B": "S", "C": ["A", "B"]}
)
BOTH = ("loglik", "theta")
HOW = {"n_epochs": 6, "tol": 0, "progress": False, "record": BOTH}


def drawn(graph, n, columns, blanks=0.0):
    rng = np.random.default_rng(3)
    whole = fg.sample(graph, fg.random_theta(graph, rng), n, rng)
    table = {name: np.asarray(whole[name], dtype=object) for name in columns}
    for column in table.values():
        column[rng.random(n) < blanks] = None
    return table


@pytest.fixture(scope="module")
def table():
    return drawn(GRAPH, 80, "ABC", blanks=0.1)


def said(graph, run):
    """The different rows as likelihood vectors, for enumeration."""
    return {
        name: run.rows.likelihood(name, graph.variables[name].size) for name in run.rows.variables
    }


def below(name, run):
    """The rows from which a leaf's matrix learns: its cell is not missing."""
    return run.rows.codes[name] >= 0


@pytest.mark.parametrize("blanks", [0.0, 0.2])
@pytest.mark.parametrize("name", ["S", "A|S", "C|S"])
def test_ml_counts_posteriors_of_the_epoch_before(name, blanks):
    run = fg.fit(GRAPH, drawn(GRAPH, 60, "ABC", blanks), restarts=2, **HOW)
    child = name[0]
    for epoch in (1, 4, 6):
        before = {k: m[epoch - 1, run.best] for k, m in run.theta.items()}
        family = ("S",) if child == "S" else ("S", child)
        each = posterior(GRAPH, before, said(GRAPH, run), run.rows.n, family)
        each = np.asarray(each).reshape(*run.theta[name].shape[2:], -1)
        if child != "S":
            each = each * below(child, run)
        else:
            each = each * (run.rows.known("A") | run.rows.known("B") | run.rows.known("C"))
        for (x, y), number in np.ndenumerate(run.theta[name][epoch, run.best]):
            states = GRAPH.variables[child].states or range(2)
            made = fg.contributions(run, name, x, states[y], epoch=epoch)
            assert made.responsibility == pytest.approx(each[x, y], abs=1e-12)
            assert made.contribution == pytest.approx(run.weight * each[x, y], abs=1e-12)
            assert made.given == pytest.approx(run.weight * each[x].sum(axis=0), abs=1e-12)
            assert made.total / made.row_total == pytest.approx(number, abs=1e-12)
            assert made.number == pytest.approx(number, abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "n_it"), [("ml", 1), ("ml", 3), ("kl", 1), ("kl", 3), ("vit", 1), ("var", 1)]
)
def test_the_rows_add_up_to_every_learned_number_of_every_rule(table, rule, n_it):
    run = fg.fit(GRAPH, table, rule, n_it=n_it, restarts=2, **HOW)
    for restart, epoch in ((0, 1), (1, 5)):
        for name, matrices in run.theta.items():
            for (x, y), number in np.ndenumerate(matrices[epoch, restart]):
                made = fg.contributions(run, name, x, _label(name, y), restart=restart, epoch=epoch)
                top, foot = made.total + made.pseudo, made.row_total + made.pseudo_row
                assert top / foot == pytest.approx(number, abs=1e-12)


def _label(name, y):
    return (GRAPH.variables[name[0]].states or range(2))[y]


def test_random_ties_and_kept_rows_are_counted_as_they_were_learned(table):
    how = {"ties": "random", "empty": "keep"}
    run = fg.fit(GRAPH, table, "vit", restarts=3, **HOW, **how)
    for (x, y), number in np.ndenumerate(run.theta["C|S"][5, 2]):
        made = fg.contributions(run, "C|S", x, _label("C", y), restart=2, epoch=5)
        assert made.number == pytest.approx(number, abs=1e-12)
        top, foot = made.total + made.pseudo, made.row_total + made.pseudo_row
        assert foot == 0 or top / foot == pytest.approx(number, abs=1e-9)


def test_without_an_epoch_they_are_the_expected_counts_of_the_final_matrices(table):
    run = fg.fit(GRAPH, table, restarts=3, n_epochs=40, progress=False)
    for restart in range(3):
        for name, counts in run.counts.items():
            for (x, y), count in np.ndenumerate(counts[restart]):
                made = fg.contributions(run, name, x, _label(name, y), restart=restart)
                assert made.total == pytest.approx(count, abs=1e-9)
                assert made.row_total == pytest.approx(counts[restart][x].sum(), abs=1e-9)


def test_pseudo_counts_stand_beside_the_rows(table):
    alpha = {"A|S": np.array([[1.0, 2.0], [0.5, 0.0]])}
    run = fg.fit(GRAPH, table, alpha=alpha, **HOW)
    made = fg.contributions(run, "A|S", 0, "yes", epoch=3)
    assert (made.pseudo, made.pseudo_row) == (2.0, 3.0)
    number = (made.total + 2) / (made.row_total + 3)
    assert number == pytest.approx(run.theta["A|S"][3, run.best, 0, 1], abs=1e-12)
    assert "+ 2) / (" in repr(made)


def test_blocks_that_share_a_matrix_add_up():
    graph = fg.hmm(2, ("x", "y"), 4)
    seen = [name for name, branch in graph.variables.items() if branch.states == ("x", "y")]
    run = fg.fit(graph, drawn(graph, 40, seen), restarts=2, **HOW)
    form = graph.normal_form()
    tied = [name for name, users in form.users.items() if len(users) > 1]
    assert len(tied) == 2
    before = {k: m[3, run.best] for k, m in run.theta.items()}
    for name in tied:
        each = sum(
            posterior(graph, before, said(graph, run), run.rows.n, (*graph.parents[v], v))
            for v in graph.variables
            if graph.theta[v] == name
        ).reshape(2, 2, -1)
        states = form.states(form.users[name][0].outputs[0].name)
        for (x, y), number in np.ndenumerate(run.theta[name][4, run.best]):
            made = fg.contributions(run, name, x, states[y], epoch=4)
            assert made.responsibility == pytest.approx(each[x, y], abs=1e-12)
            assert made.total / made.row_total == pytest.approx(number, abs=1e-12)


def test_a_merged_graph_has_the_rows_of_its_original_matrices():
    merged = LOOP.merged()
    run = fg.fit(merged, drawn(merged, 70, "ABC"), restarts=2, **HOW)
    before = {k: m[2, run.best] for k, m in run.theta.items()}
    each = np.asarray(posterior(LOOP, before, said(LOOP, run), run.rows.n, ("A", "B", "C")))
    each = each.reshape(2, 3, 2, -1)
    for (a, b), (y, label) in [((0, 1), (1, "yes")), ((1, 2), (0, "no"))]:
        made = fg.contributions(run, "C|A,B", (a, b), label, epoch=3)
        assert made.responsibility == pytest.approx(each[a, b, y], abs=1e-12)
        assert made.number == pytest.approx(run.theta["C|A,B"][3, run.best, 3 * a + b, y])


def test_weights_of_their_own_and_rows_without_weight(table):
    weight = np.random.default_rng(0).integers(0, 3, (2, 80)).astype(float)
    run = fg.fit(GRAPH, table, weight=weight, restarts=2, **HOW)
    made = fg.contributions(run, "A|S", 1, "no", restart=1, epoch=2)
    assert made.number == pytest.approx(run.theta["A|S"][2, 1, 1, 0], abs=1e-12)
    assert not made.responsibility[made.count == 0].any()
    assert made.count.sum() == weight[1].sum()


def test_a_rule_of_ones_own_that_knows_no_batches_is_asked_row_by_row(table):
    def step(theta, f, b, weight):
        assert theta.ndim == 2
        return f @ (b * weight).T + 0 * theta

    own = fg.Rule("flat", step)
    run = fg.fit(GRAPH, table, own, restarts=1, **HOW)
    made = fg.contributions(run, "A|S", 0, "yes", epoch=2)
    assert made.total / made.row_total == pytest.approx(run.theta["A|S"][2, 0, 0, 1])


def test_more_rows_than_are_held_at_once_and_more_than_a_piece(monkeypatch, table):
    from fgnwidgets.analysis import contributions as module

    run = fg.fit(GRAPH, table, **HOW)
    whole = fg.contributions(run, "A|S", 0, "yes")
    monkeypatch.setattr(module, "AT_ONCE", 20)
    cut = fg.contributions(run, "A|S", 0, "yes")
    assert cut.contribution == pytest.approx(whole.contribution, abs=1e-15)


def test_pieces_of_tied_blocks_come_together(monkeypatch):
    from fgnwidgets.analysis import contributions as module

    graph = fg.hmm(2, ("x", "y"), 3)
    names = [name for name, branch in graph.variables.items() if branch.states == ("x", "y")]
    run = fg.fit(graph, drawn(graph, 40, names), restarts=1, **HOW)
    tied = next(n for n, users in graph.normal_form().users.items() if len(users) > 2)
    whole = fg.contributions(run, tied, 0, "y")
    real = module.propagate_chunks

    def in_pieces(clamped, theta, restarts):
        from fgnwidgets.inference.propagation import propagate_chunk

        assert real(clamped, theta, restarts)
        return (
            propagate_chunk(clamped, theta, slice(at, min(at + 3, run.rows.n)))
            for at in range(0, run.rows.n, 3)
        )

    monkeypatch.setattr(module, "propagate_chunks", in_pieces)
    cut = fg.contributions(run, tied, 0, "y")
    assert cut.contribution == pytest.approx(whole.contribution, abs=1e-12)


def test_its_report_lists_the_largest_rows_and_the_rest_in_one_line(monkeypatch, table):
    from fgnwidgets.analysis import contributions as module

    monkeypatch.setattr(module, "MOST_ROWS", 3)
    made = fg.contributions(fg.fit(GRAPH, table, **HOW), "A|S", 0, "yes")
    text = repr(made).splitlines()
    assert text[0] == "Rows that made P(A = yes | S = 0)"
    assert text[5].startswith(f"and {len(made.order) - 3} more rows")
    listed = [float(line.split()[-1]) for line in text[2:6]]
    assert sum(listed) == pytest.approx(made.total, abs=3e-2)
    assert text[-1].endswith(f"= {made.number:.6g}")
    assert "<table>" in made._repr_html_()
    columns = made.to_dict()
    assert columns["contribution"] == pytest.approx(made.contribution[made.order])
    assert len(columns["row"]) == len(made.order)


@pytest.mark.parametrize(
    ("asked", "how", "says"),
    [
        (("B|A", 0, "no"), {}, "matrix is 'B|A': expected one that was learned: S, A|S, B|S, C|S"),
        (("A|S", 2, "no"), {}, "x is 2: expected one of 0, 1, as 'A|S' has them"),
        (("A|S", 0, "maybe"), {}, "y is 'maybe': expected one of 'no', 'yes'"),
        (("A|S", 0, True), {}, "y is True"),
        (("A|S", 0, "no"), {"restart": 2}, "restart is 2: expected less than 2"),
        (("A|S", 0, "no"), {"epoch": 0}, "expected 1 to 6; epoch 0 is the start"),
        (("A|S", 0, "no"), {"epoch": 7}, "epoch is 7: expected 1 to 6"),
        (("A|S", 0, "no"), {"epoch": 1.5}, "epoch is 1.5"),
    ],
)
def test_what_was_not_learned_is_refused_in_words(table, asked, how, says):
    run = fg.fit(GRAPH, table, restarts=2, **HOW)
    with pytest.raises(ValueError) as told:
        fg.contributions(run, *asked, **how)
    assert says in str(told.value)


def test_what_no_row_moved_is_refused_with_the_reason(table):
    held = fg.fit(GRAPH, table, hold={"A|S": [True, False]}, **HOW)
    with pytest.raises(ValueError, match="row 0 of 'A|S' was held"):
        fg.contributions(held, "A|S", 0, "no")
    assert fg.contributions(held, "A|S", 1, "no", epoch=2).number == pytest.approx(
        held.theta["A|S"][2, held.best, 1, 0]
    )
    short = fg.fit(GRAPH, table, n_epochs=3, progress=False)
    with pytest.raises(ValueError, match="kept no matrices"):
        fg.contributions(short, "A|S", 1, "no", epoch=2)
    begun = fg.fit(GRAPH, table, start="messages", restarts=1, **HOW)
    with pytest.raises(ValueError, match="began with messages"):
        fg.contributions(begun, "A|S", 1, "no", epoch=1)
    assert fg.contributions(begun, "A|S", 1, "no", epoch=2).epoch == 2
    with pytest.raises(ValueError, match="expected a Run"):
        fg.contributions(GRAPH, "A|S", 1, "no")


def test_labels_win_over_positions():
    graph = fg.BayesGraph({"S": (1, 0), "A": ("no", "yes")}, {"A": "S"})
    run = fg.fit(graph, drawn(graph, 40, "SA"), restarts=1, **HOW)
    made = fg.contributions(run, "A|S", 0, "yes", epoch=1)
    assert made.x == 0
    assert made.number == pytest.approx(run.theta["A|S"][1, 0, 1, 1])
    assert fg.contributions(run, "A|S", 0, 1, epoch=1).y == "yes"
