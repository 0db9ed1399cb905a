"""Decoder-only language models as GPT-2 and GPT-3 describe them, with random weights: attention and a
network of four times the width in each layer, the embedding shared with the output.  step_time.py
trains them.  https://arxiv.org/abs/2005.14165, table 2.1, has layers, widths and heads.
"""
import torch
from torch import nn
from torch.nn import functional

VOCABULARY = 50304  # GPT-2's 50,257 tokens, rounded up to a multiple of 128

# Name: layers, width, heads (16 for 1.3b: its width is 16 times 128). The first is for rehearsals.
SIZES = {"gpt-tiny": (2, 64, 2), "gpt-125m": (12, 768, 12), "gpt-350m": (24, 1024, 16),
         "gpt-1.3b": (24, 2048, 16), "gpt-2.7b": (32, 2560, 32)}


def attention(queries, keys, values):
    """Of each token to itself and to those before it."""
    if hasattr(functional, "scaled_dot_product_attention"):  # PyTorch 2.0 and later
        return functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
    tokens = queries.shape[-2]
    later = torch.ones(tokens, tokens, dtype=torch.bool, device=queries.device).triu(1)
    scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    return scores.masked_fill(later, float("-inf")).softmax(-1) @ values


class Layer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.inwards, self.outwards = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"),
                                     nn.Linear(4 * width, width))

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.inwards(self.norms[0](x)).view(batch, tokens, 3, self.heads, width // self.heads)
        attended = attention(*parts.permute(2, 0, 3, 1, 4))
        x = x + self.outwards(attended.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.network(self.norms[1](x))


class Decoder(nn.Module):
    """Tokens of shape (batch, tokens) to the logits of what comes next."""

    def __init__(self, name, tokens):
        super().__init__()
        layers, width, heads = SIZES[name]
        self.words, self.places = nn.Embedding(VOCABULARY, width), nn.Embedding(tokens, width)
        self.layers = nn.Sequential(*(Layer(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.apply(self.small)

    @staticmethod
    def small(module):
        """Weights as small as GPT-2's: logits of numbers that training has."""
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)

    def forward(self, words):
        places = torch.arange(words.shape[1], device=words.device)
        made = self.norm(self.layers(self.words(words) + self.places(places)))
        return functional.linear(made, self.words.weight)
