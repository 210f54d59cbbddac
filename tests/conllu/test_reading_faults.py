"""Every kind of fault, one at a time, in the middle of a file: the error names line and code, and no more is lost."""

from __future__ import annotations

import pytest

from permtree.conllu.scan import read_text
from permtree.errors import DataError
from permtree.treebank import Treebank

BEFORE = [b"# sent_id = before", b"1\tx\t_\tX\t_\t_\t0\troot\t_\t_", b"2\ty\t_\tX\t_\t_\t1\tdep\t_\t_", b""]
AFTER = [b"# sent_id = after", b"1\tx\t_\tX\t_\t_\t0\troot\t_\t_", b""]
MIDDLE = [
    b"# sent_id = middle",
    b"# text = a b c",
    b"1\ta\tA\tX\tx\tF=1\t3\tdep\t3:dep\tM=1",
    b"2\tb\tB\tX\tx\tF=1\t1\tdep\t1:dep\tM=1",
    b"2.1\te\tE\tX\tx\tF=1\t_\t_\t3:dep\tM=1",
    b"3\tc\tC\tX\tx\tF=1\t0\troot\t0:root\tM=1",
    b"",
]
COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()


def with_line(number: int, *lines: bytes) -> list[bytes]:
    """The middle sentence with line `number` (from 0) replaced by others."""
    return MIDDLE[:number] + list(lines) + MIDDLE[number + 1 :]


def with_column(line: int, name: str, value: bytes) -> list[bytes]:
    columns = MIDDLE[line].split(b"\t")
    columns[COLUMNS.index(name)] = value
    return with_line(line, b"\t".join(columns))


def with_n_columns(line: int, count: int) -> list[bytes]:
    return with_line(line, b"\t".join((MIDDLE[line].split(b"\t") * 2)[:count]))


