"""Splitting a treebank of documents: `# newdoc` and `# newpar` are right in every part, and what is on both sides is
told."""

from __future__ import annotations

import pytest
from commandline import permtree, sentence

from permtree.conllu.scan import read_text
from permtree.conllu.text import Text
from permtree.errors import UsageError
from permtree.treebank.splitting import Split, split

SIZES = [4, 1, 7, 3, 5, 2, 8]


def text_of(documents: bool = True) -> Text:
    """Documents d0, d1 ... of paragraphs of two sentences; a sentence is named after its document and paragraph."""
    data = b""
    for document, size in enumerate(SIZES):
        for place in range(size):
            if documents and place == 0:
                data += b"# newdoc id = d%d\n" % document
            if documents and place % 2 == 0:
                data += b"# newpar id = d%d-p%d\n" % (document, place // 2)
            data += sentence(f"d{document}-p{place // 2}-s{place}", 2, 0)
    return read_text(data, "file")[0]


def parts_of(found: Split) -> list[bytes]:
    return [found.written(number) for number in range(found.n_parts)]


def said(part: bytes) -> list[tuple[str, str, str]]:
    """The name of each sentence, and the document and paragraph that it is in for a reader of this part alone."""
    found, document, paragraph = [], "", ""
    for line in part.decode().splitlines():
        if line.startswith("# newdoc"):
            assert line.split(" = ")[1] != document  # it begins once
            document = line.split(" = ")[1]
        elif line.startswith("# newpar"):
            assert line.split(" = ")[1] != paragraph
            paragraph = line.split(" = ")[1]
        elif line.startswith("# sent_id"):
            found.append((line.split(" = ")[1], document, paragraph))
    return found


@pytest.mark.parametrize("by", ["sentence", "document"])
@pytest.mark.parametrize("ratio", [[4, 1], [1, 1], [8, 1, 1]])
@pytest.mark.parametrize("seed", range(5))
def test_each_sentence_is_in_its_own_document_and_paragraph(by, ratio, seed):
    parts = parts_of(split(text_of(), ratio, seed, by))
    found = [row for part in parts for row in said(part)]
    assert len(found) == sum(SIZES)
    for name, document, paragraph in found:
        assert (document, paragraph) == (name.split("-")[0], name.rsplit("-", 1)[0])
    for part in parts:
        read_text(part, "part")


@pytest.mark.parametrize("ratio", [[4, 1], [1, 1], [2, 1, 1]])
@pytest.mark.parametrize("seed", range(5))
def test_by_document_no_document_is_on_both_sides(ratio, seed):
    result = split(text_of(), ratio, seed, "document")
    sides = [{document for _, document, _ in said(part)} for part in parts_of(result)]
    assert sum(map(len, sides)) == len(set.union(*sides)) == len(SIZES)
    assert {both for both, _ in result.shared_documents.values()} == {0}
    for size, share in zip(result.sizes, ratio, strict=True):
        assert abs(size - share / sum(ratio) * sum(SIZES)) <= max(SIZES)


def test_documents_on_both_sides_are_counted():
    result = split(text_of(), [4, 1], 0)
    train, test = ({document for _, document, _ in said(part)} for part in parts_of(result))
    assert result.shared_documents == {(0, 1): (len(train & test), len(test))}
    assert len(train & test) > 0


def test_without_newdoc():
    assert split(text_of(False), [4, 1], 0).shared_documents == {}
    with pytest.raises(UsageError, match="no '# newdoc' says where documents begin"):
        split(text_of(False), [4, 1], 0, "document")


def test_by_the_command_line(tmp_path):
    data = text_of().data
    done = permtree("split", "--ratio", "4:1", "-o", tmp_path / "s", stdin=data)
    assert any(
        line.endswith("documents of test stand in train too; --by document keeps them apart") for line in done.lines
    )
    done = permtree("split", "--ratio", "4:1", "--by", "document", "-o", tmp_path / "s", stdin=data)
    assert len(done.lines) == 2
    permtree("check", tmp_path / "s.train.conllu", tmp_path / "s.test.conllu", status=0)
