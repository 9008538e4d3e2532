"""Tests of the names of a classifier's classes, as they are read from its file."""

from typing import Any

from onnx import GraphProto, NodeProto, helper

from inference.registry.admission.classes import MAX_CLASSES, class_names


def graph_of(*nodes: NodeProto) -> GraphProto:
    return helper.make_graph(nodes, "graph", [], [])


def classifier(domain: str = "ai.onnx.ml", **attributes: Any) -> NodeProto:
    return helper.make_node("LinearClassifier", ["x"], ["label", "scores"], domain=domain, **attributes)


def test_classes_are_texts_or_numbers_in_the_order_of_the_scores() -> None:
    assert class_names(graph_of(classifier(classlabels_strings=["setosa", "virginica"]))) == ("setosa", "virginica")
    assert class_names(graph_of(classifier(classlabels_ints=[3, 7, 9]))) == ("3", "7", "9")


def test_nodes_that_agree_name_the_classes_and_others_do_not() -> None:
    first = classifier(classlabels_strings=["a", "b"])
    zipped = helper.make_node("ZipMap", ["scores"], ["y"], domain="ai.onnx.ml", classlabels_strings=["a", "b"])
    assert class_names(graph_of(first, zipped)) == ("a", "b")
    assert class_names(graph_of(first, classifier(classlabels_strings=["a", "c"]))) == ()


def test_a_graph_without_usable_names_has_no_classes() -> None:
    assert class_names(graph_of(classifier())) == ()
    assert class_names(graph_of(classifier(classlabels_strings=["alone"]))) == ()
    assert class_names(graph_of(classifier(classlabels_strings=["a\n", "b"]))) == ()
    assert class_names(graph_of(classifier(domain="other", classlabels_strings=["a", "b"]))) == ()
    assert class_names(graph_of(classifier(classlabels_ints=list(range(MAX_CLASSES + 1))))) == ()
