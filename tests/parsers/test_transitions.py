"""The arc-hybrid system and its oracles, against a plain definition and a search through all that can follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

import definitions as naive
import pytest

torch = pytest.importorskip("torch")

from permtree_parsers.transitions import (  # noqa: E402
    LEFT,
    NONE,
    RIGHT,
    SHIFT,
    SLOTS,
    SWAP,
    Configurations,
    projective_order,
    projective_ranks,
    static_transition,
)

from permtree import Treebank  # noqa: E402
from permtree.treebank import heads_of  # noqa: E402

BOTH = pytest.mark.parametrize("swap", [False, True], ids=["arc-hybrid", "with SWAP"])
OVER = 4  # in the place of a transition: the path has ended


# -- a plain definition of the system, one sentence at a time ---------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    """A configuration; arcs are (head, dependent, the transition that made it), the latest last."""

    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def first(cls, n: int) -> Plain:
        return cls((0,), tuple(range(1, n + 1)))

    def legal(self, swap: bool) -> list[int]:
        found = [SHIFT] if self.buffer else []
        if len(self.stack) > 1:
            found += [LEFT] if self.buffer else []
            found += [RIGHT] if len(self.stack) > 2 or not self.buffer else []
            found += [SWAP] if swap and self.buffer and self.stack[-1] < self.buffer[0] else []
        return found

    def after(self, transition: int) -> Plain:
        *below, s0 = self.stack
        if transition == SHIFT:
            return Plain((*self.stack, self.buffer[0]), self.buffer[1:], self.arcs)
        if transition == SWAP:
            return Plain(tuple(below), (self.buffer[0], s0, *self.buffer[1:]), self.arcs)
        head = self.buffer[0] if transition == LEFT else below[-1]
        return Plain(tuple(below), self.buffer, (*self.arcs, (head, s0, transition)))

    def heads(self, n: int) -> list[int]:
        """Of the words 1 ... n, NONE where there is none yet."""
        found = {dependent: head for head, dependent, _ in self.arcs}
        return [found.get(word, NONE) for word in range(1, n + 1)]

    def positions(self, nothing: int) -> list[int]:
        """What a classifier looks at."""
        s0, s1, s2 = [*reversed(self.stack), nothing, nothing][:3]
        b0 = [*self.buffer, nothing][0]
        latest = {(head, made): dependent for head, dependent, made in self.arcs}
        around = [(s0, LEFT), (s0, RIGHT), (s1, LEFT), (s1, RIGHT), (b0, LEFT)]
        return [s0, s1, s2, b0, *(latest.get(place, nothing) for place in around)]


@cache
def reachable(n: int, swap: bool) -> dict[Plain, tuple[int, ...]]:
    """All configurations of n words, each with transitions that lead to it."""
    paths: dict[Plain, tuple[int, ...]] = {Plain.first(n): ()}
    found = list(paths)
    for state in found:
        for transition in state.legal(swap):
            after = state.after(transition)
            if after not in paths:
                paths[after] = (*paths[state], transition)
                found.append(after)
    return paths


class Search:
    """The least number of wrong heads in all that can follow a configuration, by trying everything (without SWAP)."""

    def __init__(self, heads: naive.Heads):
        self.heads = heads
        self.known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}

    def least(self, state: Plain) -> int:
        key = state.stack, state.buffer
        if key not in self.known:
            legal = state.legal(swap=False)
            self.known[key] = min((self.least_after(state, transition) for transition in legal), default=0)
        return self.known[key]

    def least_after(self, state: Plain, transition: int) -> int:
        """The same with the arc that the transition makes."""
        after = state.after(transition)
        wrong = sum(self.heads[dependent - 1] != head for head, dependent, _ in after.arcs[len(state.arcs) :])
        return wrong + self.least(after)


# -- batches ----------------------------------------------------------------------------------------------------------


class Gold:
    """Gold trees as a batch."""

    def __init__(self, trees: Sequence[naive.Heads], wider: int = 0):
        self.trees = trees
        self.length = torch.tensor([len(heads) + 1 for heads in trees])
        self.width = int(self.length.max()) + wider
        self.head = torch.full((len(trees), self.width + 1), -5)
        for number, heads in enumerate(trees):
            self.head[number, 1 : len(heads) + 1] = torch.tensor(heads)
        self.rank = projective_order(self.head, self.length)

    def start(self, swap: bool) -> Configurations:
        return Configurations(self.length, self.width, swap)

    def wrong(self, state: Configurations) -> torch.Tensor:
        """Words of each sentence with another head, int64 [B]."""
        return (state.head.ne(self.head) & self.head.ge(0)).sum(1)

    def found(self, state: Configurations) -> list[list[int]]:
        """The heads of each sentence's words."""
        return [row[1 : len(heads) + 1] for row, heads in zip(state.head.tolist(), self.trees, strict=True)]