# What the middle sentence becomes, the line of it (from 0) that is at fault, and the code.
FAULTS = {
    **{f"{count} columns": (with_n_columns(3, count), 3, "E110") for count in [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12]},
    "nine columns in the last word": (with_n_columns(5, 9), 5, "E110"),
    "columns separated by spaces": (with_line(3, MIDDLE[3].replace(b"\t", b"  ")), 3, "E110"),
    **{f"empty {name}": (with_column(3, name, b""), 3, "E111") for name in COLUMNS},
    "empty FORM of a node": (with_column(4, "FORM", b""), 4, "E111"),
    "empty ID of the last word": (with_column(5, "ID", b""), 5, "E111"),
    **{
        f"ID {name.decode()}": (with_column(3, "ID", name), 3, "E120")
        for name in [
            b"0",
            b"-1",
            b"02",
            b"x",
            b"2x",
            b"2.x",
            b"2.",
            b".1",
            b"2-",
            b"2-x",
            b"2.0",
            b"2.01",
            b"0-1",
            b" 2",
        ]
        + [b"1-2-3", b"1.1.1", b"+2", b"2 ", b"02-3", b"2-03", b"1,2", b"2e0", b"\xd9\xa2", b"\xef\xbc\x92", b"2:3"]
    },
    "ID x for the last word": (with_column(5, "ID", b"x"), 5, "E120"),
    "ID 3 twice": (with_column(3, "ID", b"3"), 3, "E121"),
    "ID huge": (with_column(3, "ID", b"9999999"), 3, "E121"),
    "ID too huge to be read": (with_column(3, "ID", b"9999999999999999999999"), 3, "E120"),
    "ID skipped": (with_column(5, "ID", b"4"), 5, "E121"),
    "ID 1 again": (with_column(3, "ID", b"1"), 3, "E122"),
    "range backwards": (with_line(3, b"2-1\tab" + b"\t_" * 8, MIDDLE[3]), 3, "E124"),
    "range beyond the end": (with_line(3, b"2-9\tab" + b"\t_" * 8, MIDDLE[3]), 3, "E124"),
    "range after its first word": (with_line(4, b"2-3\tbc" + b"\t_" * 8, MIDDLE[4]), 4, "E124"),
    "range too early": (with_line(2, b"2-3\tbc" + b"\t_" * 8, MIDDLE[2]), 2, "E124"),
    "range in the end": (with_line(6, b"3-3\tc" + b"\t_" * 8, b""), 6, "E124"),
    "range twice": (with_line(3, b"2-3\tbc" + b"\t_" * 8, b"2-3\tbc" + b"\t_" * 8, MIDDLE[3]), 3, "E124"),
    "range before an empty node": (with_line(4, b"3-3\tc" + b"\t_" * 8, MIDDLE[4]), 4, "E124"),
    "ranges that overlap": (
        [MIDDLE[0], b"1-2\tab" + b"\t_" * 8, MIDDLE[2], b"2-3\tbc" + b"\t_" * 8, *MIDDLE[3:]],
        3,
        "E124",
    ),
    "empty node with a number left out": (with_column(4, "ID", b"2.2"), 4, "E125"),
    "empty node in the wrong place": (with_column(4, "ID", b"1.1"), 4, "E125"),
    "empty nodes in the wrong order": (with_line(4, MIDDLE[4].replace(b"2.1", b"2.2"), MIDDLE[4]), 4, "E125"),
    "empty node twice": (with_line(4, MIDDLE[4], MIDDLE[4]), 5, "E125"),
    "no words": ([b"# sent_id = middle", b"0.1\tx" + b"\t_" * 8, b""], 1, "E126"),
    **{
        f"HEAD {head.decode()}": (with_column(3, "HEAD", head), 3, "E130")
        for head in [b"-1", b"01", b"00", b"1.5", b"+1", b"x", b"1x", b"__", b"1 ", b"99999999", b"\xd9\xa1", b"1-2"]
    },
    "HEAD in the next sentence": (with_column(3, "HEAD", b"4"), 3, "E131"),
    "HEAD far out": (with_column(3, "HEAD", b"9999999"), 3, "E131"),
    **{
        f"DEPS {deps.decode()}": (with_column(3, "DEPS", deps), 3, "E140")
        for deps in [b"x", b"1:", b":dep", b"1:dep|", b"|1:dep", b"1:dep||3:dep", b"01:dep", b"1.x:dep", b"1.:dep"]
        + [
            b"1:dep|3",
            b"-1:dep",
            b"1-2:dep",
            b" 1:dep",
            b"1 :dep",
            b"1:dep|_",
            b"9999999999:dep",
            b"2.01:dep",
            b"2.0:dep",
        ]
    },
    "DEPS head out of range": (with_column(3, "DEPS", b"1:dep|4:dep"), 3, "E141"),
    "DEPS head is a missing empty node": (with_column(3, "DEPS", b"1.1:dep"), 3, "E141"),
    "DEPS head is a missing node before all words": (with_column(3, "DEPS", b"0.1:dep"), 3, "E141"),
    "DEPS of an empty node": (with_column(4, "DEPS", b"9:dep"), 4, "E141"),
    "comment between words": (with_line(3, b"# x", MIDDLE[3]), 3, "E123"),
    "comment after the words": (with_line(6, b"# x", b""), 6, "E123"),
    "white space alone": (with_line(3, b"  ", MIDDLE[3]), 3, "E104"),
    "a tab alone": (with_line(3, b"\t", MIDDLE[3]), 3, "E104"),
    "white space for a blank line": (with_line(6, b" ", b""), 6, "E104"),
    "bad bytes in a comment": (with_line(1, b"# text = \xff"), 1, "E101"),
    "bad bytes in a form": (with_column(3, "FORM", b"\xc3"), 3, "E101"),
    "bad bytes at the end": (with_column(5, "MISC", b"\xe2\x80"), 5, "E101"),
    "a surrogate": (with_column(5, "MISC", b"\xed\xa0\x80"), 5, "E101"),
    "carriage return inside a line": (with_column(3, "FORM", b"a\rb"), 3, "E102"),
    "carriage return in a comment": (with_line(1, b"# a\rb"), 1, "E102"),
    "byte-order mark in the middle, before a comment": (with_line(0, b"\xef\xbb\xbf" + MIDDLE[0]), 0, "E103"),
    "byte-order mark in the middle, before a word": (with_line(2, b"\xef\xbb\xbf" + MIDDLE[2]), 2, "E103"),
}
every_fault = pytest.mark.parametrize(("middle", "line", "code"), FAULTS.values(), ids=FAULTS.keys())


