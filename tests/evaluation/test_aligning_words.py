"""Words aligned by their characters, as at CoNLL 2018: equal to the shared task's own evaluation."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from commandline import permtree

from permtree import DataError, Treebank, evaluate
from permtree.evaluation.scores import SCORES, contrast

GOLD = """\
1\tzub\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
2-3\tdumor\t_\t_\t_\t_\t_\t_\t_\t_
2\tdu\t_\tADV\t_\t_\t3\tadvmod\t_\t_
3\tmor\t_\tVERB\t_\t_\t0\troot:x\t_\t_
4\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_

1\tmor\t_\tVERB\t_\t_\t0\troot\t_\t_

"""
PRED = """\
1\tzub\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_
2\tdumor\t_\tVERB\t_\t_\t0\troot\t_\t_
3\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

1\tmor\t_\tVERB\t_\t_\t0\troot\t_\t_

"""


def tokenised(characters: str, draw: random.Random) -> str:
    """The characters cut into tokens, multiword tokens and sentences at random, with random trees."""
    sentences: list[list[tuple[str, list[str] | None]]] = [[]]
    at = 0
    while at < len(characters):
        form = characters[at : at + draw.choice([1, 1, 2, 2, 3, 4])]
        at += len(form)
        words = None
        if draw.random() < 0.3:
            own = draw.choice([form, form.upper()])
            words = [
                draw.choice([own, own[:1], own[-1:], draw.choice("abc")]) for _ in range(draw.choice([1, 2, 2, 3]))
            ]
        sentences[-1].append((form, words))
        if draw.random() < 0.15 and at < len(characters):
            sentences.append([])
    lines = []
    for tokens in sentences:
        size = sum(len(words or [0]) for _, words in tokens)
        order = draw.sample(range(1, size + 1), size)
        heads = {word: draw.choice(order[:place]) if place else 0 for place, word in enumerate(order)}
        number = 1
        for form, words in tokens:
            if words:
                lines.append(f"{number}-{number + len(words) - 1}\t{form}" + "\t_" * 8)
            for word in words or [form]:
                relation = draw.choice(["a", "b", "b:c"])
                lines.append(f"{number}\t{word}\t_\tX\t_\t_\t{heads[number]}\t{relation}\t_\t_")
                number += 1
        lines.append("")
    return "\n".join(lines) + "\n"


def check(folder: Path, gold: str, pred: str) -> None:
    """UAS and LAS are those of the shared task's script."""
    udeval = pytest.importorskip("udtools.udeval")
    files = [folder / "gold", folder / "pred"]
    for file, text in zip(files, (gold, pred), strict=True):
        file.write_text(text, encoding="utf-8")
    expected = udeval.evaluate(*(udeval.load_conllu_file(str(file), {"multiple_roots_okay": True}) for file in files))
    found = evaluate(*map(Treebank.read, files), convention="conll18").values
    for score, other in (("uas", "UAS"), ("las", "LAS")):
        own, theirs = found[score], expected[other]
        assert (own.right, own.of, own.of_predicted) == (theirs.correct, theirs.gold_total, theirs.system_total)
        assert own.value == pytest.approx(100 * theirs.f1)
    assert found["exact_match"].of == expected["Sentences"].gold_total
    assert found["exact_match"].of_predicted == expected["Sentences"].system_total
    assert found["exact_match"].right <= expected["Sentences"].correct


@pytest.mark.parametrize("seed", range(8))
def test_random_tokens(tmp_path: Path, seed: int):
    for number in range(25):
        draw = random.Random(100 * seed + number)
        characters = "".join(draw.choice("abcAb") for _ in range(draw.randint(1, 40)))
        check(tmp_path, *(tokenised(characters, draw) for _ in range(2)))


@pytest.mark.parametrize("name", ["de_gsd", "it_partut", "fi_tdt", "es_gsd"])
def test_real_text_cut_otherwise(shared: Path, tmp_path: Path, name: str):
    """Some multiword tokens are single words, some words are cut in two, some sentences are one."""
    files = sorted((shared / "treebanks" / name).glob("*test*.conllu"))
    if not files:
        pytest.skip(f"no {name}")
    draw = random.Random(1)
    blocks = files[0].read_text(encoding="utf-8").rstrip("\n").split("\n\n")[:300]
    check(tmp_path, "\n\n".join(blocks) + "\n\n", "".join(other_tokens(block, draw) for block in blocks))


