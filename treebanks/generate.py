"""Write the sample treebanks: three invented languages that differ in how free their word order is.

    python generate.py [--to DIR]

One grammar samples dependency trees for all three languages; a table of order rules per language then puts each tree in
a line. So the languages differ in word order and morphology, hardly in what is said. Randomness comes from
`Random.random()` and plain arithmetic alone, which every Python version does alike: the files are the same to the byte.
"""

import argparse
import random
from dataclasses import dataclass, field
from pathlib import Path

SPLITS = {"train": 800, "dev": 100, "test": 100}
LONGEST = 40  # a sentence with more words than this is drawn again
FRAMES = ["transitive", "intransitive", "saying", "wanting", "ditransitive"]  # kinds of verb, the most frequent first
VOCABULARY = {  # words and syllables per word of each class; every verb has one frame, so that a parser can learn it
    "article": (2, 1), "ADP": (8, 1), "CCONJ": (3, 1), "AUX": (3, 1), "cop": (1, 1), "PART": (1, 1), "PRON": (5, 1),
    "rel": (1, 1), "that": (1, 1), "DET": (4, 2), "SCONJ": (5, 2), "NUM": (7, 2), "ADV": (24, 2), "ADJ": (50, 2),
    "NOUN": (140, 2), "transitive": (50, 2), "intransitive": (30, 2), "saying": (12, 2), "wanting": (8, 2),
    "ditransitive": (8, 2), "PROPN": (40, 3),
}  # fmt: skip
# Order rules are `relation probability-of-left rank`; rank 1 is next to the head. A relation may be narrowed to a tag
# of the dependent (advmod/PART) or of the head (advmod@ADJ). These hold in all three languages; `rel` stands for
# relative pronouns, which open their clause whatever their relation.
COMMON_ORDER = "case 1 12; mark 1 20; rel 1 20; conj 0 20; cc 1 30; punct 0 40; advmod/PART 1 .5; "


@dataclass(frozen=True)
class Language:
    """What sets a language apart. Of `suffixes`, each `tags features suffix`, the first that fits a word is used."""

    name: str
    seed: int
    onsets: str
    vowels: str
    codas: str  # "-" for none
    marked: str  # the features that the language shows
    suffixes: str
    order: str
    jitter: float = 0.0  # how far ranks may overlap
    article: float = 0.0  # share of nouns with an article
    pro_drop: float = 0.0  # share of pronoun subjects left out
    bare: float = 0.0  # share of oblique and adnominal phrases marked by case alone, without an adposition
    raising: float = 0.0  # share of nouns under a verb with a modifier placed beside the verb: arcs may cross
    relative_pronoun: bool = True  # otherwise an unchanging marker
    fusion: bool = False  # whether two frequent adpositions fuse with the definite article into one token


def rich_suffixes() -> str:
    """The endings of the free language: nouns and all that agrees with them share one set, verbs have another."""
    rules = []
    for row in (
        "Fem Sing a an as ai ao", "Fem Plur ae anes arum ais ais",
        "Masc Sing o on os oi u", "Masc Plur i ones orum ois ois",
    ):  # fmt: skip
        gender, number, *endings = row.split()
        for case, ending in zip(("Nom", "Acc", "Gen", "Dat", "Abl"), endings, strict=True):
            feats = f"Case={case}|Gender={gender}|Number={number}"
            rules += [f"NOUN,PROPN,ADJ,DET,PRON {feats} {ending}", f"VERB {feats}|VerbForm=Part ant{ending}"]
    for row in "Sing 1 em ivam", "Sing 2 es ivas", "Sing 3 et ivat", "Plur 1 emus ivamus", "Plur 3 ent ivant":
        number, person, present, past = row.split()
        for tense, ending in ("Pres", present), ("Past", past):
            rules.append(f"VERB,AUX Number={number}|Person={person}|Tense={tense} {ending}")
    return "; ".join([*rules, "VERB VerbForm=Inf ere"])


