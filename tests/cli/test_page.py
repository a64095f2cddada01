"""What pages are made of."""

from specsel.cli import page


def test_texts_show_as_they_are():
    shown = page.table(("a <b>",), [("\x1b[31m & more",)])
    assert "<th>a &lt;b&gt;</th>" in shown
    assert "<td>\\x1b[31m &amp; more</td>" in shown
    assert page.facts([("<i>", "1 < 2")]) == "<dl><dt>&lt;i&gt;</dt><dd>1 &lt; 2</dd></dl>"
    assert page.bullets(["x < y"]) == "<ul><li>x &lt; y</li></ul>"


def test_sentences_begin_with_a_capital_but_names_do_not():
    assert page.paragraphs(["there is", "", "k = 3 is"]) == "<p>There is</p><p>k = 3 is</p>"


def test_a_page_needs_nothing_from_elsewhere():
    whole = page.whole("title", [page.section("one", page.picture(b"\x89PNG", "a picture"))])
    assert whole.startswith("<!DOCTYPE html>")
    assert '<img alt="a picture" src="data:image/png;base64,iVBORw==">' in whole
    assert "http" not in whole


def test_versions_are_those_of_this_run():
    found = dict(page.versions())
    assert "numba" in found["with"]
    assert found["specsel"]


def test_long_lists_are_folded():
    names = [f"g{i}" for i in range(page.NAMED + 5)]
    assert page.listed(names[:3]) == "<p>g0, g1, g2</p>"
    assert "<details>" not in page.listed(names[: page.SHOWN])
    shown, folded = page.listed(names).split("<details>")
    assert shown.endswith(f"g{page.SHOWN - 1}</p>")
    assert folded.startswith(f"<summary>and {len(names) - page.SHOWN} more</summary><p>g100, ")
    assert f"g{page.NAMED - 1} and 5 more" in folded
