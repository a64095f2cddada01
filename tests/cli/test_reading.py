"""What the user says of a file."""

from specsel.cli.reading import Content, Reading


def test_columns_that_the_user_names():
    told = Reading(drop=["a", " b\n c "], target="kind", index=None)
    assert told.named == {"a", "b c", "kind"}
    assert Reading().named == set()


def test_content_is_of_features_alone_unless_said():
    content = Content([[1.0]])
    assert content.apart == ()
    assert content.rows is content.y is content.names is None