LANGUAGES = (
    Language(
        "rigan", 101, "p t k m n l r s h w", "a e i o u", "n - -", "Definite Mood NumType Polarity PronType VerbForm",
        "VERB VerbForm=Inf mi; VERB VerbForm=Part nu",
        """aux 1 2; cop 1 2; nsubj 0 1; iobj 0 2; obj 0 3; advmod .01 4; obl .01 5; xcomp 0 6; ccomp 0 7; advcl 0 8;
        amod 0 1; nummod 0 2; det 0 3; nmod 0 4; acl 0 5; acl:relcl 0 6""",
        article=0.4, relative_pronoun=False,
    ),
    Language(
        "medol", 202, "b d f g k l m n p r s t v st br", "a e i o", "n l r s -",
        "Definite Mood NumType Number Person Polarity PronType Tense VerbForm",
        "NOUN Number=Plur en; VERB VerbForm=Inf or; VERB VerbForm=Part ind; VERB,AUX Tense=Past et; "
        "VERB,AUX Number=Sing|Person=3 i",
        """aux 1 1; cop 1 1; nsubj .95 4; iobj 0 1; obj .04 2; advmod .5 3; obl .2 5; xcomp 0 6; ccomp 0 7; advcl .35 8;
        advmod@ADJ 1 1; amod .88 1; nummod 1 3; det 1 5; nmod 0 2; acl 0 3; acl:relcl 0 6""",
        jitter=1.5, article=0.5, fusion=True,
    ),
    Language(
        "fluvi", 303, "b c d f g l m n p r s t v qu tr pl", "a e i o u", "l m n r s t c x",
        "Case Gender Mood NumType Number Person Polarity PronType Tense VerbForm", rich_suffixes(),
        """aux .45 1; cop .5 1; nsubj .65 3; iobj .5 2; obj .62 2; advmod .7 2; obl .6 3; xcomp .5 3; ccomp .15 7;
        advcl .5 7; amod .4 1; nummod .6 1; det .7 2; nmod .35 1; acl .3 2; acl:relcl .1 5""",
        jitter=4.0, pro_drop=0.6, bare=0.6, raising=0.18,
    ),
)  # fmt: skip


@dataclass(eq=False)
class Word:
    """A node of a tree. `head` is what it depends on; `deps` are the words placed around it, mostly its dependents."""

    stem: str
    upos: str
    deprel: str
    feats: dict[str, str] = field(default_factory=dict)
    deps: list["Word"] = field(default_factory=list)
    head: "Word | None" = None

    def add(self, dep: "Word") -> "Word":
        dep.head = self
        self.deps.append(dep)
        return dep


