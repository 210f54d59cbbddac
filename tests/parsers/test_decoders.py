"""Decoders of scores [dependent, head], position 0 the root: against all trees of up to five words; by properties."""

import logging
import math
import time

import numpy as np
import pytest
from speed import first_is_quick

torch = pytest.importorskip("torch")

from permtree_parsers.arborescence import best_heads, is_tree, spanning_tree, spanning_trees  # noqa: E402
from permtree_parsers.projective import is_projective_tree, log_partition, marginals, project, tree_loss  # noqa: E402
from scored_trees import all_trees, best_split_tree, garbage, own_score, random_scores, score, sentence  # noqa: E402

SIZES = range(1, 6)
SEEDS = range(40)
DECODERS = pytest.mark.parametrize("decode, projective", [(project, True), (spanning_trees, False)])


@pytest.fixture(autouse=True)
def one_thread():
    """Many small steps: threads that wait for each other on a busy machine cost more than they bring."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)


# -- best trees ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
@DECODERS
def test_the_best_of_all_trees_is_found(decode, projective, n):
    candidates = all_trees(n, projective)
    scores = torch.cat([sentence(n, seed)[0] for seed in SEEDS])
    found = decode(scores, torch.full((len(scores),), n + 1))
    assert found.dtype == torch.int64
    assert {*map(tuple, found.tolist())} <= {*map(tuple, candidates.tolist())}
    torch.testing.assert_close(own_score(scores, found), score(scores, candidates).amax(1))


@pytest.mark.parametrize("n", SIZES)
@DECODERS
def test_any_tree_is_found_when_it_is_the_best(decode, projective, n):
    """Among them those with a tempting second root."""
    trees = all_trees(n, projective)
    scores = torch.zeros(len(trees), n + 1, n + 1, dtype=torch.float64)
    scores.scatter_(2, trees.unsqueeze(2), 1.0)
    scores[:, 1:, 0] += 10.0
    assert decode(scores, torch.full((len(trees),), n + 1)).equal(trees)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@DECODERS
def test_one_root_whatever_the_range_of_scores(decode, projective, scale):
    """Many words would gladly be roots, by far more than the differences that decide between trees with one root."""
    trees = all_trees(5, projective)
    scores = random_scores(200, 6, 6, seed=1, scale=1e-3)
    scores[:, 1:, 0] += scale
    scores += random_scores(200, 6, 1, seed=2, scale=scale)  # the same for all heads of a word: it decides nothing
    found = decode(scores, torch.full((200,), 6))
    assert is_tree(found, torch.full((200,), 6)).all()
    assert (score(scores, trees).amax(1) - own_score(scores, found)).abs().max() < 1e-9


def test_the_best_root_alone_is_not_the_way():
    """Word 1 is the better root by itself, but its being one costs word 2 its only good head."""
    scores = torch.tensor([[[0, 0, 0], [10, 0, 8], [9, 1, 0.0]]], dtype=torch.float64)
    for decode in (project, spanning_trees):
        assert decode(scores, torch.tensor([3])).tolist() == [[0, 2, 0]]


@pytest.mark.parametrize("seed", range(12))
def test_spanning_trees_of_seven_words(seed):
    scores, length = sentence(7, seed)
    scores = scores.round(decimals=1) if seed % 2 else scores  # with ties
    assert score(scores[0], spanning_trees(scores, length)[0]) == pytest.approx(best_split_tree(scores[0]))


@DECODERS
def test_equal_scores_give_a_tree_and_always_the_same(decode, projective):
    good = is_projective_tree if projective else is_tree
    for n in (1, 2, 3, 7, 20):
        for value in (0.0, -3.5, 1e4):
            scores, length = torch.full((3, n + 1, n + 1), value), torch.full((3,), n + 1)
            found = decode(scores, length)
            assert good(found, length).all()
            assert (found == found[0]).all()


@pytest.mark.parametrize("seed", range(10))
@DECODERS
def test_few_distinct_scores_give_a_best_tree(decode, projective, seed):
    candidates = all_trees(5, projective)
    scores = torch.randint(0, 3, (20, 6, 6), generator=torch.Generator().manual_seed(seed)).double()
    found = decode(scores, torch.full((20,), 6))
    assert {*map(tuple, found.tolist())} <= {*map(tuple, candidates.tolist())}
    assert own_score(scores, found).equal(score(scores, candidates).amax(1))


@DECODERS
def test_arcs_of_minus_infinity_are_avoided(decode, projective):
    candidates = all_trees(5, projective)
    generator = torch.Generator().manual_seed(5)
    scores = random_scores(300, 6, 6)
    scores[torch.rand(300, 6, 6, generator=generator) < 0.5] = -math.inf
    found = decode(scores, torch.full((300,), 6))
    best = score(scores, candidates).amax(1)
    assert 50 < best.isfinite().sum() < 250
    torch.testing.assert_close(own_score(scores, found), best)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [-math.inf, math.inf, math.nan])
@DECODERS
def test_hopeless_scores_still_give_a_tree(decode, projective, value):
    good = is_projective_tree if projective else is_tree
    scores, length = random_scores(40, 8, 8), torch.full((40,), 8)
    scores[torch.rand(40, 8, 8, generator=torch.Generator().manual_seed(3)) < 0.7] = value
    assert good(decode(scores, length), length).all()


@DECODERS
def test_no_sentence_in_a_batch_is_fine(decode, projective):
    assert decode(torch.zeros(0, 4, 4), torch.zeros(0, dtype=torch.int64)).shape == (0, 4)


@DECODERS
def test_scores_of_half_precision(decode, projective):
    scores, length = random_scores(8, 9, 9).bfloat16(), torch.full((8,), 9)
    assert decode(scores, length).equal(decode(scores.float(), length))


@pytest.mark.parametrize("value", [0.0, 1e30, math.inf, -math.inf, math.nan])
@DECODERS
def test_padding_and_other_sentences_have_no_influence_on_trees(decode, projective, value):
    length = torch.tensor([9, 2, 5, 3, 7, 6])
    scores = random_scores(6, 9, 9)
    found = decode(garbage(scores, length, value), length)
    for row, size in enumerate(length.tolist()):
        alone = decode(scores[row : row + 1, :size, :size], length[row : row + 1])
        assert found[row].tolist() == alone[0].tolist() + [0] * (9 - size)


def test_best_heads_stay_in_the_sentence_and_off_the_word_itself():
    length = torch.tensor([5, 2, 4])
    scores = garbage(random_scores(3, 6, 6), length, math.inf)
    found = best_heads(scores, length)
    for own, heads, size in zip(scores.tolist(), found.tolist(), length.tolist(), strict=True):
        for word in range(1, size):
            assert heads[word] == max((h for h in range(size) if h != word), key=own[word].__getitem__)
        assert not any(heads[size:]) and heads[0] == 0
    hopeless = best_heads(torch.full((1, 4, 4), -math.inf), torch.tensor([4]))
    assert (hopeless[0, 1:] != torch.arange(1, 4)).all()


# -- what a tree is --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_trees_are_told_from_other_heads(n):
    """All heads that words could have, other words and themselves and positions outside included (up to four words)."""
    choices = torch.arange(-1, n + 2) if n < 5 else torch.arange(0, n + 1)
    heads = torch.cartesian_prod(*[choices] * n).reshape(-1, n)
    heads = torch.cat([torch.zeros(len(heads), 1, dtype=torch.int64), heads], 1)
    length = torch.full((len(heads),), n + 1)
    for good, projective in ((is_tree, False), (is_projective_tree, True)):
        trees = set(map(tuple, all_trees(n, projective).tolist()))
        assert good(heads, length).tolist() == [tuple(own) in trees for own in heads.tolist()]


def test_heads_in_padding_are_not_looked_at():
    heads = torch.tensor([[0, 2, 0, -100, 7], [0, 2, 0, 5, 3], [0, 0, 1, 2, 3]])
    length = torch.tensor([3, 5, 5])
    for good in (is_tree, is_projective_tree):
        assert good(heads, length).tolist() == [True, False, True]


def test_an_arc_over_the_root_is_not_projective():
    heads, length = torch.tensor([[0, 3, 0, 2]]), torch.tensor([4])
    assert is_tree(heads, length).tolist() == [True]
    assert is_projective_tree(heads, length).tolist() == [False]


def test_long_chains_are_trees_and_long_circles_are_not():
    chain = torch.arange(-1, 300).clamp(min=0)
    circle = chain.clone()
    circle[2] = 300
    length = torch.tensor([301, 301])
    assert is_tree(torch.stack([chain, circle]), length).tolist() == [True, False]


# -- the sum over all trees ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", SIZES)
def test_log_partition_and_marginals_are_those_of_all_projective_trees(n):
    trees = all_trees(n, projective=True)
    scores = torch.cat([sentence(n, seed, scale=2.0)[0] for seed in SEEDS])
    length = torch.full((len(scores),), n + 1)
    sums = score(scores, trees)
    torch.testing.assert_close(log_partition(scores, length), sums.logsumexp(1))
    arcs = torch.nn.functional.one_hot(trees, n + 1).double()
    arcs[:, 0] = 0
    torch.testing.assert_close(marginals(scores, length), torch.einsum("bt,tdh->bdh", sums.softmax(1), arcs))


def test_the_loss_is_the_negative_log_probability_of_a_tree():
    trees = all_trees(4, projective=True)
    scores = sentence(4)[0].expand(len(trees), -1, -1)
    loss = tree_loss(scores, trees, torch.full((len(trees),), 5))
    torch.testing.assert_close(loss, -score(scores[0], trees).log_softmax(0))
    assert torch.exp(-loss).sum().item() == pytest.approx(1)


def test_gradients_are_right():
    length = torch.tensor([6, 2, 4])
    scores = random_scores(3, 6, 6).requires_grad_()
    head = torch.tensor([[0, 2, 0, 2, 5, 3], [0, 0, -1, 9, 1, 1], [0, 0, 1, 2, -100, 0]])
    assert torch.autograd.gradcheck(lambda s: log_partition(s, length), (scores,))
    assert torch.autograd.gradcheck(lambda s: tree_loss(s, head, length), (scores,))
    (gradient,) = torch.autograd.grad(log_partition(scores, length).sum(), scores)
    assert gradient.equal(marginals(scores, length))


@pytest.mark.parametrize("value", [1e30, math.inf, -math.inf, math.nan])
def test_padding_and_other_sentences_have_no_influence_on_sums(value):
    length = torch.tensor([9, 2, 5, 3])
    scores = random_scores(4, 9, 9)
    head = project(scores, length)
    spoiled = garbage(scores, length, value).requires_grad_()
    loss = tree_loss(spoiled, head, length)
    (gradient,) = torch.autograd.grad(loss.sum(), spoiled)
    assert log_partition(spoiled, length).equal(log_partition(scores, length))
    assert loss.equal(tree_loss(scores, head, length))
    assert marginals(spoiled, length).equal(marginals(scores, length))
    for row, size in enumerate(length.tolist()):
        others = torch.arange(4) != row
        changed = scores.clone()
        changed[others] = random_scores(3, 9, 9, seed=7, scale=100.0)
        assert log_partition(changed, length)[row] == log_partition(scores, length)[row]
        alone = log_partition(scores[row : row + 1, :size, :size], length[row : row + 1])
        torch.testing.assert_close(log_partition(scores, length)[row : row + 1], alone)
        outside = torch.ones(9, 9, dtype=torch.bool)
        outside[1:size, :size] = False
        assert (gradient[row][outside] == 0).all()


def test_everything_stays_on_the_device_of_the_scores():
    """On a device without values, which refuses to mix with others and can't be waited for."""
    scores = torch.zeros(3, 7, 7, device="meta", requires_grad=True)
    length, head = torch.zeros(3, dtype=torch.int64, device="meta"), torch.zeros(3, 7, dtype=torch.int64, device="meta")
    tree_loss(scores, head, length).sum().backward()
    assert scores.grad.shape == marginals(scores, length).shape == (3, 7, 7)
    assert best_heads(scores, length).shape == (3, 7)
    assert is_projective_tree(head, length).shape == (3,)


