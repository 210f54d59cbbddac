"""What goes along when words move, by hand: every line of the output is written out."""

from collections import Counter

import pytest
from reordering import conllu, permuted, put_in_order, word

DU_CHAT = conllu(
    "# sent_id = s1",
    "# text = du chat",
    word("1-2", "du"),
    word(1, "de", 3),
    word(2, "le", 3),
    word(3, "chat", 0),
    "",
)


def test_words_heads_and_old_ids():
    data = conllu("# sent_id = s1", word(1, "a", 2), word(2, "b", 0, misc="A=1|B=2"), word(3, "c", 2), "")
    assert put_in_order(data, 3, 2, 1) == conllu(
        "# sent_id = s1",
        "# permtree = test",
        word(1, "c", 2, misc="Orig=3"),
        word(2, "b", 0, misc="A=1|B=2|Orig=2"),
        word(3, "a", 2, misc="Orig=1"),
        "",
    )


def test_several_sentences_are_numbered_each_from_one():
    data = conllu(word(1, "a", 0), word(2, "b", 1), "", word(1, "c", 2), word(2, "d", 0), "")
    assert put_in_order(data, 2, 1, 4, 3) == conllu(
        "# permtree = test",
        word(1, "b", 2, misc="Orig=2"),
        word(2, "a", 0, misc="Orig=1"),
        "",
        "# permtree = test",
        word(1, "d", 0, misc="Orig=2"),
        word(2, "c", 1, misc="Orig=1"),
        "",
    )


def test_more_than_nine_words():
    data = conllu(*(word(number, f"w{number}", number - 1) for number in range(1, 13)), "")
    assert put_in_order(data, *range(12, 0, -1)) == conllu(
        "# permtree = test",
        *(word(13 - n, f"w{n}", 14 - n if n > 1 else 0, misc=f"Orig={n}") for n in range(12, 0, -1)),
        "",
    )


def test_a_range_goes_along_while_its_words_stay_together():
    counts = Counter()
    assert put_in_order(DU_CHAT, 3, 1, 2, counts=counts) == conllu(
        "# sent_id = s1",
        "# text = chat du",
        "# permtree = test",
        "# permtree_text = du chat",
        word(1, "chat", 0, misc="Orig=3"),
        word("2-3", "du"),
        word(2, "de", 1, misc="Orig=1"),
        word(3, "le", 1, misc="Orig=2"),
        "",
    )
    assert counts["multiword tokens kept"] == 1
    assert counts["sentences in another order"] == 1


@pytest.mark.parametrize(("order", "text"), [((1, 3, 2), "de chat le"), ((3, 2, 1), "chat le de")])
def test_a_range_whose_words_are_separated_or_turned_goes_into_a_comment(order, text):
    counts = Counter()
    forms = {1: "de", 2: "le", 3: "chat"}
    chat = 1 + order.index(3)
    assert put_in_order(DU_CHAT, *order, counts=counts) == conllu(
        "# sent_id = s1",
        f"# text = {text}",
        "# permtree = test",
        "# permtree_text = du chat",
        "# permtree_range = 1-2\tdu\t_\tX\t_\t_\t_\t_\t_\t_",
        *(word(n, forms[old], 0 if old == 3 else chat, misc=f"Orig={old}") for n, old in enumerate(order, 1)),
        "",
    )
    assert counts["multiword tokens separated (kept in comments)"] == 1


def test_the_words_of_a_range_move_as_one_unit_if_asked():
    forms = permuted(DU_CHAT, "reverse", mwt="unit").text.strings(1)
    assert forms == ["chat", "de", "le"]
    assert permuted(DU_CHAT, "reverse", mwt="split").text.strings(1) == ["chat", "le", "de"]


