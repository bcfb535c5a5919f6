"""Models that run in this process: the embedder that ships with the package, and a cross-encoder from a folder.

    text ─► WordPiece tokens (at most 512) ─► all-MiniLM-L6-v2, int8 ─► mean over the tokens ─► unit length

The model was trained further on what developers ask (bench/train_embedder.py). It lies with its tokenizer beside this
file in `minilm/`, whose ORIGIN.md says how they were made. Loading costs about 0.3 CPU s, most of it importing
onnxruntime, and 100 MB of memory; nothing is loaded before the first `embed`.

    two texts ─► at most 160 tokens ─► the same model with trained corrections of its weights ─► answers

`minilm/classifier.onnx` has the corrections (made by bench/train_classifier.py) and refers to the weights in
model.onnx. It tells whether a sentence states something that lasts, whether that is how people work or what they build,
and whether a statement replaces an older one.

The model reads English: to it, texts in another language are near to each other whatever they say. A question is
searched with without the axes along which they are, which `minilm/languages.bin` has.

A cross-encoder scores how well a text answers a question, reading both together. Its folder holds `model.onnx` and
`tokenizer.json`, for example of cross-encoder/ms-marco-MiniLM-L-12-v2. None is bundled: it takes 0.6 to 1 s of CPU for
30 hits and gains about one point of recall (docs/models.md).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.errors import EmbeddingFailed
from recollect.providers.provider_protocol import Answers, excerpt

if TYPE_CHECKING:
    from recollect.providers.provider_protocol import Vectors


MODEL = "all-MiniLM-L6-v2"
MODEL_ID = f"{MODEL}/notes-3"
DIMENSIONS = 384

MAX_TOKENS = 512  # the positions the model was built with; more cannot be fed

# 512 tokens of prose are about 2 kB, of deeply indented code about 5 kB. Cutting before tokenizing keeps a megabyte
# from costing 0.9 CPU s of tokens that are thrown away; 16 kB cost 0.01 s.
MAX_BYTES = 16_384
# Two texts that are classified together: as many tokens as in the training.
MAX_PAIR_TOKENS = 160

# Three directions tell an uneven match as well as all of them: answers in other words from memories that only share the
# topic, with an area under the curve of .77 (all: .765, one: .69; fitting half of bench/notes). A question is short.
DIRECTIONS = 3
MAX_QUESTION_TOKENS = 64
# For more rows LAPACK starts the threads of BLAS, which then spin for 15 to 40 ms of CPU. A larger matrix is reduced to
# so many dimensions first, in so many rounds: 0.6 ms, and the directions differ by less than 1e-5.
PLAIN_ROWS, SPAN, ROUNDS = 25, 12, 3

# Texts are run one at a time, on purpose. The int8 model scales its activations by the largest one in the run, so in a
# batch a text's vector depends on its neighbours (cosine down to .985 between alone and in a batch of 16); alone it is
# a function of the text, which is what `model_id` promises and what makes the cache honest. Measured on one aarch64
# core, texts per CPU second:
#
#     texts in a run        1      2      4      8     16     32
#     20 tokens each    152.5  163.9  170.4  173.3  173.7  172.0
#     200 tokens each    13.8   13.7   13.6   13.6   13.4   13.3
#     mixed, sorted      58.5   58.6   57.3   52.1   43.5   32.3     300 paragraphs of 8-379 tokens
#
# So a batch wins 12 % on very short texts and loses on real ones, where its padding is computed too (1.25 times the
# tokens in runs of 16, 1.56 in runs of 32, although sorted by length). With nothing padded, the attention mask is all
# ones and the mean weighted by it is the plain mean.

# Why each: on x86 without VNNI the fast int8 kernel overflows 16 bits and quietly returns other vectors, the precise
# one does not (no other processor is affected); idle threads that spin would heat a laptop between two texts.
SESSION_ENTRIES = {"session.x64quantprecision": "1", "session.intra_op.allow_spinning": "0"}

REINSTALL = "Reinstall recollect, or set embed_provider to ollama, openai or off. Until then search is keyword-only."


def without_language(vector: Vectors) -> Vectors:
    """Return the vector of a question without what only says in which language it is."""
    import numpy as np

    axes = language_axes()
    found: Vectors = vector - np.einsum("i,ij->j", np.einsum("ij,j->i", axes, vector), axes)
    return found


@cache
def language_axes() -> Vectors:
    """Return the axes along which texts in other languages than English are near to each other."""
    import numpy as np

    values = np.fromfile(Path(__file__).with_name("minilm") / "languages.bin", np.float16)
    return values.astype(np.float32).reshape(-1, DIMENSIONS)


class _Loaded(NamedTuple):
    tokenizer: Any
    session: Any


class LocalEmbedder:
    """Embeds with the shipped model, on `threads` threads; safe to share between threads."""

    model_id = MODEL_ID

    def __init__(self, *, threads: int = 1, folder: Path | None = None) -> None:
        """Load nothing yet. `folder` holds model.onnx and tokenizer.json (default: the shipped ones)."""
        self._threads = threads
        self._folder = folder or Path(__file__).with_name("minilm")
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._classifier: _Loaded | None = None
        # The text of the last run with its token vectors: a question is embedded, then asked for its directions.
        self._last: tuple[str, Any] = ("", None)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector of 384 numbers per text, from its first 512 tokens.

        A text has the same vector whatever it is embedded with. Costs about 6 ms of CPU for 20 tokens, 70 for 200.
        """
        import numpy as np

        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vector(text)
        return vectors

    def _vector(self, text: str) -> Any:
        import numpy as np

        loaded = self._loaded or self._load()
        encoding = loaded.tokenizer.encode(excerpt(text, MAX_BYTES))
        tokens = np.array([encoding.ids], dtype=np.int64)
        inputs = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        try:
            (hidden,) = loaded.session.run(["last_hidden_state"], inputs)
        except Exception as problem:  # onnxruntime's errors share no class of their own
            raise EmbeddingFailed(f"the local embedding model failed: {problem}", model=MODEL_ID) from problem
        self._last = (text, hidden[0])
        mean = hidden[0].mean(axis=0)
        return mean / np.linalg.norm(mean)

    def directions(self, text: str) -> Vectors:
        """Return the main directions in which the words of a text differ, each as long as its deviation.

        A text that is close to one word of a question and far from the others is far along one of them. Costs a run of
        the model unless the text was embedded last.
        """
        import numpy as np

        if self._last[0] != text or self._last[1] is None:
            self._vector(text)
        tokens = self._last[1][1:-1][:MAX_QUESTION_TOKENS]
        if len(tokens) < 2:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        unit = tokens / np.linalg.norm(tokens, axis=1, keepdims=True)
        apart = unit - unit.mean(axis=0)
        mixes = _largest_axes(_product(apart, apart.T))[:, -DIRECTIONS:]
        found: Vectors = _product(mixes.T, apart) / len(unit) ** 0.5
        return found

    def classify(self, first: str, second: str) -> Answers:
        """Return what the classifier says of two texts. Raises EmbeddingFailed. Costs about 10 ms of CPU."""
        with self._lock:
            if self._classifier is None:
                self._classifier = load_onnx(
                    self._folder, self._threads, file="classifier.onnx", name="local classifier", hint=REINSTALL
                )
                self._classifier.tokenizer.enable_truncation(max_length=MAX_PAIR_TOKENS)
            loaded = self._classifier
        try:
            lasts, *kinds, replaces, standing = _outputs(loaded, first, second)
        except Exception as problem:  # onnxruntime's errors share no class of their own
            raise EmbeddingFailed(f"the local classifier failed: {problem}", model=MODEL_ID) from problem
        return Answers(lasts, tuple(kinds), replaces, standing)

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = load_onnx(self._folder, self._threads, name="local embedding model", hint=REINSTALL)
            return self._loaded


