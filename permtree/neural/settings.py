"""Settings that neural learners share: features, encoder, training."""

from __future__ import annotations

from dataclasses import dataclass

from permtree.configuration import setting


@dataclass(frozen=True)
class NeuralConfig:
    """What a word is made of, how sentences are read, how the network is trained. Sizes are in numbers per word."""

    upos: bool = setting(True, "UPOS as a feature")
    xpos: bool = setting(True, "XPOS as a feature")
    feats: bool = setting(True, "FEATS as features, each item (Case=Nom) by itself")
    characters: str = setting("cnn", "how the characters of a word are read", ("cnn", "lstm", "none"))
    vectors: str = setting(
        "", "file of pretrained word vectors in text form (word2vec, GloVe, fastText), any compression", is_path=True
    )
    most_vectors: int = setting(200000, "vectors that are read from the file, from its start", within=(1, 10**8))
    transformer: str = setting(
        "", "folder of a model for the library transformers, used beside the other features", is_path=True
    )
    fine_tune: bool = setting(True, "whether training changes the transformer, too")

    word_size: int = setting(100, "word embedding", within=(1, 10**4))
    tag_size: int = setting(32, "embedding of each kind of tag", within=(1, 10**4))
    character_size: int = setting(32, "character embedding", within=(1, 10**4))
    character_features: int = setting(64, "features that characters give a word", within=(2, 10**4))
    min_frequency: int = setting(2, "words less frequent in training are unknown words", within=(1, 10**9))
    unknown_dropout: float = setting(0.1, "share of words that training takes for unknown", within=(0, 1))

    hidden: int = setting(200, "LSTM units in each direction", within=(1, 10**4))
    layers: int = setting(2, "LSTM layers", within=(1, 20))
    dropout: float = setting(0.33, "dropout on features, encoder and classifiers", within=(0, 0.95))

    epochs: int = setting(20, "passes over the training data; fewer if most_words says so", within=(1, 10**6))
    least_epochs: int = setting(8, "passes, whatever most_words says", within=(1, 10**6))
    most_words: int = setting(500000, "words read in all passes together; 0: no limit", within=(0, 10**12))
    patience: int = setting(15, "epochs without a better score on dev until training stops", within=(1, 10**6))
    batch_words: int = setting(500, "words in a batch, padding included", within=(1, 10**7))
    learning_rate: float = setting(3e-3, "of Adam, falling linearly over the epochs", within=(1e-9, 10))
    transformer_learning_rate: float = setting(3e-5, "of the transformer", within=(1e-9, 10))
    last_learning_rate: float = setting(0.05, "what is left of the learning rate at the end, as a share", within=(0, 1))
    weight_decay: float = setting(0.0, "decoupled weight decay", within=(0, 1))
    clip: float = setting(5.0, "largest norm of a gradient", within=(1e-6, 10**6))
    threads: int = setting(1, "processor threads; small networks gain little from more", within=(1, 1024))
    precision: str = setting("float32", "of the transformer on a GPU; all else is float32", ("float32", "bfloat16"))
