/*
 * Lucene, asked as bench/search_ten.mjs asks:
 *
 *   Lucene ANALYSIS INDEX fill PASSAGES     PASSAGES: a file with one a line
 *   Lucene ANALYSIS INDEX                   answers; see there
 *
 * ANALYSIS is `strict`: words between spaces, and questions of weights and words; or `own`: English
 * text. The index is one segment, without positions, in the order of the passages.
 */
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.*;
import org.apache.lucene.index.*;
import org.apache.lucene.search.*;
import org.apache.lucene.store.*;
import org.apache.lucene.util.QueryBuilder;

public final class Lucene {
  static final String FIELD = "text";

  static void fill(Analyzer analyzer, Directory directory, Path passages) throws IOException {
    FieldType type = new FieldType();
    type.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    type.freeze();
    var config = new IndexWriterConfig(analyzer).setRAMBufferSizeMB(512).setMergePolicy(new LogDocMergePolicy());
    try (var writer = new IndexWriter(directory, config); var lines = Files.newBufferedReader(passages)) {
      for (String line; (line = lines.readLine()) != null;) {
        Document document = new Document();
        document.add(new Field(FIELD, line, type));
        writer.addDocument(document);
      }
      writer.forceMerge(1);
    }
  }

  static Query weighted(String line) {
    var all = new BooleanQuery.Builder();
    String[] parts = line.split(" ");
    for (int i = 0; i + 1 < parts.length; i += 2) {
      Query word = new TermQuery(new Term(FIELD, parts[i + 1]));
      float weight = Float.parseFloat(parts[i]);
      all.add(weight == 1 ? word : new BoostQuery(word, weight), BooleanClause.Occur.SHOULD);
    }
    return all.build();
  }

  static void serve(Analyzer analyzer, boolean own, Directory directory) throws IOException {
    var searcher = new IndexSearcher(DirectoryReader.open(directory));
    var clock = ManagementFactory.getThreadMXBean();
    var builder = new QueryBuilder(analyzer);
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);

    searcher.setQueryCache(null);
    for (String file; (file = in.readLine()) != null;) {
      for (String line : Files.readAllLines(Path.of(file))) {
        long start = clock.getCurrentThreadCpuTime();
        Query query = own ? builder.createBooleanQuery(FIELD, line) : weighted(line);
        // The ten best without a count of the others, which is its fastest way.
        TopDocs top = searcher.search(query, new TopScoreDocCollectorManager(10, 10));
        long taken = clock.getCurrentThreadCpuTime() - start;
        var answer = new StringBuilder(Long.toString(taken));
        for (ScoreDoc hit : top.scoreDocs) answer.append(' ').append(hit.doc);
        out.println(answer);
      }
      out.println();
      out.flush();
    }
  }

  public static void main(String[] args) throws IOException {
    boolean own = args[0].equals("own");
    Analyzer analyzer = own ? new EnglishAnalyzer() : new WhitespaceAnalyzer();
    try (var directory = new MMapDirectory(Path.of(args[1]))) {
      if (args.length == 4) fill(analyzer, directory, Path.of(args[3]));
      else serve(analyzer, own, directory);
    }
  }
}