def _product(one: Any, other: Any) -> Any:
    """Return the product of two matrices; matmul would start the threads of BLAS."""
    import numpy as np

    return np.einsum("ij,jk->ik", one, other)


def _largest_axes(matrix: Any) -> Any:
    """Return eigenvectors of a symmetric matrix as columns, those of the largest eigenvalues last."""
    import numpy as np

    if len(matrix) <= PLAIN_ROWS:
        return np.linalg.eigh(matrix)[1]
    # Powers of the matrix turn any vectors towards those with the largest eigenvalues.
    square = _product(matrix, matrix)
    power = _product(square, square)
    basis = power[:, :SPAN]
    for _ in range(ROUNDS):
        basis = np.linalg.qr(_product(power, basis))[0]
    return _product(basis, np.linalg.eigh(_product(_product(basis.T, matrix), basis))[1])


def load_onnx(folder: Path, threads: int, *, file: str = "model.onnx", name: str, hint: str) -> _Loaded:
    """Return the model and the tokenizer of a folder. Raises EmbeddingFailed.

    name, hint: what errors call it, and what they advise
    """
    model, vocabulary = folder / file, folder / "tokenizer.json"
    for path in (model, vocabulary):
        if not path.is_file():
            raise EmbeddingFailed(f"the {name} is missing: {path}", hint=hint, path=str(path))
    # onnxruntime reports to its makers unless told not to before it is imported; it keeps a device id under the home.
    os.putenv("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1  # the model is one chain of operators: nothing to run side by side
        options.log_severity_level = 3  # errors only
        for entry, value in SESSION_ENTRIES.items():
            options.add_session_config_entry(entry, value)
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(vocabulary))
    except Exception as problem:  # a missing library, a damaged file: neither library has an error class of its own
        raise EmbeddingFailed(
            f"the {name} cannot be loaded from {folder}: {problem}", hint=hint, path=str(folder)
        ) from problem
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    return _Loaded(tokenizer, session)


