"""Train the table of the prompt hook, which gives a question a vector near that of the embedding model.

    pip install torch onnx
    python bench/train_query_vectors.py texts TEXTS.json.gz FOLDER …    sentences, and questions made of their words
    python bench/train_query_vectors.py train TEXTS.json.gz TABLE.npz   on a GPU, about two minutes
    python bench/train_query_vectors.py write TABLE.npz                 the file of the package, query_table.bin

The texts are sentences of docstrings, comments and documentation below the folders (installed packages), messages,
notes and prompts of bench/, and spans of a few words, bare and behind the beginnings of questions. No question of a
benchmark is among them, and there are no labels: the target is the vector that the shipped model gives the text.

A text becomes (sum of the rows of its tokens) · matrix + constant. The loss is the distance to its target, and how far
the similarities to the other texts of the batch are from those of the targets.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from train_classifier import MODEL

HERE = Path(__file__).parent
TABLE = MODEL.with_name("query_table.bin")
VOCABULARY = MODEL.with_name("tokenizer.json")

# --- texts ---

SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n")
PARTS = {".py": r'"""(.*?)"""|#\s*(.{20,200})', ".ts": r"/\*\*(.*?)\*/", ".md": "(.+)", ".rst": "(.+)", ".txt": "(.+)"}
FILES, SENTENCES, SPANS, LONGEST = 50_000, 320_000, 300_000, 60_000
# How people begin a question or an order to an assistant, before words of its subject.
OPENINGS = tuple(
    " ".join(each.split())
    for each in """what is the | what are the | what's our | what do we do about | what happens with
    | what did we decide about | which | which of the
    | where is | where do | where does the | when do we | when does the | when was | who
    | who owns | why | why do we | why did the | why is the | how do I | how do we | how does | how is | how are
    | how many | how long | how often | how should I | can I | can we | can you | could you | may I | is it | is
    there | do we | do I have to | does the | did we | should I | should the | shall I | was | remind me | tell
    me | we need | please | add | add a | write a | fix | fix the | change | remove the | look into | update the
    | create a | the test fails with | there is an error: | do you know""".split("|")
)


def texts(folders: Sequence[Path]) -> list[str]:
    """Return sentences, spans and questions, in no order."""
    chance = random.Random(0)
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in PARTS)
    chance.shuffle(files)
    found = {each for path in files[:FILES] for each in sentences(path)}
    kept = chance.sample(sorted(found), min(SENTENCES, len(found)))
    ours = sorted(set(messages()))
    spans = [span(chance.choice(rows), chance) for rows in (kept, ours) for _ in range(SPANS // 2)]
    asked = [
        f"{chance.choice(OPENINGS)} {each}{chance.choice(('?', '?', ''))}" if chance.random() < 0.75 else each
        for each in spans
    ]
    return [*kept, *ours, *asked]


def sentences(path: Path) -> Iterator[str]:
    """Yield the sentences of prose in a file."""
    text = path.read_text(encoding="utf-8", errors="ignore")[:LONGEST]
    for groups in re.findall(PARTS[path.suffix], text, re.DOTALL):
        for part in SENTENCE.split(re.sub(r"\n\s*\*", " ", "".join(groups))):
            line = " ".join(part.split()).strip("#*-> \"'`")
            prose = sum(each.isalpha() or each == " " for each in line) > 0.8 * len(line)
            if 3 <= len(line.split()) <= 45 and len(line) < 300 and prose and line.isascii():
                yield line


def messages() -> Iterator[str]:
    """Yield what people write to assistants, and notes, from the training data of other models."""
    written = ("statements_written/*.txt", "changes/train*.txt", "prompts/train-*.txt")
    for path in sorted(path for each in written for path in HERE.glob(each)):
        for line in re.sub(r"\{\w+\|\s*|\}", "", path.read_text(encoding="utf-8")).splitlines():
            yield from (part[:300] for part in line.strip().split(" | ") if len(part.split()) > 2)


def span(text: str, chance: random.Random) -> str:
    """Return some words of a text that stand together."""
    words, count = text.split(), chance.randint(2, 9)
    first = chance.randint(0, max(0, len(words) - count))
    return " ".join(words[first : first + count]).strip(".,:;")


# --- training ---

EPOCHS, RATE, BATCH, HIDDEN, MAX_TOKENS = 12, 3e-3, 2_048, 128, 128
SHARPNESS, DISTANCE, ORDER = 0.05, 3.0, 0.3
UNSEEN = 50


def train(rows: Sequence[str], hidden: int = HIDDEN) -> list[Any]:
    """Return the rows of tokens, the matrix and the constant; prints the cosine on every 50th text, left out."""
    import torch
    from tokenizers import Tokenizer
    from torch.nn import Parameter, functional

    from classifier_network import Network, tensors

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    tokenizer = Tokenizer.from_file(str(VOCABULARY))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    ids = [each.ids for each in tokenizer.encode_batch(list(rows))]
    net = Network(tensors(MODEL)).cuda().eval()
    target = _embedded(net, ids)
    mean = target.mean(0)
    seen = np.bincount(np.concatenate(ids), minlength=len(net.word))
    rarity = torch.tensor(np.log(1 + len(ids) / (seen + 1)), dtype=torch.float32).cuda()
    alone = _embedded(net, [[101, token, 102] for token in range(len(net.word))]) - mean
    left, sizes, right = torch.linalg.svd(alone * (rarity / rarity.mean())[:, None], full_matrices=False)
    table, matrix, constant = Parameter(left[:, :hidden] * sizes[:hidden]), Parameter(right[:hidden].clone()), mean * 3
    parts = [table, matrix, Parameter(constant)]

    def made(places: Any) -> Any:
        bare = [ids[place][1:-1] or [100] for place in places]
        starts = torch.tensor(np.cumsum([0, *map(len, bare[:-1])])).cuda()
        total = functional.embedding_bag(torch.tensor(np.concatenate(bare)).cuda(), parts[0], starts, mode="sum")
        return functional.normalize(total @ parts[1] + parts[2], dim=1)

    known, unseen = np.arange(len(ids))[np.arange(len(ids)) % UNSEEN > 0], np.arange(0, len(ids), UNSEEN)
    optimizer = torch.optim.Adam(parts, lr=RATE)
    steps = EPOCHS * (len(known) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / steps))
    for epoch in range(EPOCHS):
        for places in np.array_split(rng.permutation(known)[: len(known) // BATCH * BATCH], len(known) // BATCH):
            found, wanted = made(places), target[torch.tensor(places).cuda()]
            logits, right_ones = (functional.log_softmax(each @ wanted.T / SHARPNESS, 1) for each in (found, wanted))
            order = functional.kl_div(logits, right_ones, log_target=True, reduction="batchmean")
            loss = DISTANCE * (1 - (found * wanted).sum(1)).mean() + ORDER * order
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            cosine = (made(unseen) * target[torch.tensor(unseen).cuda()]).sum(1).mean().item()
        print(f"epoch {epoch + 1}: cosine {cosine:.4f} on unseen texts", flush=True)
    return [each.detach().cpu().numpy().astype(np.float16) for each in parts]


def _embedded(net: Any, ids: Sequence[Sequence[int]]) -> Any:
    """Return the vectors of the embedding model."""
    import torch
    from torch.nn import functional

    vectors = torch.zeros(len(ids), net.word.shape[1], device="cuda")
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    for places in (order[at : at + BATCH] for at in range(0, len(order), BATCH)):
        sizes = np.array([len(ids[place]) for place in places])
        filled = np.arange(width := sizes.max()) < sizes[:, None]
        padded = np.zeros(filled.shape, dtype=np.int64)
        padded[filled] = np.concatenate([ids[place] for place in places])
        tokens, mask = torch.from_numpy(padded).cuda(), torch.from_numpy(filled).cuda()
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            rows = net.norm(net.word[tokens] + net.kind[torch.zeros_like(tokens)] + net.position[:width])
            for layer in net.layers:
                rows = layer(rows, mask)
        share = mask[:, :, None].float()
        vectors[torch.tensor(places).cuda()] = functional.normalize((rows.float() * share).sum(1) / share.sum(1), dim=1)
    return vectors


# --- the file ---


def write(table: Any, matrix: Any, constant: Any) -> bytes:
    """Return the file of the package, without special tokens and scripts other than Latin."""
    vocabulary: dict[str, int] = json.loads(VOCABULARY.read_text(encoding="utf-8"))["model"]["vocab"]
    numbers = {crc32(token.encode()): number for token, number in vocabulary.items() if _may_occur(token)}
    assert len(numbers) == sum(map(_may_occur, vocabulary)), "two tokens have one CRC-32"
    rows = [*(table[numbers[crc]] for crc in sorted(numbers)), *matrix, constant]
    return struct.pack(f"<{1 + len(numbers)}I", len(numbers), *sorted(numbers)) + b"".join(map(_row, rows))


def _may_occur(token: str) -> bool:
    is_special = len(token) > 2 and token[0] == "[" and token[-1] == "]"
    return not is_special and all(ord(sign) < 0x250 or 0x2010 <= ord(sign) < 0x2300 for sign in token)


def _row(values: Any) -> bytes:
    """Return numbers as a scale and bytes with 128 added."""
    values = values.astype(np.float32)
    scale = max(float(np.abs(values).max()) / 127, 1e-9)
    return struct.pack("<f", scale) + (np.round(values / scale) + 128).astype(np.uint8).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("texts", "train", "write"))
    parser.add_argument("file", type=Path)
    parser.add_argument("more", type=Path, nargs="*")
    chosen = parser.parse_args()
    if chosen.part == "texts":
        chosen.file.write_bytes(gzip.compress(json.dumps(texts(chosen.more)).encode()))
    elif chosen.part == "train":
        found = train(json.loads(gzip.decompress(chosen.file.read_bytes())))
        np.savez(chosen.more[0], *found)
    else:
        with np.load(chosen.file) as arrays:
            TABLE.write_bytes(write(*(arrays[name] for name in arrays.files)))


if __name__ == "__main__":
    main()
