"""Train the classifier: the shipped embedding model with small corrections of its weights, for three questions.

    pip install scikit-learn torch onnx
    python bench/train_classifier.py rows ROWS.json            what it learns from, and what the models of words say
    python bench/train_classifier.py train ROWS.json FOLDER    on a GPU: a network of all rows, or of all but a fifth
    python bench/train_classifier.py check ROWS.json FOLDER    how much the classifier adds on what was left out
    python bench/train_classifier.py write FOLDER …            the mean of networks: classifier.onnx of the package

The first question: does a sentence of a prompt state something that lasts, and of which kind is it? It is asked with
the sentences around it. The second: does a later statement replace an older one? The third: does a sentence say how
people work, whatever the task is, or what they build? The labels are those of train_statements.py and of
train_amendments.py; for the third also those of standing.txt: "W sentence" for work, "P sentence" for the product. In
`check` no model has seen the writer of a sentence, or the project of a pair; `unseen` pairs are in no training.

Each matrix W of the six layers becomes W + AB, where A has few columns and B as many rows; only they and a last layer
are trained. `write` adds them to the graph of model.onnx. Its weights stay where they are: classifier.onnx refers to
their places in that file.

The package has the mean of two networks (docs/adr/0080): one of `train --rank 48`, and one of `train --rank 32 --epochs
6 --teachers A B C`, where A, B and C are folders of `train --rank 48 --seed 1`, 2 and 3.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parent
MODEL = HERE.parent / "src/recollect/providers/minilm/model.onnx"
CLASSIFIER = MODEL.with_name("classifier.onnx")
KINDS = ("rule", "preference", "decision", "correction", "cause", "fact")
LABELS = HERE / "standing.txt"
# The answers: it lasts, its kind, it replaces the other, it says how people work.
LASTS, OF_KIND, REPLACES, STANDING = 0, slice(1, 7), 7, 8
ANSWERS = 9
FOLDS = 5

# The corrections are added times this.
SCALE = 2.0
RATE, WARM = 1e-3, 0.1
# How much the answers of teachers count beside the labels.
TAUGHT = 0.6
# The mean of networks doubts more than each of them: its answers are made twice as large.
SURER = 2.0
BATCH = {"statements": 64, "pairs": 128}
# The probability by words from which the classifier is asked about a pair (recall/amend.py).
ASKED = 0.02
DECAY, CLIP = 0.01, 1.0
# The kind, and what it is about, count less than whether it lasts. Most pairs of notes are far apart: a third of them,
# anew in each epoch.
KIND_COUNTS, STANDING_COUNTS, NOTES = 0.3, 0.3, 1 / 3
MOST_COUNTS = 5.0
# Rows that a network reads together.
AT_ONCE = 256
MATRICES = ("attn/q_proj", "attn/k_proj", "attn/v_proj", "attn/o_proj", "mlp/fc1", "mlp/fc2")
# Bytes from which a tensor is left in model.onnx.
LARGE = 4_096
BARS = (0.5, 0.6, 0.7, 0.8, 0.9)

Arrays = dict[str, Any]


# --- rows: what it learns from ---


def statement_rows() -> Iterator[Arrays]:
    """Yield the labelled sentences, with what the model of words says that has not seen their writer."""
    import train_statements as words
    from recollect.capture.statement_model import context_of
    from recollect.capture.statements import is_readable, may_state, start_of

    lines = LABELS.read_text(encoding="utf-8").splitlines()
    standing = {text: letter == "W" for letter, _, text in (line.partition(" ") for line in lines)}
    rows = words.labelled(is_readable)
    vectors, earlier = words.word_vectors(), words.read(words.EARLIER.read_bytes())
    writers = sorted({row.writer for row in rows}, key=lambda each: (each.partition("-")[0], each))
    for fold in range(FOLDS):
        left_out = set(writers[fold::FOLDS])
        own = [row for row in rows if row.writer in left_out]
        known = [
            row
            for row in rows
            if row.writer not in left_out and may_state(row.said[row.place], start_of(row.said[row.place]))
        ]
        trained = words.train(known, vectors, earlier)
        for row, chance in zip(own, trained.judge(own)[0], strict=True):
            count = words.HALF.get(row.label, 1.0) * words._count(row.writer)
            texts = {
                "first": row.said[row.place].text.strip(),
                "second": context_of(row.said, row.place, row.is_answer),
            }
            named = {"group": row.writer, "label": row.label, "lasts": row.is_right}
            of_work = standing.get(texts["first"]) if row.of_work is None else row.of_work
            named["standing"] = None if row.is_answer else of_work
            yield {**texts, **named, "fold": fold, "by_words": float(chance), "count": min(count, MOST_COUNTS)}


def pair_rows() -> Iterator[Arrays]:
    """Yield the pairs of statements, with what the model of words says that has not seen their project."""
    from sklearn.model_selection import GroupKFold

    import train_amendments as words

    embedder = words.LocalEmbedder()
    splits = sorted(words.SPLITS)
    pairs = [pair for split in splits for pair in words.pairs(split, embedder)] + list(words.notes(embedder))
    known = [pair for pair in pairs if pair.split not in words.UNSEEN]
    groups = [f"{pair.split} {pair.project}" for pair in known]
    parts = [*GroupKFold(FOLDS).split(known, groups=groups)]
    tasks = [([known[at] for at in rest], [known[at] for at in own], fold) for fold, (rest, own) in enumerate(parts)]
    tasks.append((known, [pair for pair in pairs if pair.split in words.UNSEEN], -1))
    for rest, own, fold in tasks:
        for pair, chance in zip(own, words.train(rest).judge(own), strict=True):
            texts = {"first": pair.new, "second": pair.old}
            named = {"group": pair.split, "replaces": bool(pair.replaces), "kind": pair.kind}
            yield {**texts, **named, "project": pair.project, "fold": fold, "by_words": float(chance)}


# --- train: on a GPU, without this package ---


def encoder() -> Callable[[Arrays], tuple[list[int], list[int]]]:
    """Return what makes tokens of a row, as providers/local.py does."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(MODEL.with_name("tokenizer.json")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=160, strategy="longest_first")

    def encoded(row: Arrays) -> tuple[list[int], list[int]]:
        made = tokenizer.encode(row["first"], row["second"])
        return made.ids, made.type_ids

    return encoded