def test_an_empty_node_follows_its_word():
    data = conllu(
        word("0.1", "first", deps="3.2:x"),
        word(1, "a", 2, "3.1:dep|0.1:up"),
        word(2, "b", 0, "0:root"),
        word(3, "c", 2, "2:dep"),
        word("3.1", "n", deps="1:x"),
        word("3.2", "m", deps="3.1:y|3:z"),
        "",
    )
    assert put_in_order(data, 3, 1, 2) == conllu(
        "# permtree = test",
        "# permtree_deps = 1 3.1:dep|0.1:up",
        "# permtree_deps = 3.2 3.1:y|3:z",
        word("0.1", "first", deps="1.2:x"),
        word(1, "c", 3, "3:dep", "Orig=3"),
        word("1.1", "n", deps="2:x"),
        word("1.2", "m", deps="1:z|1.1:y"),
        word(2, "a", 3, "0.1:up|1.1:dep", "Orig=1"),
        word(3, "b", 0, "0:root", "Orig=2"),
        "",
    )


def test_deps_are_renumbered_and_sorted_with_relations_kept_whole():
    data = conllu(
        word(1, "a", 2, "2:nsubj|3:nsubj:xsubj"), word(2, "b", 0, "0:root"), word(3, "c", 2, "2:conj:and"), ""
    )
    assert put_in_order(data, 3, 1, 2) == conllu(
        "# permtree = test",
        word(1, "c", 3, "3:conj:and", "Orig=3"),
        word(2, "a", 3, "1:nsubj:xsubj|3:nsubj", "Orig=1"),
        word(3, "b", 0, "0:root", "Orig=2"),
        "",
    )


def test_two_relations_to_one_head_keep_their_order():
    data = conllu(word(1, "a", 2, "2:z|2:b"), word(2, "b", 0, "0:root"), "")
    assert b"1:z|1:b" in put_in_order(data, 2, 1)


def test_the_last_columns_of_conllx_become_items_of_misc():
    data = conllu(word(1, "a", 2, "2", "obj"), word(2, "b", 0, "0"), word(3, "c", 2, misc="x"), word(4, "d", 2), "")
    counts = Counter()
    assert put_in_order(data, 2, 1, 3, 4, counts=counts) == conllu(
        "# permtree = test",
        "# permtree_columns = PHEAD PDEPREL",
        word(1, "b", 0, misc="PHead=0|Orig=2"),
        word(2, "a", 1, misc="PHead=2|PDeprel=obj|Orig=1"),
        word(3, "c", 1, misc="PDeprel=x|Orig=3"),
        word(4, "d", 1, misc="Orig=4"),
        "",
    )
    assert counts["words whose PHEAD and PDEPREL are kept in MISC, as they were read"] == 3


def test_no_space_stays_where_the_same_word_follows():
    """a+b c: b still follows a; c comes first. The last word has no space after it by its own mark."""
    data = conllu(
        "# text = ab c",
        word(1, "a", 3, misc="SpaceAfter=No"),
        word(2, "b", 3),
        word(3, "c", 0, misc="X=1|SpaceAfter=No"),
        "",
    )
    counts = Counter()
    assert put_in_order(data, 3, 1, 2, counts=counts) == conllu(
        "# text = c ab",
        "# permtree = test",
        "# permtree_text = ab c",
        word(1, "c", 0, misc="X=1|OrigSpaceAfter=No|Orig=3"),
        word(2, "a", 1, misc="SpaceAfter=No|Orig=1"),
        word(3, "b", 1, misc="Orig=2"),
        "",
    )
    assert counts["SpaceAfter=No kept"] == 1
    assert counts["SpaceAfter=No set aside (another word follows)"] == 1


def test_no_space_after_the_last_word_stays_if_it_stays_last():
    data = conllu("# text = a b", word(1, "a", 0), word(2, "b", 1), word(3, "c", 1, misc="SpaceAfter=No"), "")
    assert put_in_order(data, 2, 1, 3) == conllu(
        "# text = b a c",
        "# permtree = test",
        "# permtree_text = a b",
        word(1, "b", 2, misc="Orig=2"),
        word(2, "a", 0, misc="Orig=1"),
        word(3, "c", 2, misc="SpaceAfter=No|Orig=3"),
        "",
    )


