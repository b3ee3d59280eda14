"""How a case is told to a person."""

from scripts.measure.case import case, in_words


def test_a_number_has_its_name_and_a_text_needs_none():
    options = [("bucket_view", True), ("micro_batches", 8), ("overlap", False), ("schedule", "1F1B"), ("share", 0.5)]
    assert in_words(options) == "bucket view micro batches 8 1F1B share 0.5"


def test_a_name_says_the_ranks():
    assert case("pipeline", 4, schedule="GPipe", virtual=1).name == "pipeline: GPipe virtual 1, 4 ranks"
    assert case("scale", 64, transport="fake", size="7.7b").name == "scale: 7.7b, one of 64 ranks"
