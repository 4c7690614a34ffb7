"""
The peer of bench/search: Xapian, through Debian's Python binding (the work is done in C++).

  python3 xapian_peer.py fill FOLDER DOCS FIRST END      a database of passages FIRST to END - 1
  python3 xapian_peer.py join FOLDER PART...             one compact database of several
  python3 xapian_peer.py search FOLDER QUERIES ROUNDS    the ten best of each question

Terms are English stems alone, without positions; a question is any of its words but function words
(the list of Xapian's own omega). BM25 with k1 1.2 and b .75, as ours.
"""
import json
import os
import sys
import time

import xapian

STOP = """a about an and are as at be by en for from how i in is it of on or that the this to was
  what when where which who why will with""".split()


def fill(folder, docs, first, end):
    db = xapian.WritableDatabase(folder, xapian.DB_CREATE_OR_OVERWRITE)
    generator = xapian.TermGenerator()
    generator.set_stemmer(xapian.Stem("english"))
    generator.set_stemming_strategy(xapian.TermGenerator.STEM_ALL)
    before, size = time.process_time(), 0
    with open(docs, encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number >= end:
                break
            if number < first:
                continue
            text = json.loads(line)["text"]
            size += len(text)
            document = xapian.Document()
            generator.set_document(document)
            generator.index_text_without_positions(text)
            db.add_document(document)
    db.commit()
    db.close()
    print(f"fill: {time.process_time() - before:.1f} s of processor time, {size / 1e6:.0f} MB")


def join(folder, parts):
    db = xapian.Database()
    for part in parts:
        db.add_database(xapian.Database(part))
    db.compact(folder)


def search(folder, queries, rounds):
    db = xapian.Database(folder)
    parser = xapian.QueryParser()
    parser.set_database(db)
    parser.set_stemmer(xapian.Stem("english"))
    parser.set_stemming_strategy(xapian.QueryParser.STEM_ALL)
    parser.set_default_op(xapian.Query.OP_OR)
    stopper = xapian.SimpleStopper()
    for word in STOP:
        stopper.add(word)
    parser.set_stopper(stopper)
    with open(queries, encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines if line.strip()]
    wall, processor, hits = [], [], 0
    for warm, text in [(True, text) for text in texts[:20]] + [(False, text) for text in texts]:
        walls, processors = [], []
        for _ in range(1 if warm else rounds):
            start, before = time.perf_counter_ns(), time.process_time_ns()
            enquire = xapian.Enquire(db)
            enquire.set_weighting_scheme(xapian.BM25Weight(1.2, 0, 1, 0.75, 0.5))
            enquire.set_query(parser.parse_query(text))
            found = [match.docid for match in enquire.get_mset(0, 10)]
            walls.append(time.perf_counter_ns() - start)
            processors.append(time.process_time_ns() - before)
        if not warm:
            hits += len(found)
            wall.append(sorted(walls)[rounds // 2] / 1e3)
            processor.append(sorted(processors)[rounds // 2] / 1e3)
    assert hits, "no question found anything"
    for clock, times in (("wall", wall), ("processor", processor)):
        times.sort()
        p50, p95, p99 = (round(times[int(len(times) * share)]) for share in (0.5, 0.95, 0.99))
        print(f"best 10 {clock} p50 {p50}  p95 {p95}  p99 {p99} us")


mode, folder, *rest = sys.argv[1:]
if mode == "fill":
    fill(folder, rest[0], int(rest[1]), int(rest[2]))
elif mode == "join":
    join(folder, rest)
else:
    search(folder, rest[0], int(rest[1]))