class Plan(NamedTuple):
    """How to train: the size of the corrections, and folders of networks to learn from."""

    rank: int
    epochs: int
    seed: int
    teachers: list[Path]


class Trainer:
    """Trains and runs networks on tokenized rows."""

    def __init__(self, rows: dict[str, list[Arrays]], plan: Plan) -> None:
        from classifier_network import tensors

        said = [np.load(folder / "said.npz") for folder in plan.teachers]
        self.plan = plan
        self.taught = {name: _chances(np.mean([each[name] for each in said], axis=0)) for name in rows} if said else {}

        self.rows, self.weights, encoded = rows, tensors(MODEL), encoder()
        self.tokens = {name: [encoded(row) for row in some] for name, some in rows.items()}

    def _batch(self, name: str, places: Sequence[int]) -> list[Any]:
        import torch

        some = [self.tokens[name][place] for place in places]
        sizes = np.array([len(ids) for ids, _ in some])
        mask = np.arange(sizes.max()) < sizes[:, None]
        ids, kinds = np.zeros(mask.shape, dtype=np.int64), np.zeros(mask.shape, dtype=np.int64)
        ids[mask], kinds[mask] = (np.concatenate(each) for each in zip(*some, strict=True))
        return [torch.from_numpy(each).cuda() for each in (ids, kinds, mask)]

    def train(self, fold: int | None) -> Any:
        """Return a network of all rows but those of a fold."""
        import torch

        from classifier_network import Network

        torch.manual_seed(self.plan.seed)
        rng = np.random.default_rng(self.plan.seed)
        net = Network(self.weights, self.plan.rank).cuda().train()
        trained = [each for each in net.parameters() if each.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=RATE, weight_decay=DECAY)
        known = {
            name: np.array([at for at, row in enumerate(some) if row["fold"] not in (fold, -1) and _is_asked(row)])
            for name, some in self.rows.items()
        }
        steps = self.plan.epochs * (len(known["statements"]) // BATCH["statements"])
        slope = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1.0, step / (WARM * steps)) * max(0.0, 1 - step / steps)
        )
        batches = {name: self._places(name, places, rng) for name, places in known.items()}
        for _ in range(steps):
            loss = sum(self._loss(net, name, next(each)) for name, each in batches.items())
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, CLIP)
            optimizer.step()
            slope.step()
        return net.eval()

    def _places(self, name: str, known: Any, rng: Any) -> Iterator[Any]:
        """Yield batches without end, each row once in an epoch."""
        rows = self.rows[name]
        is_note = np.array([rows[at]["group"] == "notes" and not rows[at]["replaces"] for at in known])
        while True:
            taken = known[~is_note | (rng.random(len(known)) < NOTES)]
            order = rng.permutation(taken)
            size = BATCH[name]
            yield from (order[at : at + size] for at in range(0, len(order) - size + 1, size))

    def _loss(self, net: Any, name: str, places: Any) -> Any:
        import torch
        from torch.nn import functional

        rows = [self.rows[name][at] for at in places]
        with torch.autocast("cuda", torch.bfloat16):
            said = net(*self._batch(name, places)).float()
        if name == "pairs":
            wanted = self._wanted(name, places, REPLACES, [float(row["replaces"]) for row in rows])
            return functional.binary_cross_entropy_with_logits(said[:, REPLACES], wanted)
        wanted = self._wanted(name, places, LASTS, [float(row["lasts"]) for row in rows])
        counts = torch.tensor([row["count"] / 3 for row in rows]).cuda()
        loss = functional.binary_cross_entropy_with_logits(said[:, LASTS], wanted, counts)
        named = [at for at, row in enumerate(rows) if row["label"] in KINDS]
        if named:
            kinds = torch.tensor([KINDS.index(rows[at]["label"]) for at in named]).cuda()
            loss = loss + KIND_COUNTS * functional.cross_entropy(said[named][:, OF_KIND], kinds)
        if told := [at for at, row in enumerate(rows) if self.taught or row["standing"] is not None]:
            standing = [float(rows[at]["standing"] or 0) for at in told]
            standing = self._wanted(name, places[told], STANDING, standing, share=1.0)
            own = functional.binary_cross_entropy_with_logits(said[told][:, STANDING], standing)
            loss = loss + STANDING_COUNTS * own
        return loss

    def _wanted(self, name: str, places: Any, answer: int, labels: list[float], share: float = TAUGHT) -> Any:
        """Return what a network shall say: the labels, and the answers of its teachers if it has any."""
        import torch

        wanted = np.array(labels)
        if self.taught:
            wanted = (1 - share) * wanted + share * self.taught[name][places, answer]
        return torch.from_numpy(wanted.astype(np.float32)).cuda()

    def run(self, net: Any, name: str, places: Sequence[int]) -> list[list[float]]:
        import torch

        found: dict[int, list[float]] = {}
        order = sorted(places, key=lambda at: len(self.tokens[name][at][0]))
        with torch.no_grad():
            for start in range(0, len(order), AT_ONCE):
                some = order[start : start + AT_ONCE]
                found |= zip(some, net(*self._batch(name, some)).float().cpu().tolist(), strict=True)
        return [found[at] for at in places]