def test_forbidden_arcs_are_in_no_tree():
    trees = all_trees(4, projective=True)
    scores, length = random_scores(200, 5, 5), torch.full((200,), 5)
    scores[torch.rand(200, 5, 5, generator=torch.Generator().manual_seed(5)) < 0.4] = -math.inf
    expected = score(scores, trees).logsumexp(1)
    assert 20 < expected.isfinite().sum() < 180
    torch.testing.assert_close(log_partition(scores, length), expected)
    assert (marginals(scores, length)[scores == -math.inf] == 0).all()


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-4), (torch.float64, 1e-9)])
def test_equal_scores_count_the_projective_trees(dtype, tolerance):
    """There are C(3n-2, n-1) / n of them (1, 2, 7, 30, 143 ...)."""
    for n in (1, 2, 3, 12, 80):
        scores, length = torch.zeros(1, n + 1, n + 1, dtype=dtype), torch.tensor([n + 1])
        expected = math.log(math.comb(3 * n - 2, n - 1) // n)
        result = log_partition(scores, length)
        assert result.dtype == dtype
        assert result.item() == pytest.approx(expected, rel=tolerance, abs=tolerance)
        assert marginals(scores, length).sum(2)[0, 1:].tolist() == pytest.approx([1] * n, abs=tolerance)


def test_the_loss_stays_precise_when_scores_are_large():
    """In float32, and with the same large number added to all heads of a word, which changes no probability."""
    scores, length = random_scores(20, 13, 13), torch.full((20,), 13)
    scores = scores.float()
    head = project(scores, length)
    shifted = scores * 1024 + 2.0**20 * torch.arange(13).view(1, 13, 1)  # exact enough to leave differences of 1/16
    exact = tree_loss(shifted.double(), head, length)
    torch.testing.assert_close(tree_loss(shifted, head, length).double(), exact, rtol=1e-4, atol=1e-2)


# -- longer sentences ------------------------------------------------------------------------------------------------


def improvements(scores, heads, n_moves, seed=0):
    """The gains of moves of one word to another head that leave a projective tree, of so many drawn at random."""
    generator = torch.Generator().manual_seed(seed)
    n = len(heads)
    word = torch.randint(1, n, (n_moves,), generator=generator)
    near = torch.randint(-4, 5, (n_moves,), generator=generator)
    moved = heads.repeat(n_moves, 1)
    moved[torch.arange(n_moves), word] = (heads[word] + near).clamp(1, n - 1)
    kept = torch.cat([is_projective_tree(part, torch.full((len(part),), n)) for part in moved.split(10)])
    kept &= moved[:, 1:].ne(heads[1:]).any(1)
    return score(scores, moved[kept]) - score(scores, heads)


def test_the_best_projective_tree_of_300_words():
    """No move of one word makes it better; and the sum over all trees, sharpened, says that no tree is better."""
    scores, length = sentence(300)
    heads = project(scores, length)
    assert is_projective_tree(heads, length).all()
    gains = improvements(scores[0], heads[0], 500)
    assert len(gains) > 30 and gains.max() < 0
    sharp = 1e7
    least, n_trees = score(scores[0], heads[0]).item(), math.comb(898, 299) // 300
    sharpened = log_partition(scores * sharp, length).item() / sharp
    assert least - 1e-8 <= sharpened <= least + math.log(n_trees) / sharp + 1e-8


@pytest.mark.long
def test_the_best_projective_tree_of_2000_words():
    scores, length = sentence(2000)
    heads = project(scores.float(), length)
    assert is_projective_tree(heads, length).all()
    gains = improvements(scores[0], heads[0], 60)
    assert len(gains) > 3 and gains.max() < 1e-3


def noisy_tree(n: int, seed: int, noise: float = 0.5) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores of a sentence that favour a projective tree, as those of a trained parser do."""
    heads = project(sentence(n, seed)[0], torch.tensor([n + 1]))
    scores = noise * sentence(n, seed + 1000)[0]
    scores[0, torch.arange(1, n + 1), heads[0, 1:]] += 3 * noise
    return scores, torch.tensor([n + 1])


@pytest.mark.parametrize("seed", first_is_quick(range(20), 4))
@pytest.mark.parametrize("longest", [3, 4, 7])
def test_sentences_in_parts_get_one_projective_tree(longest, seed):
    """Of any scores; also where there are more parts than words that a part may have."""
    scores, length = sentence(40, seed)
    found = project(scores, length, longest)
    assert is_projective_tree(found, length).all()
    best = own_score(scores, project(scores, length))
    assert own_score(scores, found) <= best + 1e-9


def test_sentences_above_the_limit_get_a_tree_that_is_nearly_the_best():
    """Up to the limit nothing changes, also beside longer sentences."""
    short, long = noisy_tree(12, 1), noisy_tree(60, 2)
    scores = torch.zeros(2, 61, 61, dtype=short[0].dtype)
    scores[0, :13, :13], scores[1] = short[0][0], long[0][0]
    length = torch.tensor([13, 61])
    best, found = project(scores, length), project(scores, length, 30)
    assert torch.equal(found[0], best[0]) and torch.equal(project(scores, length, 60), best)
    assert not is_projective_tree(best_heads(scores, length), length)[1]
    assert is_projective_tree(found, length).all()
    (reached, most) = (score(scores[1], heads[1:]).item() for heads in (found, best))
    assert 0.85 * most < reached <= most + 1e-9


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_hopeless_scores_give_a_tree_above_the_limit(value):
    scores, length = torch.full((1, 9, 9), value), torch.tensor([9])
    assert is_projective_tree(project(scores, length, 3), length).all()


@pytest.mark.long
def test_5000_words_are_decoded_in_seconds():
    scores, length = noisy_tree(400, 3)
    many = torch.full((1, 5001, 5001), -9.0)
    for begin in range(0, 5000, 400):
        size = min(400, 5000 - begin)
        many[0, begin + 1 : begin + size + 1, begin + 1 : begin + size + 1] = scores[0, 1 : size + 1, 1 : size + 1]
    began = time.process_time()
    found = project(many, torch.tensor([5001]), 1000)
    assert is_projective_tree(found, torch.tensor([5001])).all()
    assert time.process_time() - began < 60


def descendants(heads):
    """Whether [ancestor, word] are so, every word its own ancestor."""
    n = len(heads)
    below = np.eye(n, dtype=bool)
    ancestor = np.arange(n)
    for _ in range(n):
        ancestor = heads[ancestor]
        below[ancestor, np.arange(n)] = True
    return below


@pytest.mark.parametrize("n", [300, pytest.param(2000, marks=pytest.mark.long)])
@pytest.mark.parametrize("circles", [False, True])
def test_the_best_tree_of_many_words(n, circles):
    """No word would rather hang on another one that doesn't hang on it; with scores that lure pairs, pairs of pairs
    and so on into circles, too."""
    scores = random_scores(n + 1, n + 1).numpy()
    if circles:
        position = np.arange(n + 1)
        scores += 100.0 * (14 - np.frexp(position[:, None] ^ position)[1])
    heads = spanning_tree(scores)
    assert is_tree(torch.from_numpy(heads)[None], torch.tensor([n + 1])).all()
    gain = scores - scores[np.arange(n + 1), heads][:, None]
    gain[descendants(heads)] = -np.inf  # [word, head]: a head below the word would close a circle
    assert gain[1:, 1:].max() <= 0


# -- supar -----------------------------------------------------------------------------------------------------------


# What supar does to indices is deprecated in newer versions of torch.
deprecated = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture
def supar_structs():
    """supar's own decoders. It sets up the root logger when it is imported."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    pytest.importorskip("supar")
    from supar import structs

    yield structs
    root.setLevel(level)
    root.handlers[:] = handlers


def supar_batch(seed):
    """Scores and lengths; supar counts words, and its own trees have one root too."""
    length = torch.randint(2, 14, (24,), generator=torch.Generator().manual_seed(seed))
    length[0] = 13
    return random_scores(24, 13, 13, seed=seed, scale=3.0), length


@pytest.mark.parametrize("seed", range(4))
def test_projective_trees_are_those_of_supar(supar_structs, seed):
    scores, length = supar_batch(seed)
    theirs = supar_structs.DependencyCRF(scores.clone().requires_grad_(), length - 1)
    assert project(scores, length).equal(theirs.argmax)
    torch.testing.assert_close(log_partition(scores, length), theirs.log_partition.detach())
    torch.testing.assert_close(marginals(scores, length), theirs.marginals.detach())


@deprecated
@pytest.mark.parametrize("seed", range(4))
def test_trees_of_any_shape_are_those_of_supar(supar_structs, seed):
    scores, length = supar_batch(seed)
    theirs = supar_structs.MatrixTree(scores.clone(), length - 1)
    assert spanning_trees(scores, length).equal(theirs.argmax)