def after_paths(gold: Gold, paths: Sequence[Sequence[int]], swap: bool) -> Configurations:
    """Each sentence after its own transitions."""
    longest = max(map(len, paths))
    steps = torch.tensor([[*path, *[OVER] * (longest - len(path))] for path in paths]).view(len(paths), -1)
    state = gold.start(swap)
    for transition in steps.unbind(1):
        state.apply(transition, transition * 10, transition.ne(OVER))
    return state


Choose = Callable[[Configurations], torch.Tensor]


def follow(gold: Gold, swap: bool, choose: Choose) -> Configurations:
    """All sentences to their ends, which come in time, by transitions that are checked to be legal."""
    state = gold.start(swap)
    n = gold.width - 1
    for _ in range(2 * n + (n * (n - 1) if swap else 0) + 1):
        live = ~state.finished()
        if not live.any():
            return state
        transition = choose(state)
        assert state.legal().gather(1, transition.unsqueeze(1))[live].all()
        state.apply(transition, torch.zeros_like(transition), live)
    raise AssertionError("a sentence never ends")


def drawn_from(allowed: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """One of the allowed transitions of each sentence at random."""
    return torch.rand(allowed.shape, generator=generator).masked_fill(~allowed, -1).argmax(1)


def ways_of_following(gold: Gold) -> dict[str, Choose]:
    """Among the cheapest transitions the first, the last and any."""
    generator = torch.Generator().manual_seed(1)

    def cheapest(state: Configurations) -> torch.Tensor:
        return state.cheapest(gold.head, gold.rank)

    return {
        "first": lambda state: cheapest(state).long().argmax(1),
        "last": lambda state: state.n_transitions - 1 - cheapest(state).flip(1).long().argmax(1),
        "any": lambda state: drawn_from(cheapest(state), generator),
    }


def noisy(
    gold: Gold, swap: bool, noise: float, anything: Callable[[Configurations], torch.Tensor]
) -> tuple[list[int], list[int], int]:
    """Follow the oracle, but with a probability take anything allowed. The costs taken and the wrong heads of each
    sentence, and the largest among the least costs on the way."""
    generator = torch.Generator().manual_seed(4)
    paid = torch.zeros(len(gold.trees), dtype=torch.int64)
    largest = []

    def choose(state: Configurations) -> torch.Tensor:
        stray = torch.rand(len(gold.trees), 1, generator=generator) < noise
        cheapest = state.cheapest(gold.head, gold.rank)
        transition = drawn_from(torch.where(stray, anything(state), cheapest), generator)
        cost = state.cost(gold.head, gold.rank).masked_fill(state.finished().unsqueeze(1), 0)
        paid.add_(cost.gather(1, transition.unsqueeze(1)).squeeze(1))
        largest.append(int(cost.masked_fill(~cheapest, 0).max()))
        return transition

    wrong = gold.wrong(follow(gold, swap, choose))
    return paid.tolist(), wrong.tolist(), max(largest)


def is_projective(heads: naive.Heads) -> bool:
    return naive.is_projective(heads, naive.original(heads))


@cache
def projective_trees(n: int) -> list[tuple[int, ...]]:
    return [heads for heads in naive.trees(n) if is_projective(heads)]


def random_tree(random: Random, n: int) -> list[int]:
    order = random.sample(range(1, n + 1), n)
    heads = dict(zip(order, [0, *(random.choice(order[:k]) for k in range(1, n))], strict=True))
    return [heads[word] for word in range(1, n + 1)]


def projectivized(heads: naive.Heads) -> tuple[int, ...]:
    """The order in which dependents stay on their sides and in their sequence, and every subtree stands together."""
    return naive.linearize(heads, [word - head for word, head in enumerate(heads, 1)])


def random_projective_tree(random: Random, n: int) -> list[int]:
    heads = random_tree(random, n)
    return naive.heads_in(heads, projectivized(heads))


# -- the system -------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_configuration_is_as_defined(n, swap):
    """After every path: what may follow, what a classifier sees, and the heads found."""
    paths = reachable(n, swap)
    gold = Gold([[0, *range(1, n)]] * len(paths), wider=1)
    state = after_paths(gold, list(paths.values()), swap)
    assert state.positions().shape == (len(paths), SLOTS)
    assert state.positions().tolist() == [plain.positions(gold.width) for plain in paths]
    assert gold.found(state) == [plain.heads(n) for plain in paths]
    assert state.finished().tolist() == [plain.legal(swap) == [] for plain in paths]
    legal = state.legal()
    assert legal.any(1).all()
    names = range(state.n_transitions)
    assert legal.shape == (len(paths), 4 if swap else 3)
    for allowed, plain in zip(legal[~state.finished()].tolist(), filter(lambda p: p.legal(swap), paths), strict=True):
        assert [transition for transition in names if allowed[transition]] == sorted(plain.legal(swap))


def test_relations_are_those_of_the_transitions_that_made_the_arcs():
    gold = Gold([[2, 0, 2]])
    state = after_paths(gold, [(SHIFT, LEFT, SHIFT, SHIFT, RIGHT, RIGHT)], swap=False)
    assert gold.found(state) == [[2, 0, 2]]
    assert state.relation[0, 1:4].tolist() == [10 * LEFT, 10 * RIGHT, 10 * RIGHT]


@BOTH
def test_any_legal_walk_ends_in_a_tree_with_one_root(swap):
    random, generator = Random(2), torch.Generator().manual_seed(2)
    gold = Gold([random_tree(random, n) for n in range(1, 25) for _ in range(8)])
    state = follow(gold, swap, lambda state: drawn_from(state.legal(), generator))
    for heads in gold.found(state):
        assert naive.is_forest(heads) and heads.count(0) == 1
    projective = [is_projective(heads) for heads in gold.found(state)]
    assert all(projective) != swap


def test_all_trees_can_be_had_with_swap_and_the_projective_ones_without():
    for n in range(1, 5):
        for swap, expected in ((False, projective_trees(n)), (True, naive.trees(n))):
            ends = [plain for plain in reachable(n, swap) if not plain.legal(swap)]
            state = after_paths(Gold([plain.heads(n) for plain in ends]), [reachable(n, swap)[p] for p in ends], swap)
            assert {tuple(row[1 : n + 1]) for row in state.head.tolist()} == set(expected)


@BOTH
def test_a_sentence_that_is_not_live_stays_as_it_is(swap):
    gold = Gold([[2, 0, 2, 3]] * 2)
    state = gold.start(swap)
    for transition in (SHIFT, LEFT, SHIFT, SHIFT):
        before = state.positions()[1].tolist(), state.cost(gold.head)[1].tolist()
        state.apply(torch.full((2,), transition), torch.full((2,), 7), torch.tensor([True, False]))
        assert (state.positions()[1].tolist(), state.cost(gold.head)[1].tolist()) == before
    assert gold.found(state) == [[2, NONE, NONE, NONE], [NONE] * 4]
    assert state.relation[:, 1:5].tolist() == [[7, NONE, NONE, NONE], [NONE] * 4]


# -- what the dynamic oracle says -------------------------------------------------------------------------------------


def assert_cost_is_what_search_finds(rows: Sequence[tuple[naive.Heads, Plain]], paths: dict[Plain, tuple[int, ...]]):
    gold = Gold([heads for heads, _ in rows])
    state = after_paths(gold, [paths[plain] for _, plain in rows], swap=False)
    searches = {heads: Search(heads) for heads, _ in rows}
    for (heads, plain), cost in zip(rows, state.cost(gold.head).tolist(), strict=True):
        search = searches[heads]
        for transition in plain.legal(swap=False):
            expected = search.least_after(plain, transition) - search.least(plain)
            assert cost[transition] == expected, (heads, plain, transition)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_cost_in_every_configuration(n):
    """All projective trees with one root from all configurations."""
    paths = reachable(n, False)
    rows = [(heads, plain) for heads in projective_trees(n) for plain in paths if plain.legal(False)]
    assert_cost_is_what_search_finds(rows, paths)


def test_cost_in_configurations_of_five_words():
    """All projective trees, each from configurations drawn at random."""
    paths = reachable(5, False)
    going_on = [plain for plain in paths if plain.legal(False)]
    random = Random(3)
    rows = [(heads, plain) for heads in projective_trees(5) for plain in random.sample(going_on, 60)]
    assert_cost_is_what_search_finds(rows, paths)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_the_cheapest_transitions_rebuild_every_projective_tree(n):
    gold = Gold(projective_trees(n))
    for choose in ways_of_following(gold).values():
        assert not gold.wrong(follow(gold, False, choose)).any()


@pytest.mark.parametrize("noise", [0.1, 0.5, 1.0])
def test_costs_on_the_way_add_up_to_the_wrong_heads(noise):
    random = Random(4)
    gold = Gold([random_projective_tree(random, n) for n in range(1, 31) for _ in range(6)])
    paid, wrong, least = noisy(gold, False, noise, Configurations.legal)
    assert paid == wrong
    assert any(wrong)
    assert least == 0


def test_other_trees_have_a_cheapest_transition_too():
    """Non-projective trees and several roots: a projective tree with one root comes out, near the gold one."""
    gold = Gold([heads for heads in naive.forests_up_to(4) if not is_projective(heads) or heads.count(0) > 1])
    for choose in ways_of_following(gold).values():
        state = follow(gold, False, choose)
        for heads in gold.found(state):
            assert naive.is_forest(heads) and heads.count(0) == 1 and is_projective(heads)
        assert gold.wrong(state).sum() < 0.5 * gold.length.sub(1).sum()


# -- with SWAP --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_with_swap_every_tree_is_rebuilt(n):
    gold = Gold(naive.trees(n))
    for choose in ways_of_following(gold).values():
        assert not gold.wrong(follow(gold, True, choose)).any()


def test_with_swap_larger_trees_are_rebuilt():
    random = Random(5)
    gold = Gold([random_tree(random, n) for n in range(1, 21) for _ in range(10)])
    for choose in ways_of_following(gold).values():
        assert not gold.wrong(follow(gold, True, choose)).any()


def test_projective_trees_are_rebuilt_without_a_swap():
    gold = Gold([heads for n in range(1, 6) for heads in projective_trees(n)])
    for choose in ways_of_following(gold).values():
        state = gold.start(swap=True)
        while (live := ~state.finished()).any():
            transition = choose(state)
            assert not (transition.eq(SWAP) & live).any()
            state.apply(transition, transition, live)
        assert not gold.wrong(state).any()


@pytest.mark.parametrize("noise", [0.1, 0.5, 1.0])
def test_with_swap_costs_add_up_where_training_may_go(noise):
    """As long as swaps are those of the oracle, a free transition is always left and costs are wrong heads."""
    gold = Gold([random_tree(Random(f"{n} {k}"), n) for n in range(1, 21) for k in range(8)])
    paid, wrong, least = noisy(gold, True, noise, lambda state: state.explorable(gold.head, gold.rank))
    assert paid == wrong
    assert least == 0


def test_with_swap_training_may_stray_but_not_in_swaps():
    """Words 2 and 3 of the first tree have to be swapped, those of the second must not."""
    gold = Gold([[3, 4, 0, 3], [2, 0, 2, 3]])
    state = after_paths(gold, [(SHIFT, SHIFT)] * 2, swap=True)
    expected = [[False, False, False, True], [True, True, True, False]]
    assert state.legal().all()
    assert state.explorable(gold.head, gold.rank).tolist() == expected
    assert state.explorable(gold.head).tolist() == expected


def test_a_swap_that_is_due_comes_before_an_arc_but_in_the_static_oracle():
    """Word 3 has its head below it, but 4 belongs before both."""
    gold = Gold([[2, 0, 2, 1]])
    state = after_paths(gold, [(SHIFT, SHIFT, SHIFT)], swap=True)
    assert state.cheapest(gold.head, gold.rank).tolist() == [[False, False, False, True]]
    assert static_transition(state, gold.head, gold.rank).tolist() == [RIGHT]


def test_a_wrong_swap_cannot_be_taken_back():
    """Word 3, the head of all, has come before 2, and 1 is still below it."""
    gold = Gold([[3, 3, 0]])
    state = after_paths(gold, [(SHIFT, SHIFT, SWAP)], swap=True)
    assert state.cost(gold.head, gold.rank)[:, SHIFT].tolist() == [2]
    state = after_paths(gold, [(SHIFT, SHIFT, SWAP, SHIFT)], swap=True)
    assert state.explorable(gold.head, gold.rank).tolist() == [[True, True, True, False]]
    assert state.cost(gold.head, gold.rank)[:, SHIFT].tolist() == [0]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_with_swap_the_oracle_has_an_answer_everywhere(n):
    """Also after transitions that it would never take."""
    paths = {plain: path for plain, path in reachable(n, True).items() if plain.legal(True)}
    chosen = Random(6).sample(naive.trees(n), min(len(naive.trees(n)), 9))
    gold = Gold([heads for heads in chosen for _ in paths])
    state = after_paths(gold, list(paths.values()) * len(chosen), swap=True)
    legal, explorable, cost = state.legal(), state.explorable(gold.head, gold.rank), state.cost(gold.head, gold.rank)
    assert explorable.any(1).all() and not (explorable & ~legal).any()
    assert (cost >= 0).all() and (cost[legal] <= n + 1).all()
    assert legal.gather(1, static_transition(state, gold.head, gold.rank).unsqueeze(1)).all()


def test_with_swap_the_way_ends_after_any_beginning():
    """Random steps among those of the oracle."""
    random, generator = Random(7), torch.Generator().manual_seed(7)
    gold = Gold([random_tree(random, n) for n in range(1, 13) for _ in range(10)])

    def half_at_random(state: Configurations) -> torch.Tensor:
        stray = torch.rand(len(gold.trees), 1, generator=generator) < 0.5
        return drawn_from(torch.where(stray, state.legal(), state.cheapest(gold.head, gold.rank)), generator)

    for heads in gold.found(follow(gold, True, half_at_random)):
        assert naive.is_forest(heads) and heads.count(0) == 1


def test_the_rank_need_not_be_given():
    gold = Gold(naive.trees(4))
    state = follow(gold, True, lambda state: state.cheapest(gold.head).long().argmax(1))
    assert not gold.wrong(state).any()
    state = follow(gold, True, lambda state: static_transition(state, gold.head))
    assert not gold.wrong(state).any()


# -- the static oracle ------------------------------------------------------------------------------------------------


@BOTH
def test_the_static_oracle_rebuilds_projective_trees_in_one_way(swap):
    """With SWAP in the system it takes the same way."""
    gold = Gold([heads for n in range(1, 7) for heads in projective_trees(n)])
    taken = []

    def static(state: Configurations) -> torch.Tensor:
        transition = static_transition(state, gold.head, gold.rank)
        taken.append(transition.masked_fill(state.finished(), OVER))
        return transition

    assert not gold.wrong(follow(gold, swap, static)).any()
    number = gold.trees.index((3, 3, 0, 3))
    path = [step[number].item() for step in taken if step[number] != OVER]
    assert path == [SHIFT, SHIFT, LEFT, LEFT, SHIFT, SHIFT, RIGHT, RIGHT]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_the_static_oracle_rebuilds_every_tree_with_swap(n):
    gold = Gold(naive.trees(n))
    state = follow(gold, True, lambda state: static_transition(state, gold.head, gold.rank))
    assert not gold.wrong(state).any()


@BOTH
def test_the_static_oracle_has_an_answer_everywhere(swap):
    """Non-projective trees without SWAP, several roots, and after anything."""
    random, generator = Random(8), torch.Generator().manual_seed(8)
    gold = Gold([*naive.forests_up_to(4), *(random_tree(random, 12) for _ in range(40))])
    ways = {
        "alone": lambda state: static_transition(state, gold.head, gold.rank),
        "in turn": lambda state: torch.where(
            torch.rand(len(gold.trees), generator=generator) < 0.5,
            drawn_from(state.legal(), generator),
            static_transition(state, gold.head, gold.rank),
        ),
    }
    for choose in ways.values():
        for heads in gold.found(follow(gold, swap, choose)):
            assert naive.is_forest(heads) and heads.count(0) == 1


# -- projective order -------------------------------------------------------------------------------------------------


def test_projective_order():
    """Against a recursive definition, for all trees and forests."""
    gold = Gold(naive.forests_up_to(5), wider=2)
    for heads, rank in zip(gold.trees, gold.rank.tolist(), strict=True):
        order = projectivized(heads)
        assert [rank[word] for word in order] == list(range(1, len(heads) + 1))
        assert rank[0] == 0 and not any(rank[len(heads) + 1 :])


def test_projective_order_of_a_treebank_is_that_of_its_batches():
    random = Random(9)
    trees = [random_tree(random, n) for n in (3, 1, 8, 5)]
    ranks = projective_ranks(Treebank.from_heads(trees)).tolist()
    gold = Gold(trees)
    assert ranks == gold.rank[gold.rank > 0].tolist()


def test_projective_order_of_a_cycle():
    with pytest.raises(ValueError, match="cycle"):
        projective_order(torch.tensor([[-5, 2, 1, 0, -5]]), torch.tensor([4]))


# -- batches, long sentences, real ones -------------------------------------------------------------------------------


@BOTH
def test_other_sentences_of_a_batch_change_nothing(swap):
    """Alone, and among longer ones in a wider batch: the same positions, costs and heads all the way."""
    random = Random(10)
    trees = [random_tree(random, n) for n in (1, 2, 5, 9, 14)]
    together = Gold(trees, wider=3)
    batch = together.start(swap)
    alone = [Gold([heads]) for heads in trees]
    states = [gold.start(swap) for gold in alone]
    while (live := ~batch.finished()).any():
        cost, legal, positions = batch.cost(together.head, together.rank), batch.legal(), batch.positions()
        transition = batch.cheapest(together.head, together.rank).long().argmax(1)
        batch.apply(transition, transition, live)
        for number in live.nonzero().flatten().tolist():
            gold, state = alone[number], states[number]
            assert state.legal().tolist() == legal[number : number + 1].tolist()
            assert state.cost(gold.head, gold.rank).tolist() == cost[number : number + 1].tolist()
            moved = state.positions().masked_fill(state.positions().eq(gold.width), together.width)
            assert moved.tolist() == positions[number : number + 1].tolist()
            own = transition[number : number + 1]
            state.apply(own, own, torch.tensor([True]))
    assert [gold.found(state)[0] for gold, state in zip(alone, states, strict=True)] == together.found(batch)
    assert all(state.finished().all() for state in states)


@BOTH
def test_sentences_without_words_and_batches_without_sentences(swap):
    gold = Gold([[], [2, 0]])
    assert gold.start(swap).finished().tolist() == [True, False]
    assert not gold.wrong(follow(gold, swap, ways_of_following(gold)["first"])).any()
    nobody = torch.zeros(0, dtype=torch.int64)
    state = Configurations(nobody, 3, swap)
    head = torch.zeros(0, 4, dtype=torch.int64)
    assert static_transition(state, head).shape == (0,)
    assert state.positions().shape == (0, SLOTS)
    state.apply(nobody, nobody, state.finished())


@pytest.mark.long
@BOTH
def test_two_thousand_words(swap):
    """Chains to the left and to the right, one with crossing arcs, and a word by itself."""
    n = 2000
    gold = Gold([range(n), [*range(2, n + 1), 0], [3, 4, 0, *range(3, n)] if swap else [0], [0]])
    assert not gold.wrong(follow(gold, swap, ways_of_following(gold)["first"])).any()


@pytest.mark.long
def test_a_real_treebank(shared):
    """SWAP rebuilds every tree with one root; without it projective trees come back, and others as near ones."""
    treebank, _ = Treebank.read(str(shared / "treebanks/la_proiel/la_proiel-ud-test.conllu")).trees_only(
        skip_errors=True
    )
    trees = sorted((heads for heads in heads_of(treebank) if heads.count(0) == 1), key=len)
    assert 0 < sum(map(is_projective, trees)) < len(trees)
    wrong = [wrong_without_swap(Gold(trees[begin : begin + 300])) for begin in range(0, len(trees), 300)]
    assert 0 < sum(wrong) < 0.1 * sum(map(len, trees))


def wrong_without_swap(gold: Gold) -> int:
    """Wrong heads of the dynamic oracle without SWAP, all else being checked."""

    def static(state: Configurations) -> torch.Tensor:
        return static_transition(state, gold.head, gold.rank)

    first = ways_of_following(gold)["first"]
    for choose in (static, first):
        assert not gold.wrong(follow(gold, True, choose)).any()
        state = follow(gold, False, choose)
        for heads, found in zip(gold.trees, gold.found(state), strict=True):
            assert naive.is_forest(found) and found.count(0) == 1 and is_projective(found)
            assert found == heads or not is_projective(heads)
    return int(gold.wrong(state).sum())