def _chances(logits: Any) -> Any:
    return 1 / (1 + np.exp(-logits))


def _is_asked(row: Arrays) -> bool:
    """Tell whether a row is worth learning from: the classifier is not asked about improbable pairs."""
    return row.get("replaces", True) or row["by_words"] >= ASKED


def train(rows: dict[str, list[Arrays]], folder: Path, part: str, plan: Plan) -> None:
    """Write what a network says of all rows and of those it has not seen, and the corrections if it has seen all."""
    trainer = Trainer(rows, plan)
    fold = None if part == "all" else int(part)
    net = trainer.train(fold)
    told = {}
    for name, some in rows.items():
        places = [at for at, row in enumerate(some) if row["fold"] == (-1 if fold is None else fold)]
        told[name] = dict(zip(places, trainer.run(net, name, places), strict=True))
    (folder / f"part-{part}.json").write_text(json.dumps(told))
    said = {name: trainer.run(net, name, range(len(some))) for name, some in rows.items()}
    np.savez(folder / "said.npz", **{name: np.array(some, dtype=np.float32) for name, some in said.items()})
    if fold is None:
        learned = {key: value.detach().cpu().numpy() for key, value in net.named_parameters() if value.requires_grad}
        np.savez(folder / "corrections.npz", **learned)


