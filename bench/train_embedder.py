"""Train the embedding model further, so that prompts of developers are near to the notes that answer them.

    pip install torch onnx
    python bench/train_embedder.py train BASE.onnx TEXTS.json.gz WEIGHTS.npz [FRIENDSQA.json …]   on a GPU, minutes
    python bench/train_embedder.py write BASE.onnx WEIGHTS.npz …               the file of the package, model.onnx
    python bench/train_embedder.py check MODEL_FOLDER …                        how near prompts are to their notes
    python bench/train_embedder.py languages TEXTS.jsonl …                     languages.bin, of foreign texts

BASE is build/minilm/model.onnx of scripts/build_model.py, TEXTS what bench/train_query_vectors.py collects. The notes
and prompts are those of bench/prompts/train-*.txt, bench/questions/fit-*.txt and the fitting half of bench/notes. A
language model wrote them, one author for the files of a letter; lines of bench/prompts have this form:

    = name of a project | what it is
    n1 | text of a note
    p n1 | a prompt in plain words           o n1 | in other words          f n1 | without a word of the note
    t n1,n2 | a task for which the notes should be known                    x | a prompt without a note

bench/talk has conversations between people and questions about them, by four more authors; files of FriendsQA
(https://github.com/emorynlp/FriendsQA) may be given beside them:

    = names | who they are      # a session      14 Mira: a turn      ? 14,27 | a question     x | one without an answer

A prompt has to be nearer to its notes than to all others of ten projects, and than to the others of its own; one
logistic line over all cosines has to tell them apart; and other texts have to keep their vectors and their order.
`write` goes the share KEPT of the way from the old weights to the mean of the new ones; a file that is given twice
counts twice. The shipped model has four parts (docs/adr/0079, 0083): two trainings on projects of notes, together a
quarter of it, and two short ones on projects and conversations, of 138 steps (a quarter) and of 378 (a half).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from train_classifier import MATRICES, MODEL

HERE = Path(__file__).parent
KINDS = {"p": "plain", "o": "other", "f": "far", "t": "task", "x": "none", "?": "asked", "!": "near"}
# What a note may be near to without answering it: left out of the training.
NEAR = "near"

PROJECTS, NOTES, PROMPTS, OTHERS, SCENE_TURNS = 10, 45, 64, 384, 60
STEPS, RATE, WARM, CLIP, DECAY = 1_700, 1e-4, 0.1, 1.0, 0.01
SHARPNESS, MAX_TOKENS = 20.0, 96
# How much it counts that the other texts keep their vectors, and their order.
KEEP_VECTORS, KEEP_ORDER = 3.0, 0.5
TEXTS = 60_000
KEPT = 1.0
# Of texts in eight languages: how much is read of each, and the axes that are left out of a question. With five, German
# texts that say nothing of a German question are as far from it as English ones are from an English question.
FOREIGN_CHARACTERS, AXES = 200, 5
FIELDS = ("q", "k", "v", "o", "up", "down")
NORMS = {"after_attention": "attention_output_norm_layernorm", "after_all": "mlp_output_norm_layernorm"}


class Prompt(NamedTuple):
    """A prompt, its kind, and the places of the notes that answer it."""

    text: str
    kind: str
    answers: tuple[int, ...]


class Project(NamedTuple):
    name: str
    notes: list[str]
    prompts: list[Prompt]


def projects(path: Path) -> Iterator[Project]:
    """Yield the projects of a file of bench/prompts or bench/questions."""
    found: list[Project] = []
    places: dict[str, int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        head, _, text = (part.strip() for part in line.partition("|"))
        if head.startswith("="):
            found.append(Project(head[1:].strip(), [], []))
            places = {}
        elif re.fullmatch(r"n\d+", head):
            places[head] = len(found[-1].notes)
            found[-1].notes.append(text)
        elif head:
            named = re.findall(r"n\d+", head)
            kind = KINDS[head[0]]
            answers = () if kind == NEAR else tuple(places[name] for name in named)
            found[-1].prompts.append(Prompt(text, kind, answers))
    yield from found


def known(scenes: Sequence[Path] = ()) -> list[Project]:
    """Return the projects and conversations to learn from; scenes: files of FriendsQA."""
    files = [*sorted(HERE.glob("prompts/train-*.txt")), *sorted(HERE.glob("questions/fit-*.txt"))]
    spoken = (project for path in sorted(HERE.glob("talk/train-*.txt")) for project in talks(path))
    return [*(project for path in files for project in projects(path)), *of_notes("fit"), *spoken, *friends(scenes)]


def talks(path: Path) -> Iterator[Project]:
    """Yield the conversations of a file of bench/talk, their questions in the first person as the engine asks them."""
    for part in re.split(r"(?m)^= ", path.read_text(encoding="utf-8"))[1:]:
        turns = re.findall(r"(?m)^(\d+) ([^:\n]+): (.+)$", part)
        places = {number: place for place, (number, _, _) in enumerate(turns)}
        names = {name for _, name, _ in turns}
        prompts = []
        for mark, named, text in re.findall(r"(?m)^([?x])([\d, ]*)\| (.+)$", part):
            asked = _in_first_person(text, names)
            answers = tuple(places[number] for number in re.findall(r"\d+", named))
            prompts.append(Prompt(asked, KINDS[mark], answers))
        yield Project(part.partition("|")[0].strip(), [text for _, _, text in turns], prompts)


def friends(files: Sequence[Path]) -> Iterator[Project]:
    """Yield conversations of SCENE_TURNS turns or more from files of FriendsQA: scenes, with questions about them."""
    turns: list[str] = []
    prompts: list[Prompt] = []
    for scene in (scene for file in files for scene in json.loads(file.read_text(encoding="utf-8"))["data"]):
        (body,) = scene["paragraphs"]
        places = {row["uid"]: len(turns) + place for place, row in enumerate(body["utterances:"])}
        names = {name for row in body["utterances:"] for who in row["speakers"] for name in (who, who.split()[0])}
        turns.extend(row["utterance"] for row in body["utterances:"])
        for asked in body["qas"]:
            answers = tuple({places[answer["utterance_id"]] for answer in asked["answers"]})
            prompts.append(Prompt(_in_first_person(asked["question"], names), "asked", answers))
        if len(turns) >= SCENE_TURNS:
            yield Project("friends", turns, prompts)
            turns, prompts = [], []


def _in_first_person(text: str, names: Collection[str]) -> str:
    """Return a question as the engine embeds it: people write "I" where one asks for their name."""
    either = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name != "assistant")
    return re.sub(rf"\b(?:{either})\b", "I", re.sub(rf"\b(?:{either}) ?['’]s\b", "my", text)) if either else text


def of_notes(split: Any) -> Iterator[Project]:
    """Yield the projects of a split of bench/notes, without facts that were changed: of them two notes are near."""
    import notes_recall

    for name in notes_recall.SPLITS[split]:
        notes = {row.id: row.text for row in notes_recall.memories(split) if row.project == name}
        places = {row: place for place, row in enumerate(notes)}
        asked = [row for row in notes_recall.questions(split) if row.project == name and row.kind != "changed"]
        rows = [
            Prompt(row.text, row.kind if row.answers else NEAR, tuple(places[each] for each in row.answers))
            for row in asked
        ]
        yield Project(name, list(notes.values()), rows)


# --- train: on a GPU ---


class Batch(NamedTuple):
    """Prompts and notes of some projects as tokens, with the notes of each prompt and the projects of both."""

    prompts: list[Any]
    notes: list[Any]
    answers: list[tuple[int, ...]]
    of_prompt: list[int]
    of_note: list[int]


class Trainer:
    """Trains all matrices and norms of the model; its word vectors stay."""

    def __init__(self, base: Path, texts: Sequence[str], scenes: Sequence[Path]) -> None:
        import torch
        from tokenizers import Tokenizer

        from classifier_network import Network, tensors

        torch.manual_seed(0)
        tokenizer = Tokenizer.from_file(str(MODEL.with_name("tokenizer.json")))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=MAX_TOKENS)
        self.chance = random.Random(0)

        def encoded(rows: Sequence[str]) -> list[Any]:
            return [np.array(each.ids, dtype=np.int64) for each in tokenizer.encode_batch(list(rows))]

        found = known(scenes)
        self.projects = [(row, encoded(row.notes), encoded([each.text for each in row.prompts])) for row in found]
        self.others = encoded(texts)
        self.net = Network(tensors(base)).cuda()
        for name, values in self.net.named_parameters():
            values.requires_grad = name.startswith("layers") and not name.endswith((".a", ".b"))
        self.targets = self._unchanged()

    def _unchanged(self) -> Any:
        """Return the vectors that the model gives the other texts before it is trained."""
        import torch

        self.net.eval()
        order = sorted(range(len(self.others)), key=lambda place: len(self.others[place]))
        found = torch.zeros(len(order), 384, device="cuda")
        with torch.no_grad():
            for start in range(0, len(order), 1024):
                some = order[start : start + 1024]
                found[some] = self.vectors([self.others[place] for place in some])
        return found

    def vectors(self, texts: Sequence[Any]) -> Any:
        """Return the unit vectors of texts."""
        import torch
        from torch.nn import functional

        sizes = np.array([len(each) for each in texts])
        filled = np.arange(width := sizes.max()) < sizes[:, None]
        padded = np.zeros(filled.shape, dtype=np.int64)
        padded[filled] = np.concatenate(texts)
        tokens, mask = torch.from_numpy(padded).cuda(), torch.from_numpy(filled).cuda()
        with torch.autocast("cuda", torch.bfloat16):
            rows = self.net.word[tokens] + self.net.kind[torch.zeros_like(tokens)] + self.net.position[:width]
            rows = self.net.norm(rows)
            for layer in self.net.layers:
                rows = layer(rows, mask)
        share = mask[:, :, None].float()
        return functional.normalize((rows.float() * share).sum(1) / share.sum(1), dim=1)

    def _batch(self) -> Batch:
        made = Batch([], [], [], [], [])
        for number, (project, notes, prompts) in enumerate(self.chance.sample(self.projects, PROJECTS)):
            kept = self.chance.sample(range(len(notes)), min(NOTES, len(notes)))
            places = {note: len(made.notes) + at for at, note in enumerate(kept)}
            made.notes.extend(notes[note] for note in kept)
            made.of_note.extend([number] * len(kept))
            asked = [
                place
                for place, prompt in enumerate(project.prompts)
                if prompt.kind == "none" or not places.keys().isdisjoint(prompt.answers)
            ]
            for place in self.chance.sample(asked, min(PROMPTS, len(asked))):
                made.prompts.append(prompts[place])
                made.of_prompt.append(number)
                answers = project.prompts[place].answers
                made.answers.append(tuple(places[note] for note in answers if note in places))
        return made

    def train(self) -> dict[str, Any]:
        """Return the new weights by their name in the network."""
        import torch

        trained = [each for each in self.net.parameters() if each.requires_grad]
        line = torch.tensor([float(np.log(SHARPNESS)), -10.0], device="cuda", requires_grad=True)
        optimizer = torch.optim.AdamW(
            [{"params": trained, "lr": RATE, "weight_decay": DECAY}, {"params": [line], "lr": 1e-2, "weight_decay": 0}]
        )
        slope = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda step: min(1.0, step / (WARM * STEPS)) * max(0.0, 1 - step / STEPS)
        )
        self.net.train()
        for step in range(1, STEPS + 1):
            loss = self._loss(self._batch(), line)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, CLIP)
            optimizer.step()
            slope.step()
            if step % 300 == 0:
                print(f"step {step}: loss {loss.item():.3f}", flush=True)
        return {
            name: values.detach().cpu().numpy().astype(np.float16)
            for name, values in self.net.named_parameters()
            if values.requires_grad
        }

    def _loss(self, batch: Batch, line: Any) -> Any:
        import torch
        from torch.nn import functional

        cosines = self.vectors(batch.prompts) @ self.vectors(batch.notes).T
        right = torch.zeros_like(cosines)
        for row, answers in enumerate(batch.answers):
            right[row, list(answers)] = 1
        answered = right.sum(1) > 0
        of_prompt, of_note = (torch.tensor(each).cuda() for each in (batch.of_prompt, batch.of_note))

        def nearest(logits: Any) -> Any:
            chances = logits.log_softmax(1).masked_fill(right == 0, -1e4)
            return -torch.logsumexp(chances, 1)[answered].mean()

        own = of_prompt[:, None] == of_note[None, :]
        sharp = cosines * SHARPNESS
        apart = functional.binary_cross_entropy_with_logits(line[0].exp() * cosines + line[1], right, reduction="none")
        told_apart = (apart * right).sum() / right.sum() + (apart * (1 - right)).sum() / answered.sum()
        places = self.chance.sample(range(len(self.others)), OTHERS)
        found, wanted = self.vectors([self.others[place] for place in places]), self.targets[places]
        order, kept = (functional.log_softmax(each @ wanted.T * SHARPNESS, 1) for each in (found, wanted))
        moved = KEEP_VECTORS * (1 - (found * wanted).sum(1)).mean()
        moved = moved + KEEP_ORDER * functional.kl_div(order, kept, log_target=True, reduction="batchmean")
        return nearest(sharp) + nearest(sharp.masked_fill(~own, -1e4)) + told_apart + moved


# --- write and check ---


def write(base: Path, trained: Sequence[Any], target: Path, share: float = KEPT) -> None:
    """Write a model with a share of the way to the mean of new weights, as int8 with one scale per output channel."""
    import onnx
    from onnx import numpy_helper

    model = onnx.load(base)
    stored = {each.name: each for each in model.graph.initializer}
    values = {name: numpy_helper.to_array(each) for name, each in stored.items()}

    def moved(old: Any, name: str) -> Any:
        new = np.mean([weights[name].astype(np.float32) for weights in trained], axis=0)
        return old + share * (new - old)

    def put(name: str, new: Any) -> None:
        kept = np.ascontiguousarray(new.astype(values[name].dtype))
        stored[name].CopyFrom(numpy_helper.from_array(kept, name))

    for layer in range(6):
        ours, theirs = f"layers.{layer}", f"model.layers.{layer}"
        for matrix, field in zip(MATRICES, FIELDS, strict=True):
            name = f"{theirs}.{matrix.replace('/', '.')}"
            whole, scale, zero = (
                values[f"{name}.MatMul.weight_{part}"] for part in ("quantized", "scale", "zero_point")
            )
            new = moved((whole.astype(np.float32) - zero) * scale, f"{ours}.{field}.weight")
            step = np.maximum(np.abs(new).max(0), 1e-9) / 127
            put(f"{name}.MatMul.weight_scale", step)
            put(f"{name}.MatMul.weight_quantized", np.clip(np.round(new / step), -127, 127) + zero)
            put(f"{name}.Add.bias", moved(values[f"{name}.Add.bias"], f"{ours}.{field}.bias"))
        for field, norm in NORMS.items():
            for part in ("weight", "bias"):
                put(f"{theirs}.{norm}.{part}", moved(values[f"{theirs}.{norm}.{part}"], f"{ours}.{field}.{part}"))
    onnx.save(model, target)


def check(folder: Path) -> None:
    """Print how often the nearest note, and one of the five nearest, answers a prompt of projects it has not seen."""
    from recollect.providers.local import LocalEmbedder

    embed = LocalEmbedder(folder=folder).embed
    unseen = {path.stem: list(projects(path)) for path in sorted(HERE.glob("prompts/fit-*.txt"))}
    unseen |= {"questions": list(projects(HERE / "questions/unseen.txt")), "notes": list(of_notes("held_out"))}
    for name, some in unseen.items():
        found: dict[str, list[tuple[bool, bool]]] = {}
        for project in some:
            cosines = embed([each.text for each in project.prompts]) @ embed(project.notes).T
            for prompt, row in zip(project.prompts, cosines, strict=True):
                if prompt.answers:
                    best = np.argsort(-row)[:5].tolist()
                    hits = best[0] in prompt.answers, not set(best).isdisjoint(prompt.answers)
                    found.setdefault(prompt.kind, []).append(hits)
        shares = (
            f"{kind} {100 * np.mean(rows, 0)[0]:.1f}/{100 * np.mean(rows, 0)[1]:.1f}" for kind, rows in found.items()
        )
        print(folder.name, name, *shares, flush=True)


def languages(files: Sequence[Path]) -> None:
    """Write the axes along which texts in other languages are near to each other (docs/adr/0081)."""
    from recollect.providers.local import LocalEmbedder

    rows = [json.loads(line)["text"] for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    vectors = LocalEmbedder().embed([text[:FOREIGN_CHARACTERS] for text in rows])
    axes = np.linalg.svd(vectors, full_matrices=False)[2][:AXES]
    MODEL.with_name("languages.bin").write_bytes(axes.astype(np.float16).tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("train", "write", "check", "languages"))
    parser.add_argument("files", type=Path, nargs="+")
    chosen = parser.parse_args()
    if chosen.part == "check":
        for folder in chosen.files:
            check(folder)
    elif chosen.part == "languages":
        languages(chosen.files)
    elif chosen.part == "train":
        base, texts, target, *scenes = chosen.files
        rows = json.loads(gzip.decompress(texts.read_bytes()))
        random.Random(1).shuffle(rows)
        np.savez(target, **Trainer(base, rows[:TEXTS], scenes).train())
    else:
        base, *weights = chosen.files
        write(base, [np.load(path) for path in weights], MODEL)


if __name__ == "__main__":
    main()
