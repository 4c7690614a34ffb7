//! Tantivy, asked as bench/search_ten.mjs asks:
//!
//!   peer ANALYSIS INDEX fill PASSAGES     PASSAGES: a file with one a line
//!   peer ANALYSIS INDEX                   answers; see there
//!
//! ANALYSIS is `strict`: words between spaces, and questions of weights and words; or `own`: English
//! text. The index is one segment, without positions.
use std::fs::{create_dir_all, read_to_string, File};
use std::io::{stdin, stdout, BufRead, BufReader, Write};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions, FAST};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{doc, Index, IndexWriter, Term};

const MEMORY: usize = 1 << 30;

fn processor_ns() -> i64 {
    let mut at = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut at) };
    at.tv_sec * 1_000_000_000 + at.tv_nsec
}

fn fill(index: &Index, passages: &str) -> tantivy::Result<()> {
    let (text, id) = (index.schema().get_field("text")?, index.schema().get_field("id")?);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, MEMORY)?;
    for (number, line) in BufReader::new(File::open(passages)?).lines().enumerate() {
        writer.add_document(doc!(text => line?, id => number as u64))?;
    }
    writer.commit()?;
    let segments = index.searchable_segment_ids()?;
    if segments.len() > 1 {
        writer.merge(&segments).wait()?;
    }
    writer.wait_merging_threads()
}

fn word(field: Field, text: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::WithFreqs))
}

fn weighted(field: Field, line: &str) -> BooleanQuery {
    let parts: Vec<&str> = line.split(' ').collect();
    let any = parts.chunks_exact(2).map(|pair| {
        let weight: f32 = pair[0].parse().unwrap_or(1.0);
        let plain = word(field, pair[1]);
        (Occur::Should, if weight == 1.0 { plain } else { Box::new(BoostQuery::new(plain, weight)) })
    });
    BooleanQuery::new(any.collect())
}

fn analysed(field: Field, analyzer: &mut TextAnalyzer, line: &str) -> BooleanQuery {
    let mut any = Vec::new();
    analyzer.token_stream(line).process(&mut |token| any.push((Occur::Should, word(field, &token.text))));
    BooleanQuery::new(any)
}

fn serve(index: &Index, own: bool) -> tantivy::Result<()> {
    let text = index.schema().get_field("text")?;
    let searcher = index.reader()?.searcher();
    let ids = searcher.segment_reader(0).fast_fields().u64("id")?;
    let mut analyzer = index.tokenizer_for_field(text)?;
    for file in stdin().lock().lines() {
        let mut answers = String::new();
        for line in read_to_string(file?)?.lines() {
            let start = processor_ns();
            let query = if own { analysed(text, &mut analyzer, line) } else { weighted(text, line) };
            let top = searcher.search(&query, &TopDocs::with_limit(10).order_by_score())?;
            answers += &(processor_ns() - start).to_string();
            for (_, hit) in top {
                answers += &format!(" {}", ids.first(hit.doc_id).unwrap_or(0));
            }
            answers.push('\n');
        }
        stdout().write_all((answers + "\n").as_bytes())?;
        stdout().flush()?;
    }
    Ok(())
}

fn main() -> tantivy::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let own = args[1] == "own";
    if args.len() == 5 {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(if own { "en_stem" } else { "whitespace" })
            .set_index_option(IndexRecordOption::WithFreqs);
        schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        schema.add_u64_field("id", FAST);
        create_dir_all(&args[2])?;
        fill(&Index::create_in_dir(&args[2], schema.build())?, &args[4])
    } else {
        serve(&Index::open_in_dir(&args[2])?, own)
    }
}
