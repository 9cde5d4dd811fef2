package dev.colony.vcm.mapping;

import dev.colony.blackboard.OptionalJar;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.PageIndex.PassageHit;
import dev.colony.vcm.mapping.PassageRanker.RankFusion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.lucene.index.IndexReader;

/**
 * A lexical index over pages, in memory (about half of the text's size). Thread-safe and immutable;
 * a search takes a few milliseconds. What indexes have in common they share.
 */
public final class PageIndex {

  /** What a page's next best passage adds, as a share of what the one before it added. */
  private static final double NEXT_PASSAGE = 0.3;

  /** The words of a question that count: a pasted text has more than a question. */
  private static final int MOST_WORDS = 256;

  /** The words of a question that may be the parts of identifiers. */
  private static final int MOST_JOINED_WORDS = 64;

  /** Files whose declarations are ranked. */
  private static final int FILES = 40;

  /** The lines of a passage with which most questions find their pages. */
  public static final int PASSAGE_LINES = 60;

  /** What indexes and searches. */
  public static final OptionalJar JAR =
      new OptionalJar(
          "org.apache.lucene:lucene-analysis-common",
          "org.apache.lucene.analysis.en.PorterStemFilter");

  // Not made before it is used: a program without the jar maps nothing.
  private static final class Shared {
    static volatile IndexParts parts = new IndexParts(Optional.empty());
  }

  private final IndexedPassages indexed;
  private final PassageRanker ranker;

  private PageIndex(IndexReader reader) throws IOException {
    this.indexed = new IndexedPassages(reader);
    this.ranker = new PassageRanker(indexed);
  }

