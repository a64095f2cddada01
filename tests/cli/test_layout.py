"""Header, decimals, comments and names of the rows: found where the text is clear, else asked."""

import io

import numpy as np
import pytest

from specsel.cli import layout, tables
from specsel.cli.reading import Reading

VALUES = np.random.default_rng(0).normal(0.5, 0.2, (12, 6)).round(3).tolist()


def text(first, rows=VALUES, delimiter=","):
    lines = [first, *[delimiter.join(map(str, row)) for row in rows]]
    return "\n".join(lines) + "\n"


def look(content, **told):
    return layout.look(io.StringIO(content), False, Reading(**told))


@pytest.mark.parametrize(
    "first",
    [
        "1100,1102,1104,1106,1108,1110",  # wavelengths
        "1100.5,1101.25,1102.5,1103,1104,1107.5",  # in uneven steps
        "7157,672,675,5728,4609,1956",  # identifiers of genes
        "2001,2000,1999,1998,1997,1996",  # years
        "3,1,2,6,5,4",
        "2000,2000,2001,2001,2002,2002",  # repeated years
        "812,97,455,97,33,201",  # far from all below, one of them twice
        "812.1,97.3,455.0,1010.2,33.9,201.7",  # far from all below
        "age,1102,1104,1106,1108,1110",
        "1e5x,0.5,0.4,0.1,0.9,0.2",  # a mistake, or a name
    ],
)
def test_a_first_row_that_may_be_either_is_asked_for(first):
    with pytest.raises(ValueError, match=r"may be a header or a sample: say --header yes or"):
        look(text(first))
    assert look(text(first), header="yes").names == first.split(",")
    told = look(text(first), header="no")
    assert (told.names, told.before) == (None, 0)


def test_a_first_row_like_those_below_is_a_sample():
    rows = np.arange(72).reshape(12, 6).tolist()
    assert look(text("6,7,8,9,10,11", [*rows, [9, 1, 1, 2, 3, 4]])).names is None


def test_measurements_without_a_header_are_not_asked_for():
    rng = np.random.default_rng(1)
    for seed in range(200):
        kind = seed % 4
        rows = rng.normal(size=(9, 2 + seed % 9))
        if kind == 1:
            rows = rng.poisson(3.0, rows.shape)
        elif kind == 2:
            rows = np.exp(rows)
        elif kind == 3:
            rows = np.cumsum(np.abs(rows), axis=1)
        first, *rest = rows.tolist()
        assert look(text(",".join(map(str, first)), rest)).facts == ("no header",)


def test_a_blank_first_cell_is_a_header_of_names_of_the_rows():
    rows = [[f"s{i}", *row] for i, row in enumerate(VALUES)]
    found = look(text(",1100,1102,1104,1106,1108,1110", rows))
    assert (found.names[0], found.names[1], found.index) == ("", "1100", 0)
    assert found.facts == ("header of numbers", "rows named by the first column")


@pytest.mark.parametrize("first", ["setosa,5.1,3.5", "x,y,5.1", "x,5.1,y"])
def test_labels_over_labels_are_a_sample(first):
    row = first.replace("5.1", "4.75").split(",")
    assert look(text(first, [row] * 5)).names is None


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("first", ["a,b,c,d,e,f", "0.5,1.5,2,2,0.1,0.7"])
def test_decimal_commas(delimiter, first):
    first = first.replace(",", delimiter).replace(".", ",")
    found = look(text(first, VALUES, delimiter).replace(".", ","))
    assert (found.delimiter, found.decimal, found.width) == (delimiter, ",", 6)
    assert found.facts[0] == "decimal commas"
    whole = look(text("a;b", [["1", "2,5"], ["3,25", "4"]], ";"))
    assert (whole.delimiter, whole.decimal, whole.width) == (";", ",", 2)


def test_marks_between_thousands_are_asked_for():
    content = text("a;b", [["1,500", "2"], ["2,250", "3"]], ";")
    with pytest.raises(ValueError, match=r"'1,500' may have a decimal comma"):
        look(content)
    assert look(content, decimal=",").decimal == ","


def test_comments_above_the_table():
    content = "# made by hand\n\n# in 2024, twice\n" + text("a,b,c,d,e,f")
    found = look(content)
    assert (found.names, found.before) == (["a", "b", "c", "d", "e", "f"], 4)
    found = look("# made by hand\n# a,b,c,d,e,f\n" + text("0.5,0.4,0.7,0.2,0.9,0.1"))
    assert (found.names, found.before) == (["a", "b", "c", "d", "e", "f"], 2)
    assert found.facts == ("header behind a #",)


def test_wavelengths_behind_a_comment_mark_are_a_header():
    found = look(text("# 1100,1102,1104,1106,1108,1110"))
    assert found.names == ["1100", "1102", "1104", "1106", "1108", "1110"]
    assert found.facts == ("header behind a #",)
    assert look(text("# " + ",".join(map(str, VALUES[0])))).names is None  # a sample left out


def test_comments_are_not_read(write):
    table = tables.read(write("data.csv", "# one\n#two\n" + text("a,b,c,d,e,f")))
    np.testing.assert_array_equal(table.X.to_numpy(), VALUES)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3: a quote is opened here and not closed"),
        ('"a,b\n1,2\n' + "3,4\n" * 40_000, "line 1: a quote is opened here and not closed"),
        ('a,b\n1,"2"5\n', "line 2: a quote stands within a quoted cell; write it twice"),
        ('kind,a\nx,1\n"y,2\nz,3\n', "line 3: a quote is opened here and not closed"),
    ],
)
def test_quotes_that_are_not_closed_are_named_with_their_line(write, content, message):
    with pytest.raises(ValueError) as caught:
        tables.read(write("data.csv", content), drop=["kind"] * content.startswith("kind"))
    assert str(caught.value).endswith(f"data.csv: {message}")


def test_rows_of_a_sheet_are_read_as_those_of_a_text():
    rows = [(2, ["1100", "1102", "1104"]), (3, ["0.5", "0.2", "0.25"]), (4, ["0.7", "0.1", "0.5"])]
    with pytest.raises(ValueError, match="--header yes"):
        layout.arrange(rows, Reading())
    assert layout.arrange(rows, Reading(header="yes")).before == 2
    with pytest.raises(ValueError, match="is empty"):
        layout.arrange([], Reading())