# --- check and write ---


def check(rows: dict[str, list[Arrays]], folder: Path) -> None:
    """Print what the words say, what the classifier says, and both together with the weights that fit them."""
    from sklearn.linear_model import LogisticRegression

    parts = [json.loads(path.read_text()) for path in sorted(folder.glob("part-*.json"))]
    told = {}
    for name, answer, wanted in (("statements", LASTS, "lasts"), ("pairs", REPLACES, "replaces")):
        said = {int(at): row for part in parts for at, row in part[name].items()}
        told[name] = [(rows[name][at], said[at]) for at in sorted(said)]
        some = [(row, answers[answer]) for row, answers in told[name]]
        words = np.array([row["by_words"] for row, _ in some]).clip(1e-4, 1 - 1e-4)
        signals = np.column_stack(([own for _, own in some], np.log(words / (1 - words))))
        right = np.array([row[wanted] for row, _ in some])
        seen = np.array([row["fold"] >= 0 and (name != "pairs" or row["by_words"] >= ASKED) for row, _ in some])
        both = LogisticRegression(C=100).fit(signals[seen], right[seen])
        print(name, "weights", both.coef_[0].round(3), "bias", both.intercept_.round(3))
        for group in ("", *sorted({row["group"] for row, _ in some})):
            own = np.array([not group or row["group"] == group for row, _ in some])
            rules = np.array([row.get("label") == "rule" for row, _ in some]) & own
            for title, chances in (("words", words), ("both", both.predict_proba(signals)[:, 1])):
                print(f"  {group or 'all':14}{title:8}", *_at(chances, right, own, rules))
    answers = [(row["standing"], said[STANDING] > 0) for row, said in told["statements"] if row["standing"] is not None]
    print("standing: right", np.mean([one == other for one, other in answers]).round(3), "of", len(answers))


def _at(chances: Any, right: Any, own: Any, rules: Any) -> Iterator[str]:
    """Yield precision, recall and the recall of rules at each bar."""
    for bar in BARS:
        kept = (chances >= bar) & own
        figures = (kept & right).sum() / max(1, kept.sum()), (kept & right).sum() / max(1, (right & own).sum())
        of_rules = f" rules {(kept & rules).sum() / rules.sum():.2f}" if rules.any() else ""
        yield f"| {bar}: {figures[0]:.2f} found {figures[1]:.2f}{of_rules}"


def mean(folders: Sequence[Path]) -> Arrays:
    """Return the corrections of the mean of networks, which are those of each side by side, and its last layer."""
    learned = [np.load(folder / "corrections.npz") for folder in folders]
    found = {}
    for key in learned[0]:
        parts = [each[key] / len(folders) for each in learned]
        if key.endswith(".a"):
            found[key] = np.concatenate([each[key] for each in learned], axis=1)
        elif key.endswith(".b"):
            found[key] = np.concatenate(parts, axis=0)
        else:
            found[key] = np.sum(parts, axis=0) * (SURER if len(folders) > 1 else 1.0)
    return found


