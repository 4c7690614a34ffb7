"""The network in floats, by numpy: what src/encode computes in 8 bits. Needs numpy and scipy."""
import math
import numpy as np
from scipy.special import erf

HEADS, EPS = 12, 1e-12


def norm(x, weight, bias):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + EPS) * weight + bias


class Network:
    def __init__(self, weights, table):
        self.weights, self.table, self.largest = weights, table, {}
        self.layers = len([name for name in weights if name.endswith(".aln.weight")])

    def watched(self, name, x):
        """Keeps the largest value of each column that has been seen."""
        self.largest[name] = np.maximum(np.abs(x).max(0), self.largest.get(name, 0))
        return x

    def times(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, name, x):
        return norm(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def attention(self, layer, x):
        self.watched(f"{layer}.q", x)
        query, key, value = (self.times(f"{layer}.{name}", x).reshape(len(x), HEADS, -1).transpose(1, 0, 2) for name in "qkv")
        likeness = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        likeness = np.exp(likeness - likeness.max(-1, keepdims=True))
        seen = likeness / likeness.sum(-1, keepdims=True) @ value
        return self.times(f"{layer}.ao", seen.transpose(1, 0, 2).reshape(x.shape))

    def vector(self, pieces):
        x = self.table[pieces] + self.weights["pos.weight"][: len(pieces)] + self.weights["seg.weight"][0]
        x = self.norm("eln", x)
        for layer in (f"layers.{number}" for number in range(self.layers)):
            x = self.norm(layer + ".aln", x + self.attention(layer, x))
            inner = self.times(layer + ".fi", self.watched(layer + ".fi", x))
            inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
            x = self.norm(layer + ".oln", x + self.times(layer + ".fo", inner))
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)