def test_no_space_after_a_range():
    data = conllu(
        "# text = dux y", word("1-2", "du", misc="SpaceAfter=No"), *(word(n, f"w{n}", n - 1) for n in range(1, 5)), ""
    )
    assert put_in_order(data, 4, 1, 2, 3) == conllu(
        "# text = w4 duw3",
        "# permtree = test",
        "# permtree_text = dux y",
        word(1, "w4", 4, misc="Orig=4"),
        word("2-3", "du", misc="SpaceAfter=No"),
        word(2, "w1", 0, misc="Orig=1"),
        word(3, "w2", 2, misc="Orig=2"),
        word(4, "w3", 3, misc="Orig=3"),
        "",
    )
    assert conllu(word("3-4", "du", misc="OrigSpaceAfter=No")) in put_in_order(data, 4, 3, 1, 2)


def test_spaces_and_places_in_the_text_are_hidden_where_they_no_longer_hold():
    """b still follows a; c was last and is first; the word before a is another, that before b is not."""
    data = conllu(
        word(1, "a", 3, misc=r"SpacesBefore=\n|SpacesAfter=\t|TokenRange=1:2"),
        word(2, "b", 3, misc=r"start_char=3|x_char=1|SpacesBefore=\s|end_char=4|SpacesInToken=b"),
        word(3, "c", 0, misc=r"SpacesAfter=\n\n"),
        "",
    )
    counts = Counter()
    moved = put_in_order(data, 3, 1, 2, counts=counts)
    assert moved == conllu(
        "# permtree = test",
        word(1, "c", 0, misc=r"OrigSpacesAfter=\n\n|Orig=3"),
        word(2, "a", 1, misc=r"OrigSpacesBefore=\n|SpacesAfter=\t|OrigTokenRange=1:2|Orig=1"),
        word(3, "b", 1, misc=r"Origstart_char=3|x_char=1|SpacesBefore=\s|Origend_char=4|SpacesInToken=b|Orig=2"),
        "",
    )
    assert counts["SpacesAfter, TokenRange and the like set aside (the text is another)"] == 5
    assert put_in_order(data, 1, 2, 3).count(b"Orig") == 3  # the ids alone


def test_a_word_in_a_range_has_a_place_but_no_spaces():
    data = conllu(
        word("1-2", "ab", misc=r"TokenRange=0:2|SpacesAfter=\s"),
        word(1, "a", 0, misc=r"TokenRange=0:1|SpacesAfter=\s"),
        word(2, "b", 1),
        word(3, "c", 1),
        "",
    )
    lines = put_in_order(data, 3, 1, 2).split(b"\n")
    assert lines[2].endswith(rb"OrigTokenRange=0:2|OrigSpacesAfter=\s")
    assert lines[3].endswith(rb"OrigTokenRange=0:1|SpacesAfter=\s|Orig=1")


def test_only_the_whole_item_counts_as_no_space():
    data = conllu(word(1, "a", 0, misc="XSpaceAfter=No|SpaceAfter=Nope"), word(2, "b", 1), "")
    assert b"XSpaceAfter=No|SpaceAfter=Nope|Orig=1" in put_in_order(data, 2, 1)


def test_a_sentence_in_its_old_order_keeps_its_text():
    data = conllu("# text = A  b!", word(1, "a", 0), word(2, "b", 1), "")
    assert put_in_order(data, 1, 2) == conllu(
        "# text = A  b!", "# permtree = test", word(1, "a", 0, misc="Orig=1"), word(2, "b", 1, misc="Orig=2"), ""
    )


def test_other_comments_and_blank_lines_stay_where_they_were():
    data = conllu("# alone", "", "", "# x", "#text = not ours?", "# x", word(1, "a", 0), "", "", "# end", "")
    assert put_in_order(data, 1) == conllu(
        "# alone",
        "",
        "",
        "# x",
        "#text = not ours?",
        "# x",
        "# permtree = test",
        word(1, "a", 0, misc="Orig=1"),
        "",
        "",
        "# end",
        "",
    )


def test_a_missing_blank_line_is_made_and_remembered():
    data = conllu(word(1, "a", 0), word(2, "b", 1))
    permuted_lines = (word(1, "b", 2, misc="Orig=2"), word(2, "a", 0, misc="Orig=1"), "")
    assert put_in_order(data, 2, 1) == conllu("# permtree = test", "# permtree_end = no blank line", *permuted_lines)
    assert put_in_order(data[:-1], 2, 1) == conllu("# permtree = test", "# permtree_end = no newline", *permuted_lines)