def write(folders: Sequence[Path]) -> None:
    """Write classifier.onnx: the graph of model.onnx with the corrections and the last layer."""
    import onnx
    from onnx import helper, numpy_helper

    learned, model, data = mean(folders), onnx.load(MODEL), MODEL.read_bytes()
    graph = model.graph
    nodes, made = [], []

    def tensor(name: str, values: Any) -> str:
        made.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype=np.float16), f"{name}_half"))
        nodes.append(helper.make_node("Cast", [f"{name}_half"], [name], to=onnx.TensorProto.FLOAT))
        return name

    inputs = {node.output[0]: node.input[0] for node in graph.node if node.op_type == "MatMulInteger"}
    for node in graph.node:
        place = re.fullmatch(r"/model/layers\.(\d)/(.+)/Add", node.name)
        if place is None or place[2] not in MATRICES:
            nodes.append(node)
            continue
        field = ("q", "k", "v", "o", "up", "down")[MATRICES.index(place[2])]
        key, name = f"layers.{place[1]}.{field}", f"correction.{place[1]}.{field}"
        rows = inputs[f"{node.input[0]}_output_quantized"].removesuffix("_quantized")
        a, b = tensor(f"{name}.a", learned[f"{key}.a"]), tensor(f"{name}.b", SCALE * learned[f"{key}.b"])
        nodes.append(helper.make_node("MatMul", [rows, a], [f"{name}.inner"]))
        nodes.append(helper.make_node("MatMul", [f"{name}.inner", b], [f"{name}.out"]))
        nodes.append(helper.make_node("Add", [node.input[0], f"{name}.out"], [f"{name}.sum"]))
        nodes.append(helper.make_node("Add", [f"{name}.sum", node.input[1]], list(node.output)))
    first = numpy_helper.from_array(np.array(0, dtype=np.int64), "first_token")
    axis = numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens_axis")
    weight, bias = tensor("head.weight", learned["head.weight"].T), tensor("head.bias", learned["head.bias"])
    nodes += [
        helper.make_node("ReduceMean", ["last_hidden_state", "tokens_axis"], ["mean_token"], keepdims=0),
        helper.make_node("Gather", ["last_hidden_state", "first_token"], ["start_token"], axis=1),
        helper.make_node("Concat", ["mean_token", "start_token"], ["both_tokens"], axis=1),
        helper.make_node("MatMul", ["both_tokens", weight], ["weighted"]),
        helper.make_node("Add", ["weighted", bias], ["answers"]),
    ]
    for each in graph.initializer:
        if len(each.raw_data) >= LARGE:
            _refer(each, data)
    del graph.node[:], graph.output[:]
    graph.node.extend(nodes)
    graph.initializer.extend([*made, first, axis])
    graph.output.append(helper.make_tensor_value_info("answers", onnx.TensorProto.FLOAT, ["batch", ANSWERS]))
    CLASSIFIER.write_bytes(model.SerializeToString())
    print(CLASSIFIER, CLASSIFIER.stat().st_size)


def _refer(tensor: Any, data: bytes) -> None:
    """Replace the values of a tensor by their place in model.onnx."""
    import onnx

    values = tensor.raw_data
    start = data.index(values)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, value in {"location": MODEL.name, "offset": start, "length": len(values)}.items():
        tensor.external_data.add(key=key, value=str(value))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("rows", "train", "check", "write"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--part", default="all", help="train: a fold to leave out (0 to 4), or all")
    parser.add_argument("--rank", type=int, default=48, help="train: columns of each correction")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--teachers", type=Path, nargs="*", default=[], help="train: folders of trained networks")
    given = parser.parse_args()
    if given.step == "rows":
        rows = {"statements": [*statement_rows()], "pairs": [*pair_rows()]}
        given.paths[0].write_text(json.dumps(rows))
        print({name: len(some) for name, some in rows.items()})
    elif given.step == "write":
        write(given.paths)
    else:
        rows, folder = json.loads(given.paths[0].read_text()), given.paths[1]
        plan = Plan(given.rank, given.epochs, given.seed, given.teachers)
        train(rows, folder, given.part, plan) if given.step == "train" else check(rows, folder)


if __name__ == "__main__":
    main()