  /**
   * Indexes the pages with a bounded number of threads, but for those that another living index
   * has, or that are {@linkplain #keep kept}; blocks, about 0.1 s per MB and core that is new.
   *
   * @param passageLines lines of a passage: more of them find what is spread over a file, and miss
   *     what stands in a few lines
   */
  public static PageIndex of(Collection<VirtualContextPage> pages, int threads, int passageLines) {
    try {
      return new PageIndex(Shared.parts.of(pages, threads, passageLines));
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  /**
   * Has this process keep what it indexes from here on in a folder, and take from there what it or
   * another one has kept: of the pages that were asked about last, up to about half a GB.
   *
   * @param folder only the operator who maps a source may read what is in it; made where it is
   *     missing
   */
  public static void keep(Path folder) {
    Shared.parts = new IndexParts(Optional.of(folder));
  }

  /**
   * The pages that fit a question best, best first, each with its passages that have a word of the
   * question; equal scores are ordered by id. Empty means that no page has any of its words.
   */
  public List<PageHit> search(String question, int limit) {
    return search(List.of(question), limit);
  }

  /**
   * The same of several queries, whose rankings are fused: a passage that one of them has on top
   * comes before one that all have in the middle.
   *
   * @param queries at least one; those without a word that is indexed count for nothing
   */
  public List<PageHit> search(List<String> queries, int limit) {
    double[] scores = fused(queries, limit);
    Map<PageId, List<PassageHit>> byPage = new LinkedHashMap<>();
    for (int at : RankFusion.ranked(scores, indexed.passagesByPlace())) {
      PassageCounts.Passage passage = indexed.passages().get(at);
      byPage
          .computeIfAbsent(indexed.page(at), page -> new ArrayList<>())
          .add(
              new PassageHit(
                  indexed.files().get(passage.file()).path(),
                  passage.firstLine(),
                  passage.lastLine(),
                  scores[at],
                  indexed.page(at),
                  "",
                  "",
                  ""));
    }
    return byPage.entrySet().stream()
        .map(entry -> new PageHit(entry.getKey(), together(entry.getValue()), entry.getValue()))
        .sorted(Comparator.comparingDouble(PageHit::score).reversed().thenComparing(PageHit::page))
        .limit(limit)
        .toList();
  }

  /**
   * What the files that fit a question best declare, of whichever pages, best first; what the
   * question names comes before all else. Empty means that none has any of its words.
   *
   * @param queries at least one, fused as {@link #search(List, int)} does
   */
  public List<PassageHit> passages(List<String> queries, int limit) {
    double[] scores = fused(queries, limit);
    try {
      Map<String, Double> rarities = new LinkedHashMap<>();
      for (String query : queries) {
        for (String stem : stems(query)) {
          rarities.put(stem, indexed.rarity(Passages.BODY, stem));
        }
      }
      return new DeclarationRanker(queries, rarities, Meaning.found())
          .rank(bestFiles(scores)).stream().limit(limit).map(this::hit).toList();
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  /** What is declared, as far as it is on the page of the line that declares it. */
  private PassageHit hit(DeclarationRanker.Ranked<List<Integer>> one) {
    Declarations.Declaration declared = one.declaration();
    int start = place(one.part().getFirst()).firstLine();
    int at = start + declared.at();
    int its =
        one.part().stream().filter(part -> place(part).lastLine() >= at).findFirst().orElseThrow();
    List<Integer> page =
        one.part().stream().filter(part -> indexed.page(part).equals(indexed.page(its))).toList();
    return new PassageHit(
        one.path(),
        Math.max(start + declared.first(), place(page.getFirst()).firstLine()),
        Math.min(start + declared.last(), place(page.getLast()).lastLine()),
        one.score(),
        indexed.page(its),
        declared.symbol(),
        declared.signature(),
        declared.summary());
  }

  private PassageCounts.Passage place(int passage) {
    return indexed.passages().get(passage);
  }

  /** The lines of the best files, those together that stand so in the file. */
  private List<DeclarationRanker.Text<List<Integer>>> bestFiles(double[] scores)
      throws IOException {
    Map<Integer, Double> best = indexed.bestFiles(scores, FILES);
    List<Integer> all =
        IntStream.range(0, indexed.passages().size())
            .boxed()
            .filter(at -> best.containsKey(place(at).file()))
            .sorted(indexed.passagesByPlace())
            .toList();
    List<DeclarationRanker.Text<List<Integer>>> texts = new ArrayList<>();
    for (int from = 0, to; from < all.size(); from = to) {
      PassageCounts.Passage first = place(all.get(from));
      List<String> lines = new ArrayList<>(indexed.lines(all.get(from)));
      for (to = from + 1; to < all.size(); to++) {
        PassageCounts.Passage next = place(all.get(to));
        if (next.file() != first.file() || next.firstLine() != first.firstLine() + lines.size()) {
          break;
        }
        lines.addAll(indexed.lines(all.get(to)));
      }
      texts.add(
          new DeclarationRanker.Text<>(
              all.subList(from, to),
              indexed.files().get(first.file()).path(),
              best.get(first.file()),
              lines));
    }
    return texts;
  }

  private double[] fused(List<String> queries, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is " + limit + ", must be 1 or more");
    }
    if (queries.isEmpty()) {
      throw new IllegalArgumentException("there is no query");
    }
    return queries.size() == 1
        ? scores(queries.getFirst())
        : RankFusion.fuse(queries.stream().map(this::scores).toList(), indexed.passagesByPlace());
  }

  /** Those of the question, and the identifiers of the pages that next words of it say in parts. */
  private List<String> stems(String question) throws IOException {
    Set<String> stems = new LinkedHashSet<>();
    Words.tellingStems(question).stream().limit(MOST_WORDS).forEach(stems::add);
    for (String joined : Words.joinedStems(question, MOST_JOINED_WORDS)) {
      if (indexed.has(Passages.BODY, joined)) {
        stems.add(joined);
      }
    }
    return List.copyOf(stems);
  }

  private double[] scores(String query) {
    List<String> words = Words.tellingWords(query);
    try {
      return ranker.score(stems(query), words.subList(0, Math.min(MOST_WORDS, words.size())));
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  /** A page's score: its best passage counts in full, each further one less. */
  private static double together(List<PassageHit> bestFirst) {
    double sum = 0;
    double share = 1;
    for (PassageHit passage : bestFirst) {
      sum += share * passage.score();
      share *= NEXT_PASSAGE;
    }
    return sum;
  }

  /**
   * Lines of a page that may answer a question.
   *
   * @param lastLine the last of them
   * @param score higher is better; comparable within the hits of one question only
   * @param symbol what they declare, with the types around it, as in {@code Ledger.transfer}; of a
   *     text its heading; empty where they declare nothing
   * @param signature the declaration's first line, stripped; empty where they declare nothing
   * @param summary the first sentence of the declaration's comment; empty where it has none
   */
  public record PassageHit(
      String file,
      int firstLine,
      int lastLine,
      double score,
      PageId page,
      String symbol,
      String signature,
      String summary) {}

  /**
   * A page that may answer a question.
   *
   * @param score higher is better; comparable within the hits of one question only
   * @param passages of the page that contain a word of the question, best first
   */
  public record PageHit(PageId page, double score, List<PassageHit> passages) {
    public PageHit {
      passages = List.copyOf(passages);
    }

    /** One of whose passages nothing is known. */
    public PageHit(PageId page, double score) {
      this(page, score, List.of());
    }
  }
}