def other_tokens(block: str, draw: random.Random) -> str:
    """The tokens of a sentence cut otherwise here and there; a chain for a tree."""
    words: list[str] = []
    ranges: dict[int, tuple[int, str]] = {}  # by the number of the first word
    inside = 0  # words of a multiword token that are still to come
    whole = False  # which is a single word here
    for row in (line.split("\t") for line in block.split("\n") if not line.startswith("#")):
        if "." in row[0]:
            continue
        if "-" in row[0]:
            first, last = map(int, row[0].split("-"))
            inside, whole = last - first + 1, draw.random() < 0.5
            if whole:
                words.append(row[1])
            else:
                ranges[len(words) + 1] = (len(words) + inside, row[1])
        elif inside:
            inside -= 1
            words += [] if whole else [row[1]]
        elif len(row[1]) > 3 and draw.random() < 0.1 and row[1].isalpha():
            words += [row[1][:2], row[1][2:]]
        else:
            words.append(row[1])
    lines = []
    for number, form in enumerate(words, 1):
        if number in ranges:
            lines.append(f"{number}-{ranges[number][0]}\t{ranges[number][1]}" + "\t_" * 8)
        relation = draw.choice(["nsubj", "punct", "case"]) if number > 1 else "root"
        lines.append(f"{number}\t{form}\t_\tX\t_\t_\t{number - 1}\t{relation}\t_\t_")
    return "\n".join(lines) + "\n\n"


def test_every_score():
    gold, pred = Treebank.from_bytes(GOLD.encode()), Treebank.from_bytes(PRED.encode())
    found = evaluate(gold, pred, "conll18", ci=50, by="deprel")
    assert {name: (own.right, own.of, own.of_predicted) for name, own in found.values.items()} == {
        "uas": (1, 5, 4), "las": (1, 5, 4), "label_accuracy": (3, 5, 4), "exact_match_heads": (1, 2, 2),
        "exact_match": (1, 2, 2),
    }  # fmt: skip
    assert found.values["uas"].value == pytest.approx(100 * 2 / 9)
    assert found.values["uas"].interval[0] <= found.values["uas"].value <= found.values["uas"].interval[1]
    assert (found.words, found.predicted_words) == (5, 4)
    rows = {label: row for label, _, row in found.groups}
    assert (rows["root"]["recall"], rows["root"]["precision"]) == (50, 50)
    assert (rows["advmod"]["recall"], rows["punct"]["uas"]) == (0, 0)


def test_other_sentences():
    """One sentence more: what is right stays right, and no sentence of other extent is an exact match."""
    joined = GOLD.replace("\n\n1\tmor\t_\tVERB\t_\t_\t0", "\n5\tmor\t_\tVERB\t_\t_\t0", 1)
    gold, pred = Treebank.from_bytes(joined.encode()), Treebank.from_bytes(GOLD.encode())
    values = evaluate(gold, pred, "conll18").values
    assert (values["las"].right, values["las"].value) == (5, 100)
    assert (values["exact_match"].right, values["exact_match"].of, values["exact_match"].of_predicted) == (0, 1, 2)


def test_two_predictions_of_other_words():
    gold, pred = Treebank.from_bytes(GOLD.encode()), Treebank.from_bytes(PRED.encode())
    found = contrast(gold, gold, pred, "conll18", ci=20)
    assert set(found.values) == set(SCORES)
    assert found.values["uas"].first == 100 and found.values["uas"].second == pytest.approx(200 / 9)
    assert (found.values["uas"].test.only_first, found.values["uas"].test.only_second) == (4, 0)


def test_other_characters_are_told(tmp_path: Path):
    (tmp_path / "gold").write_text(GOLD)
    (tmp_path / "pred").write_text(PRED.replace("dumor", "dumar"))
    done = permtree("evaluate", "gold", "pred", "--convention", "conll18", cwd=tmp_path, status=3)
    assert done.lines == ["pred:2: 'dumar' where gold:3 has 'dumor': other characters, so words can't be aligned"]
    done = permtree("evaluate", "gold", "pred", cwd=tmp_path, status=3)
    assert done.lines[0].endswith("must hold the same sentences and words (--convention conll18 aligns other words)")


@pytest.mark.parametrize("texts", [(GOLD, ""), ("", GOLD)])
def test_nothing_on_one_side(texts):
    with pytest.raises(DataError, match="this sentence is not in <bytes>"):
        evaluate(*(Treebank.from_bytes(text.encode()) for text in texts), "conll18")


def test_spaces_in_words_do_not_count():
    pred = GOLD.replace("\tzub\t", "\tz\u00a0ub\t")
    assert (
        evaluate(Treebank.from_bytes(GOLD.encode()), Treebank.from_bytes(pred.encode()), "conll18").values["las"].value
        == 100
    )