def joined(*sentences: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for lines in sentences for line in lines)


@every_fault
def test_the_first_fault_is_named_with_its_line(middle, line, code):
    with pytest.raises(DataError) as caught:
        read_text(joined(BEFORE, middle, AFTER), "file")
    finding = caught.value.finding
    assert (finding.code, finding.line) == (code, len(BEFORE) + 1 + line)
    assert str(caught.value).startswith(f"file:{finding.line}: ")
    assert "\n" not in str(caught.value)


@every_fault
def test_skipping_leaves_out_that_sentence_alone(middle, line, code):
    text, findings = read_text(joined(BEFORE, middle, AFTER), "file", skip_errors=True)
    assert text.data == joined(BEFORE, AFTER)
    assert (code, len(BEFORE) + 1 + line) in [(finding.code, finding.line) for finding in findings]


@every_fault
def test_lines_after_a_skipped_sentence_keep_their_numbers(middle, line, code):
    circle = [b"# sent_id = circle", b"1\tx\t_\tX\t_\t_\t2\tdep\t_\t_", b"2\tx\t_\tX\t_\t_\t1\tdep\t_\t_", b""]
    text, _ = read_text(joined(BEFORE, middle, AFTER, circle), "file", first_line=101, skip_errors=True)
    ((number, finding),) = Treebank.from_text(text).tree_findings()
    assert number == 2
    assert finding.line == 100 + len(BEFORE) + len(middle) + len(AFTER) + 2
    assert finding.sentence == "circle"


def test_a_missing_blank_line_runs_two_sentences_together():
    data = joined(BEFORE, MIDDLE[:-1], AFTER)
    with pytest.raises(DataError, match="file:11: a comment after words; a blank line is missing") as caught:
        read_text(data, "file")
    assert caught.value.finding.code == "E122"
    text, _ = read_text(data, "file", skip_errors=True)
    assert text.data == joined(BEFORE)


def test_a_missing_blank_line_without_comments():
    with pytest.raises(DataError, match="file:11: ids start again at 1; a blank line is missing"):
        read_text(joined(BEFORE, MIDDLE[:-1], AFTER[1:]), "file")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_refused(encoding):
    data = joined(BEFORE, MIDDLE, AFTER).decode().encode(encoding)
    with pytest.raises(DataError) as caught:
        read_text(data, "file")
    assert caught.value.finding.line <= 2
    if encoding == "utf-16":
        assert "UTF-16" in str(caught.value)


def test_several_faults_are_all_found_and_sorted_by_line():
    nine, cut = with_n_columns(3, 9), with_column(2, "HEAD", b"x")
    _, findings = read_text(joined(nine, BEFORE, cut, AFTER, nine), "file", skip_errors=True)
    lines = [finding.line for finding in findings]
    assert lines == sorted(lines)
    assert {4, 14, 25} <= set(lines)
    assert {finding.sentence for finding in findings} == {"middle"}


def test_a_fault_in_one_sentence_hides_none_in_another():
    """Ranges that overlap are found even where another sentence has a range that is wrong in another way."""
    overlap, backwards = FAULTS["ranges that overlap"][0], FAULTS["range backwards"][0]
    text, _ = read_text(joined(BEFORE, backwards, overlap, AFTER), "file", skip_errors=True)
    assert text.data == joined(BEFORE, AFTER)


def test_a_fault_is_named_before_its_consequences():
    """A line that can't be read is missing from the count of words; heads that point to it are not what is wrong."""
    lines = with_n_columns(5, 9)
    _, findings = read_text(joined(lines), "file", skip_errors=True)
    assert [finding.line for finding in findings] == [6]


def test_an_empty_node_may_end_a_sentence_and_another_begin_the_next():
    node = [b"1\tx\t_\tX\t_\t_\t0\troot\t_\t_", b"1.1\ty" + b"\t_" * 8, b"", b"0.1\ty" + b"\t_" * 8, *BEFORE[1:]]
    assert read_text(joined(node), "file")[0].n_sentences == 2


def test_what_is_long_or_unprintable_is_shown_short():
    lines = with_column(3, "HEAD", b"x\x1b[31m" + b"y" * 200)
    with pytest.raises(DataError) as caught:
        read_text(joined(lines), "file")
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 120
