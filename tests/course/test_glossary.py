"""The glossary names what there is: chapters, formulas, and names of the library."""

import importlib
import inspect
import re

import pytest

import fgnwidgets
from fgn_notebooks import chapters, contents, glossary


def text_of(number):
    cells = chapters.read(chapters.find(number).path)["cells"]
    return "\n".join(chapters.source(cell) for cell in cells).lower()


@pytest.mark.parametrize("term", glossary.TERMS, ids=lambda term: term.word)
def test_a_word_is_used_in_the_chapter_that_is_said_to_explain_it(term):
    text = text_of(term.chapter)
    stem = term.word.lower().replace("nit", "n_{it}").removesuffix("ed").removesuffix("en")
    assert stem in text or stem.replace("d-separation", "d-separated") in text


FIELD = ("local maximum", "parameters", "latent class", "posterior distribution", "MAP",
         "max-product", "sum-product", "junction tree", "treewidth", "missing at random",
         "naive Bayes", "Laplace smoothing", "permuted")  # fmt: skip


def test_the_words_of_the_field_are_there_for_those_who_search_by_them():
    assert set(FIELD) <= {term.word for term in glossary.TERMS}


def test_our_names_in_the_list_of_other_programs_are_public_names_or_arguments():
    said = " ".join(names["ours"] for names in glossary.ELSEWHERE.values())
    for name in ("posterior", "score", "most_probable", "goodness", "blrt", "residuals",
                 "three_step", "invariance"):  # fmt: skip
        assert f"`{name}" in said and name in fgnwidgets.__all__
    assert all(set(names) <= set(glossary.PROGRAMS) for names in glossary.ELSEWHERE.values())
    head, _, *rows = glossary.elsewhere().splitlines()
    bars = re.compile(r"(?<!\\)\|")
    assert {len(bars.findall(row)) for row in (head, *rows)} == {len(glossary.PROGRAMS) + 2}


def names_of(program):
    """What is set as code in the list for a program."""
    cells = " ".join(names.get(program, "") for names in glossary.ELSEWHERE.values())
    return set(re.findall(r"`([^`]+)`", cells))


def known_to(*things):
    """The attributes of classes, and the arguments of their methods and of functions."""
    found = set()
    for thing in things:
        members = [*vars(thing).values(), thing] if inspect.isclass(thing) else [thing]
        found |= set(dir(thing)) | {thing.__name__}
        for member in filter(callable, members):
            found |= set(inspect.signature(member).parameters)
    return found


def test_the_names_of_stepmix_are_those_of_its_class_and_of_its_bootstrap():
    stepmix = pytest.importorskip("stepmix")
    bootstrap = importlib.import_module("stepmix.bootstrap")
    known = known_to(stepmix.StepMix, bootstrap.blrt) | {"stepmix", "bootstrap"}
    known |= set(re.findall(r"\w+", stepmix.StepMix.__doc__))  # values of arguments, weights_
    for name in names_of("StepMix"):
        assert set(re.findall(r"[A-Za-z]\w*", name)) <= known, name


def test_the_names_of_hmmlearn_are_those_of_its_categorical_chain():
    hmm = pytest.importorskip("hmmlearn.hmm")
    known = known_to(hmm.CategoricalHMM) | known_to(hmm.CategoricalHMM.fit)
    fitted = set(re.findall(r"^\s*(\w+_) :", hmm.CategoricalHMM.__doc__, re.MULTILINE))
    assert names_of("hmmlearn") <= known | fitted


def test_the_names_of_pgmpy_are_those_of_its_models_and_estimators():
    models = pytest.importorskip("pgmpy.models")
    estimators = pytest.importorskip("pgmpy.parameter_estimator")
    inference = pytest.importorskip("pgmpy.inference")
    factors = pytest.importorskip("pgmpy.factors.discrete")
    known = known_to(models.DiscreteBayesianNetwork, models.DynamicBayesianNetwork,
                     estimators.DiscreteEM, estimators.DiscreteBayesianEstimator,
                     inference.VariableElimination, factors.TabularCPD)  # fmt: skip
    assert {name.strip("=()") for name in names_of("pgmpy")} <= known


@pytest.mark.parametrize("symbol", glossary.SYMBOLS, ids=lambda symbol: symbol.paper)
def test_a_name_in_code_is_a_public_name_of_the_library(symbol):
    if symbol.code == glossary.NO_CODE:
        return
    first, _, attribute = symbol.code.partition(".")
    assert first in fgnwidgets.__all__
    if attribute:
        fields = getattr(getattr(fgnwidgets, first), "__dataclass_fields__", {})
        assert hasattr(getattr(fgnwidgets, first), attribute) or attribute in fields


@pytest.mark.parametrize("symbol", glossary.SYMBOLS, ids=lambda symbol: symbol.paper)
def test_where_a_symbol_is_defined_is_a_section_or_a_formula_of_the_paper(symbol):
    kind, *rest = symbol.where.split()
    numbers = [word for word in rest if re.fullmatch(r"[0-9.]+", word)]
    known = contents.SECTIONS if kind == "section" else {str(n) for n in contents.EQUATIONS}
    assert numbers and set(numbers) <= set(known)


def test_words_come_in_the_order_of_the_alphabet_and_each_once():
    lines = glossary.words().splitlines()[2:]
    listed = [line.split("**")[1].lower() for line in lines]
    assert listed == sorted(listed)
    assert len(set(listed)) == len(listed) == len(glossary.TERMS)


def test_every_row_links_to_its_chapter():
    for row in (*glossary.words().splitlines()[2:], *glossary.symbols().splitlines()[2:]):
        number, name = re.search(r"\[(\w+)\]\((\S+)\) \|$", row).groups()
        assert chapters.find(number).path.name == name


def test_works_come_in_the_order_of_their_authors():
    authors = [re.split(r",| \(", work.reference)[0].split()[-1] for work in glossary.WORKS]
    assert authors == sorted(authors)