# What is read of a text: it is cut to 512 tokens together with the question.
MAX_PAIR_BYTES = 4_096

NO_RERANKER = "Set rerank to a folder with model.onnx and tokenizer.json of a cross-encoder, or leave it empty."


class CrossEncoder:
    """Scores texts for a question; loads the model of a folder on first use."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder).expanduser()

    @cached_property
    def _loaded(self) -> Any:
        return load_onnx(self._folder, 1, name="reranking model", hint=NO_RERANKER)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return one score per text, higher for a better answer. Raises EmbeddingFailed."""
        loaded = self._loaded
        try:
            return [_score(loaded, question, text) for text in texts]
        except Exception as problem:  # onnxruntime's errors share no class of their own
            raise EmbeddingFailed(f"the reranking model failed: {problem}", path=str(self._folder)) from problem


def _score(loaded: _Loaded, question: str, text: str) -> float:
    # A model with one score, or with one for "no" and one for "yes", has what counts in the last place.
    return _outputs(loaded, question, text)[-1]


def _outputs(loaded: _Loaded, first: str, second: str) -> list[float]:
    """Return what a model says of two texts that it reads together."""
    import numpy as np

    read = loaded.tokenizer.encode(excerpt(first, MAX_PAIR_BYTES), excerpt(second, MAX_PAIR_BYTES))
    rows = {"input_ids": read.ids, "attention_mask": read.attention_mask, "token_type_ids": read.type_ids}
    inputs = {row.name: np.array([rows[row.name]], dtype=np.int64) for row in loaded.session.get_inputs()}
    return [float(each) for each in loaded.session.run(None, inputs)[0].reshape(-1)]


# The same one for every search of a process.
open_cross_encoder = lru_cache(maxsize=1)(CrossEncoder)