class Generator:
    """Samples sentences of one language, from a random generator of its own."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self.random = random.Random(language.seed)
        self.order = [rule.split() for rule in (COMMON_ORDER + language.order).split(";")]
        self.suffixes = [rule.split() for rule in language.suffixes.split(";")]
        words: dict[str, str] = {}  # word to class: no two words are alike
        for kind, (size, syllables) in VOCABULARY.items():
            full = len(words) + size
            while len(words) < full:
                words.setdefault(self.new_word(syllables), kind)
        self.vocabulary = {kind: [word for word in words if words[word] == kind] for kind in VOCABULARY}

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def new_word(self, syllables: int) -> str:
        word = ""
        open_syllables = [self.language.onsets, self.language.vowels] * (syllables + self.chance(0.3))
        for sounds in map(str.split, [*open_syllables, self.language.codas]):
            word += sounds[int(len(sounds) * self.random.random())]
        return word.rstrip("-")

    def choose(self, items: list[str]) -> str:
        """Uneven on purpose: the first items are the most frequent, as a few words are in any text."""
        return items[int(len(items) * self.random.random() * self.random.random())]

    def word(self, kind: str, deprel: str, upos: str = "", **feats: str) -> Word:
        return Word(self.choose(self.vocabulary[kind]), upos or kind, deprel, feats)

    def nominal(self, deprel: str, case: str, depth: int) -> Word:
        """A pronoun, a name, or a noun with what modifies it."""
        if deprel in ("nsubj", "obj", "iobj") and self.chance(0.2):
            pronoun = self.word("PRON", deprel, Case=case, Gender="Masc", PronType="Prs")
            place = self.vocabulary["PRON"].index(pronoun.stem)  # the five are: he, I, they, you, we
            pronoun.feats |= {"Person": "31321"[place], "Number": "Plur" if place in (2, 4) else "Sing"}
            return pronoun
        kind = "PROPN" if self.chance(0.1) else "NOUN"
        noun = self.word(kind, deprel)
        gender = "Masc" if self.vocabulary[kind].index(noun.stem) % 2 else "Fem"
        number = "Plur" if kind == "NOUN" and self.chance(0.3) else "Sing"
        noun.feats = {"Case": case, "Gender": gender, "Number": number}
        if kind == "NOUN":
            if self.chance(self.language.article):
                article = noun.add(self.word("article", "det", "DET", PronType="Art", **noun.feats))
                article.feats["Definite"] = "Def" if article.stem == self.vocabulary["article"][0] else "Ind"
            elif self.chance(0.2):
                noun.add(self.word("DET", "det", PronType="Dem", **noun.feats))
            if number == "Plur" and self.chance(0.15):
                noun.add(self.word("NUM", "nummod", NumType="Card"))
            if self.chance(0.28):
                adjective = noun.add(self.word("ADJ", "amod", **noun.feats))
                if self.chance(0.12):
                    adjective.add(self.word("ADV", "advmod"))
            if self.chance(0.2 / (1 + depth)):
                noun.add(self.adpositional("nmod", depth + 1))
            if self.chance(0.12 / (1 + depth)):
                noun.add(self.clause("acl:relcl", depth + 1, noun=noun))
            elif self.chance(0.06 / (1 + depth)):
                participle = noun.add(self.word("transitive", "acl", "VERB", VerbForm="Part", **noun.feats))
                participle.add(self.nominal("obj", "Acc", depth + 2))
        if deprel != "conj" and self.chance(0.12 / (1 + depth)):
            if self.chance(0.3):
                noun.add(self.nominal("conj", case, depth + 1)).add(Word(",", "PUNCT", "punct"))
            noun.add(self.nominal("conj", case, depth + 1)).add(self.word("CCONJ", "cc"))
        return noun

    def adpositional(self, deprel: str, depth: int) -> Word:
        """An oblique or adnominal phrase: with an adposition, or by case alone where the language has the cases."""
        if self.chance(self.language.bare):
            return self.nominal(deprel, "Gen" if deprel == "nmod" else "Abl", depth)
        adpositions = self.vocabulary["ADP"]
        # The first adposition is an "of": it opens most adnominal phrases, and no others.
        of = deprel == "nmod" and self.chance(0.75)
        stem = adpositions[0] if of else self.choose(adpositions[1:])
        noun = self.nominal(deprel, "Acc" if adpositions.index(stem) % 2 else "Abl", depth)
        noun.add(Word(stem, "ADP", "case"))
        return noun

    def clause(self, deprel: str, depth: int, linker: str = "", noun: Word | None = None) -> Word:
        """A finite clause. Given a noun, that noun's relative clause: the noun is its subject or object."""
        gap = "" if noun is None else "obj" if self.chance(0.35) else "nsubj"
        if not gap and self.chance(0.14):
            frame = "copular"
            head = self.nominal(deprel, "Nom", 3) if self.chance(0.4) else self.word("ADJ", deprel, Case="Nom")
        else:
            frame = "transitive" if gap == "obj" else self.choose(FRAMES if depth < 2 else FRAMES[:2])
            head = self.word(frame, deprel, "VERB")
        subject = noun if noun and gap == "nsubj" else self.nominal("nsubj", "Nom", depth + 1)
        if subject is not noun and not (subject.upos == "PRON" and self.chance(self.language.pro_drop)):
            head.add(subject)
        finite = {"Mood": "Ind", "Tense": "Past" if self.chance(0.5) else "Pres", "VerbForm": "Fin"}
        finite |= {"Number": subject.feats["Number"], "Person": subject.feats.get("Person", "3")}
        if noun and self.language.relative_pronoun:
            agreement = noun.feats | {"Case": "Nom" if gap == "nsubj" else "Acc"}
            head.add(self.word("rel", gap, "PRON", PronType="Rel", **agreement))
        elif noun:
            head.add(self.word("rel", "mark", "SCONJ"))
        if frame == "copular":
            if head.upos == "ADJ":
                head.feats |= {"Gender": subject.feats["Gender"], "Number": subject.feats["Number"]}
            head.add(self.word("cop", "cop", "AUX", **finite))
        elif self.chance(0.2):
            head.feats["VerbForm"] = "Inf"
            head.add(self.word("AUX", "aux", **finite))
        else:
            head.feats = finite
        if frame in ("transitive", "ditransitive") and gap != "obj":
            head.add(self.nominal("obj", "Acc", depth + 1))
        if frame == "ditransitive":
            head.add(self.nominal("iobj", "Dat", depth + 2))
        if frame == "saying":
            head.add(self.clause("ccomp", depth + 1, linker="that"))
        if frame == "wanting":
            wanted = head.add(self.word("transitive", "xcomp", "VERB", VerbForm="Inf"))
            wanted.add(self.nominal("obj", "Acc", depth + 1))
        for probability in (0.5, 0.15):
            if frame != "copular" and self.chance(probability / (1 + depth)):
                head.add(self.adpositional("obl", depth + 1))
        if self.chance(0.22):
            head.add(self.word("ADV", "advmod"))
        if self.chance(0.08):
            head.add(self.word("PART", "advmod", Polarity="Neg"))
        if self.chance(0.16 / (1 + 2 * depth)):
            adverbial = head.add(self.clause("advcl", depth + 1, linker="SCONJ"))
            if self.chance(0.25):
                adverbial.add(Word(",", "PUNCT", "punct"))
        if linker:
            head.add(self.word(linker, "mark", "SCONJ"))
        if deprel == "root" and self.chance(0.1):
            head.add(self.clause("conj", depth + 1)).add(self.word("CCONJ", "cc"))
        return head

    def arrange(self, head: Word, on_left: bool = True) -> list[Word]:
        """The words of a subtree in order. `on_left`: the head is left of its own head, as a root counts too."""
        for noun in [dep for dep in head.deps if head.upos == "VERB" and dep.upos == "NOUN" and dep.deprel != "conj"]:
            loose = [dep for dep in noun.deps if dep.deprel in ("amod", "nmod", "acl:relcl")]
            if loose and self.chance(self.language.raising):
                noun.deps.remove(loose[0])
                head.deps.append(loose[0])
        placed = [(0.0, [head])]
        for dep in head.deps:
            keys = [f"{dep.deprel}/{dep.upos}", f"{dep.deprel}@{head.upos}", dep.deprel]
            if dep.feats.get("PronType") == "Rel":
                keys = ["rel"]
            left, rank = next((rule[1], rule[2]) for key in keys for rule in self.order if rule[0] == key)
            before = self.chance(float(left))
            if dep.deprel == "punct":  # a comma goes between a clause or conjunct and its head, a full stop to the end
                before = not on_left
            distance = float(rank)
            if distance < 10:  # what opens or closes a phrase keeps its place
                distance += self.language.jitter * self.random.random()
            placed.append((-distance if before else distance, self.arrange(dep, before)))
        return [word for _, words in sorted(placed, key=lambda item: item[0]) for word in words]

    def inflect(self, word: Word, **other: str) -> str:
        """The form of a word with its features, or the lemma with those of citation."""
        present = {f"{name}={value}" for name, value in (word.feats | other).items()}
        for tags, needed, suffix in self.suffixes:
            if word.upos in tags.split(",") and present.issuperset(needed.split("|")):
                return word.stem + suffix
        return word.stem

    def lemma(self, word: Word) -> str:
        if word.upos in ("VERB", "AUX"):  # the infinitive, or of an auxiliary, which has none, the stem
            return self.inflect(Word(word.stem, word.upos, "", {"VerbForm": "Inf"}))
        own_gender = word.upos in ("NOUN", "PROPN")
        return self.inflect(word, Case="Nom", Number="Sing", Gender=word.feats["Gender"] if own_gender else "Masc")

    def sentence(self) -> list[Word]:
        root = self.clause("root", 0)
        if self.chance(0.96):
            root.add(Word("?" if self.chance(0.06) else "!" if self.chance(0.04) else ".", "PUNCT", "punct"))
        words = self.arrange(root)
        return words if len(words) <= LONGEST else self.sentence()

    def conllu(self, sent_id: str) -> str:
        """One sentence. The first word gets no capital, so that no form tells where it once stood."""
        words = self.sentence()
        ids = {word: place for place, word in enumerate(words, 1)}
        fusing = [(adposition, self.vocabulary["article"][0]) for adposition in self.vocabulary["ADP"][:2]]
        lines, text, covered = [], "", 0  # covered: how many of the next words stand in a range
        for word, following in zip(words, [*words[1:], None], strict=True):
            form, space, misc = self.inflect(word), " ", "_"
            if following and following.upos == "PUNCT":
                space, misc = "", "SpaceAfter=No"
            if self.language.fusion and following and (word.stem, following.stem) in fusing:
                fused = word.stem + following.stem[1:]
                lines.append([f"{ids[word]}-{ids[following]}", fused] + ["_"] * 8)
                text, covered = f"{text}{fused} ", 2
            text += "" if covered else form + space
            covered = max(0, covered - 1)
            marked = self.language.marked.split()
            if "Case" not in marked and "Case" in word.feats and word.upos in ("ADJ", "DET", "VERB"):
                marked = [name for name in marked if name != "Number"]  # without cases there is no agreement
            shown = [name for name in marked if name in word.feats]
            feats = "|".join(f"{name}={word.feats[name]}" for name in shown) or "_"
            head = str(ids[word.head]) if word.head else "0"
            lines.append([str(ids[word]), form, self.lemma(word), word.upos, "_", feats, head, word.deprel, "_", misc])
        rows = ["\t".join(columns) for columns in lines]
        return "\n".join([f"# sent_id = {sent_id}", f"# text = {text.rstrip()}", *rows]) + "\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the sample treebanks.")
    parser.add_argument("--to", type=Path, default=Path(__file__).parent, metavar="DIR", help="folder to write to")
    folder: Path = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    for language in LANGUAGES:
        generator = Generator(language)
        for split, size in SPLITS.items():
            sentences = [generator.conllu(f"{language.name}-{split}-{number:04}") for number in range(1, size + 1)]
            (folder / f"{language.name}-{split}.conllu").write_bytes("".join(sentences).encode("utf-8"))


if __name__ == "__main__":
    main()
