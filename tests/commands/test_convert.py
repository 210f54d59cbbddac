"""`permtree convert`: CoNLL-X there and back to the byte; what CoNLL-X can't hold is left out and counted."""

from __future__ import annotations

from commandline import permtree
from reordering import conllu, word

X = conllu(word(1, "a", 2, "2", "obj"), word(2, "b", 0, "0"), word(3, "c", 2, misc="x"), word(4, "d", 2), "")


def test_conllx_there_and_back():
    made = permtree("convert", "--to", "conllu", stdin=X)
    lines = [word(1, "a", 2, misc="PHead=2|PDeprel=obj"), word(2, "b", 0, misc="PHead=0")]
    assert made.out == conllu(*lines, word(3, "c", 2, misc="PDeprel=x"), word(4, "d", 2), "")
    assert made.lines == ["converted 1 sentences, 4 words", "words whose PHEAD and PDEPREL are kept in MISC: 3"]
    back = permtree("convert", "--to", "conllx", stdin=made.out)
    assert (back.out, back.lines) == (X, ["converted 1 sentences, 4 words"])
    assert permtree("convert", "--to", "conllx", stdin=X).out == X


def test_what_conllx_can_not_hold_is_counted():
    data = conllu(
        "# sent_id = a",
        word("1-2", "ab", misc="SpaceAfter=No"),
        word(1, "a", 2, "2:nsubj", "A=1"),
        word(2, "b", 0, "0:root"),
        word("2.1", "e", deps="2:dep"),
        "",
    )
    done = permtree("convert", "--to", "conllx", stdin=data + b"# alone\n\n" + X[:-1])
    assert done.out == conllu(word(1, "a", 2), word(2, "b", 0), "") + X[:-1]
    assert done.lines == [
        "converted 2 sentences, 6 words",
        "multiword tokens left out: 1",
        "empty nodes left out: 1",
        "words whose DEPS is dropped: 2",
        "words whose MISC is dropped: 1",
        "comments dropped: 2",
    ]


def test_numbers_of_another_order_are_dropped():
    made = permtree("permute", "-q", "--mode", "reverse", stdin=X).out
    done = permtree("convert", "--to", "conllx", stdin=made)
    assert all(line.endswith(b"\t_\t_") for line in done.out.splitlines() if line)
    assert "words whose MISC is dropped: 4" in done.lines


def test_columns_that_conllu_does_not_have_are_dropped():
    data = b"# global.columns = ID FORM HEAD DEPREL X\n1\ta\t0\troot\tx\n\n"
    done = permtree("convert", "--to", "conllu", stdin=data)
    assert done.out == b"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    assert done.lines == ["converted 1 sentences, 1 words", "token lines: column X dropped: 1"]


def test_files_one_after_the_other(tmp_path):
    """Also one that ends within its last sentence, and an empty one."""
    for name, data in [("a", X[:-2]), ("b", b""), ("c", X[:-1]), ("d", X[:-1])]:
        (tmp_path / name).write_bytes(data)
    done = permtree("convert", "--to", "conllx", *(tmp_path / name for name in "abcd"))
    assert done.out == X + X + X[:-1]
    assert done.lines[-1] == "converted 3 sentences, 12 words"


def test_sentences_with_faults_are_left_out_and_listed():
    faulty = X.replace(b"\t2\tobj", b"\t9\tobj").replace(b"1\ta\t_\t_\t_\t_\t2", b"1\ta\t_\t_\t_\t_\t9")
    assert faulty != X
    assert permtree("convert", "--to", "conllu", stdin=faulty + X, status=3).out == b""
    done = permtree("convert", "--to", "conllx", "--skip-errors", stdin=faulty + X)
    assert done.out == X
    assert done.lines[-1] == "converted 1 sentences, 4 words"
    assert any("<stdin>:1: " in line for line in done.lines)
