"""
What src/encode computes, by other programs: pieces by SentencePiece, the network in floats by numpy. It reads
the weights as the service's file has them, so that what differs is the computing alone. Needs numpy, scipy,
sentencepiece and xxhash; train.py has the verb.

OUT has, for each of TEXTS (a JSON object a line: kind and text), all little-endian: u32 how many pieces, u32
each, and the vector in signed bytes, its largest 127.
"""
import io, json, struct
import numpy as np
import sentencepiece
from sentencepiece import sentencepiece_model_pb2

import pack
from network import Network

PREFIXES = dict(question="query: ", passage="passage: ")
NORMAL, CONTROL, UNKNOWN = 1, 3, 2  # kinds of pieces


def normal_form():
    """SentencePiece's own table of nmt_nfkc, out of a model that is made for nothing else."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a b c"] * 9), model_writer=made, vocab_size=8, hard_vocab_limit=False,
                                             normalization_rule_name="nmt_nfkc", minloglevel=2)
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(made.getvalue())
    return model


def piece_reader(package):
    """The published pieces, by the numbers that the file gives them."""
    pieces, scores, _, _ = package
    model = normal_form()
    del model.pieces[:]
    for row in pack.trie_sections(pieces)[1]:
        kind = UNKNOWN if pieces[row] == "<unk>" else CONTROL if pieces[row] in pack.SPECIAL else NORMAL
        model.pieces.add(piece=pieces[row], score=float(scores[row]), type=kind)
    return sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())


def golden(path, package, layers, texts, out):
    sections, reader = pack.read_sections(path), piece_reader(package)
    network = Network(pack.weights_of(sections), pack.table_of(sections))
    published = pack.blocks_of_4_bits(package[3]["emb.word"]).reshape(-1, pack.WIDTH)[pack.trie_sections(package[0])[1]]
    finer = Network(pack.in_floats(layers), published)
    cosines = []
    with open(texts) as lines, open(out, "wb") as file:
        for row in map(json.loads, lines):
            pieces = [0] + reader.encode(PREFIXES[row["kind"]] + row["text"])[: pack.POSITIONS - 2] + [1]
            vector = network.vector(pieces)
            cosines.append(float(vector @ finer.vector(pieces)))
            file.write(struct.pack(f"<{len(pieces) + 1}I", len(pieces), *pieces))
            file.write(np.rint(vector * (127 / np.abs(vector).max())).astype(np.int8).tobytes())
    print(f"{len(cosines)} texts; cosines with the tuned layers and all pieces in 4 bits: mean {np.mean(cosines):.5f}, "
          f"least {min(cosines):.4f}, of the worst tenth {np.quantile(cosines, .1):.4f}")
