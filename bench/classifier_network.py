"""The network that `train_classifier.py` trains: the shipped embedding model, with corrections, in torch."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from train_classifier import ANSWERS, MATRICES, SCALE

DROPOUT = 0.1
LAYERS, SIZE, HEADS, EPSILON = 6, 384, 12, 1e-12

Weights = dict[str, Any]


def tensors(model: Path) -> Weights:
    """Return the weights of the shipped model as numbers."""
    stored = {each.name: onnx.numpy_helper.to_array(each) for each in onnx.load(model).graph.initializer}
    found = {}
    for name, values in stored.items():
        base, is_quantized = re.subn("_quantized$", "", name)
        if is_quantized:
            zero = stored[f"{base}_zero_point"].astype(np.float32)
            found[base] = (values.astype(np.float32) - zero) * stored[f"{base}_scale"]
        elif not name.endswith(("_scale", "_zero_point")):
            found[name] = values
    return found


def _fixed(values: Any) -> nn.Parameter:
    return nn.Parameter(torch.tensor(values), requires_grad=False)


class Corrected(nn.Module):
    """A matrix of the model, to which the product of two small ones is added; only these are trained."""

    def __init__(self, weights: Weights, name: str, rank: int) -> None:
        super().__init__()
        self.weight = _fixed(weights[f"model.{name}.MatMul.weight"])
        self.bias = _fixed(weights[f"model.{name}.Add.bias"])
        inner, outer = self.weight.shape
        self.a = nn.Parameter(torch.randn(inner, rank) / inner**0.5)
        self.b = nn.Parameter(torch.zeros(rank, outer))

    def forward(self, rows: Tensor) -> Tensor:
        return rows @ self.weight + self.bias + SCALE * ((rows @ self.a) @ self.b)


class Norm(nn.Module):
    """A normalisation of the model."""

    def __init__(self, weights: Weights, name: str) -> None:
        super().__init__()
        self.weight, self.bias = _fixed(weights[f"{name}.weight"]), _fixed(weights[f"{name}.bias"])

    def forward(self, rows: Tensor) -> Tensor:
        return functional.layer_norm(rows, (SIZE,), self.weight, self.bias, EPSILON)


class Layer(nn.Module):
    """Attention, then two matrices."""

    def __init__(self, weights: Weights, place: int, rank: int) -> None:
        super().__init__()
        names = (f"layers.{place}.{each.replace('/', '.')}" for each in MATRICES)
        self.q, self.k, self.v, self.o, self.up, self.down = (Corrected(weights, name, rank) for name in names)
        self.after_attention = Norm(weights, f"model.layers.{place}.attention_output_norm_layernorm")
        self.after_all = Norm(weights, f"model.layers.{place}.mlp_output_norm_layernorm")
        self.drop = nn.Dropout(DROPOUT)

    def forward(self, rows: Tensor, mask: Tensor) -> Tensor:
        texts, tokens, _ = rows.shape
        query, key, value = (
            each(rows).view(texts, tokens, HEADS, -1).transpose(1, 2) for each in (self.q, self.k, self.v)
        )
        share = DROPOUT if self.training else 0.0
        seen = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask[:, None, None, :], dropout_p=share
        )
        joined = seen.transpose(1, 2).reshape(texts, tokens, SIZE)
        rows = self.after_attention(rows + self.drop(self.o(joined)))
        return self.after_all(rows + self.drop(self.down(functional.gelu(self.up(rows)))))


class Network(nn.Module):
    """The whole model, with one more layer for the answers over the mean and the first of its tokens.

    rank: the columns of the corrections; 0: the model as it is
    """

    def __init__(self, weights: Weights, rank: int = 0) -> None:
        super().__init__()
        names = (f".model.embeddings.{each}_embeddings.weight" for each in ("word", "token_type", "position"))
        self.word, self.kind, self.position = (_fixed(weights[name]) for name in names)
        self.norm = Norm(weights, "model.layers.-1.embeddings_norm_layernorm")
        self.layers = nn.ModuleList(Layer(weights, place, rank) for place in range(LAYERS))
        self.drop, self.head = nn.Dropout(DROPOUT), nn.Linear(2 * SIZE, ANSWERS)

    def forward(self, tokens: Tensor, kinds: Tensor, mask: Tensor) -> Tensor:
        rows = self.norm(self.word[tokens] + self.kind[kinds] + self.position[: tokens.shape[1]])
        for layer in self.layers:
            rows = layer(rows, mask)
        count = mask[:, :, None].to(rows.dtype)
        mean = (rows * count).sum(1) / count.sum(1)
        return self.head(self.drop(torch.cat((mean, rows[:, 0]), 1)))
