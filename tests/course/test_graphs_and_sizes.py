"""Pictures of section 7: ten graphs, wrong hidden sizes, coefficients side by side."""

import numpy as np
import pytest
from legible import meeting
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.text import Text

from fgn_notebooks import experiments, findings
from fgn_notebooks.claims.by_graph import leads_by_graph
from fgn_notebooks.claims.models import GRAPHS
from fgn_notebooks.figures.deeper_graph import draw_deeper_likelihoods
from fgn_notebooks.figures.graphs import draw_graphs
from fgn_notebooks.figures.hidden_variable import coefficients_side_by_side
from fgnwidgets.draw import LIGHT


def places(ax):
    """The centres of filled and of hollow nodes, and the arrows as pairs of ends."""
    nodes = [patch for patch in ax.patches if isinstance(patch, Circle)]
    filled = [n.center for n in nodes if n.get_facecolor()[:3] == to_rgb(LIGHT.observed.color)]
    hollow = [n.center for n in nodes if n.center not in filled]
    arrows = [(text.xyann, text.xy) for text in ax.texts if hasattr(text, "arrow_patch")]
    return filled, hollow, arrows


def test_every_graph_has_its_name_its_nodes_and_an_arrow_for_each_parent():
    fig = draw_graphs(GRAPHS, {"star of seven": "8 of 10"})
    (ax,) = fig.axes
    names = {text.get_text() for text in ax.texts if text.get_text()}
    assert names == {*GRAPHS} - {"star of seven"} | {"star of seven\n8 of 10"}
    filled, hollow, arrows = places(ax)
    variables = [name for graph in GRAPHS.values() for name in graph.variables]
    assert len(filled) == sum(name.startswith("X") for name in variables)
    assert len(hollow) == sum(not name.startswith("X") for name in variables)
    assert len(arrows) == sum(len(ps) for g in GRAPHS.values() for ps in g.parents.values())


def test_an_arrow_goes_from_a_parent_to_its_child_and_nothing_overlaps():
    fig = draw_graphs({"two levels": GRAPHS["two levels"]})
    filled, hollow, arrows = places(fig.axes[0])
    centres = np.array(filled + hollow)
    for tail, tip in arrows:
        near = [int(np.hypot(*(centres - end).T).argmin()) for end in (tail, tip)]
        assert centres[near[0]][1] < centres[near[1]][1]  # downwards: the axis runs down
    apart = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    assert apart[~np.eye(len(centres), dtype=bool)].min() > 2 * 0.26


def test_no_graph_leaves_the_sheet_and_a_given_figure_is_drawn_on():
    given = Figure(figsize=(7.6, 4))
    assert draw_graphs(GRAPHS, fig=given) is given
    (ax,) = given.axes
    centres = np.array([p.center for p in ax.patches])
    assert (centres > 0).all()
    assert (centres[:, 0] < ax.get_xlim()[1]).all() and (centres[:, 1] < ax.get_ylim()[0]).all()


@pytest.mark.mpl_image_compare(tolerance=3, savefig_kwargs={"dpi": 60})
def test_the_ten_graphs_look_as_they_were_approved():
    fig = draw_graphs(GRAPHS)
    for text in fig.findobj(lambda a: isinstance(a, Text) and not hasattr(a, "arrow_patch")):
        text.set_visible(False)
    return fig


def test_the_leads_by_graph_add_up_to_what_the_ledger_stores():
    leads = leads_by_graph()
    (found,) = (f for f in findings.stored() if f.claim.name == "other-graphs")
    first = found.measured[0]
    assert list(leads) == list(GRAPHS)
    assert sum(each.lead for each in leads.values()) == first.passed
    assert sum(each.models for each in leads.values()) == first.runs


def test_a_few_graphs_run_as_they_do_among_all():
    assert leads_by_graph(5, ["star of four"]) == {
        "star of four": leads_by_graph(5, ["two levels", "star of four"])["star of four"]
    }


def test_likelihoods_of_several_sizes_stand_on_one_scale_with_the_rules_curves():
    results = {
        "few": experiments.deeper(m_s1=2, m_y1=2, n_epochs=12),
        "many": experiments.deeper(m_y2=5, n_epochs=12),
    }
    fig = draw_deeper_likelihoods(results)
    shown = [ax for ax in fig.axes if ax.get_visible()]
    assert [ax.get_title("left") for ax in shown] == ["few", "many"]
    assert shown[0].get_ylim() == shown[1].get_ylim()
    assert meeting(fig) == []
    # at whichever heights: names beside a plot end before the numbers of the next one begin
    names = [text.get_window_extent().x1 for text in shown[0].texts]
    assert max(names) < min(t.get_window_extent().x0 for t in shown[1].get_yticklabels())
    for ax, result in zip(shown, results.values(), strict=True):
        ends = [line.get_ydata()[-1] for line in ax.lines if len(line.get_ydata()) > 2]
        for rule in result.rules:
            assert any(np.isclose(end, result.aggregated[rule][-1]) for end in ends), rule


def test_coefficients_of_two_sizes_stand_side_by_side_for_the_blocks_that_are_asked():
    results = [experiments.one_hidden(m_s=m, seed=1, n_epochs=8) for m in (2, 7)]
    fig = coefficients_side_by_side(results, ["two", "seven"], blocks=("X1|S", "X3|S"))
    shown = [ax for ax in fig.axes if ax.get_visible()]
    assert [ax.get_ylabel() for ax in shown] == ["P(X1|S)", "P(X3|S)"] * 2
    assert [ax.get_xlabel().split()[0].strip(",;") for ax in shown[1::2]] == ["two", "seven"]
    for ax, result in zip(shown[::2], results, strict=True):
        bundles = [c for c in ax.collections if isinstance(c, LineCollection)]
        ends = np.array([line[-1, 1] for bundle in bundles for line in bundle.get_segments()])
        for value in result.theta["ml"]["X1|S"][-1].ravel():
            assert np.isclose(ends, value).any()
