"""A small file, damaged at random, is refused exactly where a plain reader refuses it, and never read wrongly."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from plain_reader import blocks, is_sound

from permtree.conllu.scan import read_text
from permtree.errors import DataError

BASE = b"""# sent_id = a
# text = du chat x
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tde\tde\tADP\t_\t_\t3\tcase\t3:case\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t3:det|2.1:x\t_
2.1\tle\tle\tDET\t_\t_\t_\t_\t3:det\t_
3\tchat\tchat\tNOUN\t_\t_\t0\troot\t0:root\tA=1|SpaceAfter=No

# comment alone

# sent_id = b
0.1\te\t_\tX\t_\t_\t_\t_\t0:root\t_
1\tx\t_\tX\t_\t_\t2\tdep\t0.1:dep|2:dep:more\t_
2-4\tyz\t_\t_\t_\t_\t_\t_\t_\t_
2\ty\t_\tX\t_\t_\t0\troot\t_\t_
3\tz\t_\tX\t_\t_\t2\tdep\t_\t_
4\tz\t_\tX\t_\t_\t_\tdep\t_\t_


1\tx\t_\tX\t_\t_\t0\troot\t0\t_
"""

PIECES = [
    *(bytes([byte]) for byte in b"\t\n\r #-.:|_0129x"),
    *(
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
        b"\n\n",
        b"\t_",
        b"_",
        b"1-2",
        b"1.1",
        b"99999999999",
    ),
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = BASE
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        gone = draw(st.sampled_from([0, 0, 1, 1, 2, 12]))
        data = data[:at] + draw(st.sampled_from([b"", *PIECES])) + data[at + gone :]
    return data


@st.composite
def with_lines_moved(draw: st.DrawFn) -> bytes:
    lines = BASE.split(b"\n")
    for _ in range(draw(st.integers(1, 3))):
        line = lines.pop(draw(st.integers(0, len(lines) - 1)))
        for _ in range(draw(st.sampled_from([0, 1, 1, 2]))):
            lines.insert(draw(st.integers(0, len(lines))), line)
    return b"\n".join(lines)


def check(data: bytes) -> None:
    found = blocks(data)
    sound = [is_sound([line for _, line in block]) for block in found]
    lines = [pair for block, good in zip(found, sound, strict=True) if good for pair in block]
    if all(sound):
        text, findings = read_text(data, "file")
        assert findings == []
        assert text.data == data + b"\n" * text.missing_newline
    else:
        with pytest.raises(DataError) as caught:
            read_text(data, "file")
        first_faulty = found[sound.index(False)]
        assert caught.value.finding.line in [number for number, _ in first_faulty]
    kept, findings = read_text(data, "file", skip_errors=True)
    assert kept.data == b"".join(line + b"\n" for _, line in lines)
    assert kept.line_number.tolist() == [number for number, _ in lines]
    faulty = {number for block, good in zip(found, sound, strict=True) if not good for number, _ in block}
    assert {finding.line for finding in findings} <= faulty
    assert [finding.line for finding in findings] == sorted(finding.line for finding in findings)


@settings(max_examples=100)
@given(damaged())
@example(BASE)
@example(b"")
@example(b"\n")
@example(b"#")
@example(b"\n\n\n# a\n\n#")
def test_damaged_bytes(data):
    check(data)


@settings(max_examples=50)
@given(with_lines_moved())
def test_lines_moved_dropped_and_doubled(data):
    check(data)
