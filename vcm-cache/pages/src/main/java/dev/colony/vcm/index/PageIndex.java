package dev.colony.vcm.index;

import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.settings.IndexSettings;
import dev.colony.vcm.work.Parallel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CombinedFieldQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.ByteBuffersDirectory;

/**
 * A lexical index over pages, in memory (about a tenth of the text's size). Thread-safe and
 * immutable; a search takes a few milliseconds.
 */
public final class PageIndex implements AutoCloseable {

  // Tuned together on questions over two code bases; the exact values matter little.
  private static final float BODY_WEIGHT = 1;
  private static final float DIRECTORY_WEIGHT = 1;
  private static final float DECLARED_WEIGHT = 4;
  private static final float FILE_WEIGHT = 16;

  /** What a page's next best passage adds, as a share of what the one before it added. */
  private static final double NEXT_PASSAGE = 0.3;

  /** Passages looked at per page asked for: pages whose passages all rank below are not found. */
  private static final int PASSAGES_PER_HIT = 32;

  private final CodeAnalyzer analyzer;
  private final DirectoryReader reader;
  private final IndexSearcher searcher;

  private PageIndex(CodeAnalyzer analyzer, DirectoryReader reader) {
    this.analyzer = analyzer;
    this.reader = reader;
    this.searcher = new IndexSearcher(reader);
  }

  /** Indexes the pages with a bounded number of threads; blocks, about 0.1 s per MB and core. */
  public static PageIndex of(
      Collection<VirtualContextPage> pages, int threads, IndexSettings settings) {
    CodeAnalyzer analyzer = new CodeAnalyzer();
    Passages passages = new Passages(settings.passageLines());
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    IndexWriterConfig config =
        new IndexWriterConfig(analyzer).setUseCompoundFile(false).setRAMBufferSizeMB(64);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      Parallel.map(
          threads,
          List.copyOf(pages),
          page -> {
            try {
              return writer.addDocuments(passages.of(page));
            } catch (IOException inMemory) {
              throw new UncheckedIOException(inMemory);
            }
          });
      writer.commit();
      return new PageIndex(analyzer, DirectoryReader.open(directory));
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  /**
   * The pages that fit a question best, best first; equal scores are ordered by id. Empty means
   * that no page has any of its words. Not to be called after {@link #close}.
   */
  public List<PageHit> search(String question, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is " + limit + ", must be 1 or more");
    }
    List<String> words = analyzer.words(question);
    Map<PageId, Score> scores = new HashMap<>();
    try {
      StoredFields stored = searcher.storedFields();
      int passages = Math.min(Math.max(1, reader.maxDoc()), PASSAGES_PER_HIT * limit);
      for (ScoreDoc hit : searcher.search(query(words), passages).scoreDocs) {
        PageId page = new PageId(stored.document(hit.doc).get(Passages.PAGE));
        scores.computeIfAbsent(page, key -> new Score()).add(hit.score);
      }
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
    return scores.entrySet().stream()
        .map(entry -> new PageHit(entry.getKey(), entry.getValue().sum))
        .sorted(Comparator.comparingDouble(PageHit::score).reversed().thenComparing(PageHit::page))
        .limit(limit)
        .toList();
  }

  @Override
  public void close() {
    try {
      reader.close();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  private static Query query(List<String> words) {
    BooleanQuery.Builder query = new BooleanQuery.Builder();
    // A pasted text has more words than a query may have clauses.
    words.stream()
        .limit(IndexSearcher.getMaxClauseCount())
        .forEach(word -> query.add(anywhere(word), BooleanClause.Occur.SHOULD));
    return query.build();
  }

  private static Query anywhere(String word) {
    return new CombinedFieldQuery.Builder(word)
        .addField(Passages.BODY, BODY_WEIGHT)
        .addField(Passages.DECLARED, DECLARED_WEIGHT)
        .addField(Passages.FILE, FILE_WEIGHT)
        .addField(Passages.DIRECTORY, DIRECTORY_WEIGHT)
        .build();
  }

  /** A page's score: its best passage counts in full, each further one less. */
  private static final class Score {
    private double sum;
    private double share = 1;

    void add(double score) {
      sum += share * score;
      share *= NEXT_PASSAGE;
    }
  }
}
