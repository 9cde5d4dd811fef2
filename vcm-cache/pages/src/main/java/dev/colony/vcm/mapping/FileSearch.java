package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.DeclarationRanker.Ranked;
import dev.colony.vcm.mapping.Excerpt.Line;
import dev.colony.vcm.mapping.MappingMemory.Looked;
import dev.colony.vcm.mapping.MappingResult.SkippedFiles;
import dev.colony.vcm.mapping.ScannedPassages.Counted;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Searches files for what fits a question best, once: nothing is mapped or indexed. Files are
 * ranked as {@link PageIndex} ranks them, and what the best ones declare is shown by the lines that
 * have the question's words. Generated and vendored files come after all others. Costs about 30 ms
 * of processor time a MB.
 */
public final class FileSearch {

  /** Places that are shown where nobody says how many. */
  public static final int USUAL_HITS = 10;

  public static final int MOST_HITS = 100;

  /** Files whose declarations are ranked; more where more places are asked for. */
  private static final int FILES = 16;

  /** Places of one file that are shown before all others have had theirs. */
  private static final int OF_A_FILE = 2;

  /** A place with a smaller share of the best one's score is not shown unasked. */
  private static final double GAP = 0.33;

  /** Where so many places say as much of the question, and none is far ahead, none stands out. */
  private static final int FLAT_HITS = 6;

  /** What says as much as another has this share of the weight of its words. */
  private static final double AS_MUCH = 0.95;

  /** A place is far ahead of one that has less than this share of its score. */
  private static final double AHEAD = 0.75;

  /** What the words that occur are of the question's weight, at least, where places are shown. */
  private static final double LEAST_SAID = 0.4;

  /** What a generated file counts: less than any other. */
  private static final double LAST = 0.001;

  private static final int MOST_STEMS = 256;
  private static final int MOST_JOINED_WORDS = 64;

  /**
   * A place that fits the question.
   *
   * @param symbol what is declared there, with the types around it; empty where nothing is
   * @param line that declares it
   * @param firstLine of the declaration, with its comment
   * @param score larger is better; comparable within one search only
   * @param lines of it that have the question's words, {@value Excerpt#LINES} at most
   * @param matched the question's words that stand in it, as the question has them
   */
  public record Hit(
      String file,
      String symbol,
      int line,
      int firstLine,
      int lastLine,
      double score,
      List<Line> lines,
      List<String> matched) {}

  /**
   * What a search came to.
   *
   * @param hits best first; empty where no file contains a word of the question, or nobody asked
   *     for a number of them and only words occur that tell little
   * @param more whether a larger number of hits would show more
   * @param outstanding whether the first hits are better than those that follow
   * @param absent words of the question that occur in no file
   * @param files that were searched
   * @param generated how many of them are generated or vendored
   * @param left what was not searched
   */
  public record Result(
      List<Hit> hits,
      boolean more,
      boolean outstanding,
      List<String> absent,
      int files,
      int generated,
      SkippedFiles left) {}

  private final List<String> queries;
  private final List<QuestionWord> asked;
  private final List<String> telling;
  private final List<String> joined;
  private final List<String> words;
  private final ScannedPassages scanned;
  private final Map<String, SourceFile> byPath = new LinkedHashMap<>();
  private final Queue<Looked> left = new ConcurrentLinkedQueue<>();

  private FileSearch(String question) {
    queries = List.of(question);
    asked = QuestionWord.of(question);
    telling = limited(Words.tellingStems(question));
    joined = Words.joinedStems(question, MOST_JOINED_WORDS);
    words = limited(Words.tellingWords(question));
    List<String> stems = new ArrayList<>(telling);
    stems.addAll(joined);
    scanned = new ScannedPassages(stems, words);
  }

  private static List<String> limited(List<String> words) {
    return words.subList(0, Math.min(MOST_STEMS, words.size()));
  }

  /**
   * Searches. Blocks.
   *
   * @param wanted how many places; empty for as many as stand out, {@value #USUAL_HITS} at most
   * @param threads that read files
   * @param progress is called from several threads
   */
  public static Result search(
      SourceReading.Read read,
      String question,
      OptionalInt wanted,
      int threads,
      SourceProgress progress) {
    List<SourceFile> files = read.files();
    FileSearch search = new FileSearch(question);
    AtomicInteger done = new AtomicInteger();
    List<Optional<Counted>> looked =
        Parallel.map(
            threads,
            files,
            file -> {
              Optional<Counted> counted = search.look(file);
              progress.at(SourceProgress.Stage.READING, done.incrementAndGet(), files.size());
              return counted;
            });
    for (int i = 0; i < looked.size(); i++) {
      if (looked.get(i).isPresent()) {
        search.scanned.add(looked.get(i).get());
        search.byPath.put(files.get(i).path(), files.get(i));
      }
    }
    try {
      return search.result(read, wanted);
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  private Optional<Counted> look(SourceFile file) {
    return switch (file.content().get()) {
      case FileText.Text text -> Optional.of(scanned.count(file.path(), text.text()));
      case FileText.Left other -> {
        left.add(new Looked.Left(file, other.why()));
        yield Optional.empty();
      }
    };
  }

  private static Optional<String> text(SourceFile file) {
    return switch (file.content().get()) {
      case FileText.Text text -> Optional.of(text.text());
      case FileText.Left left -> Optional.empty();
    };
  }

  private Result result(SourceReading.Read read, OptionalInt wanted) throws IOException {
    Map<String, Double> rarities = new LinkedHashMap<>();
    List<QuestionWord> absent = asked.stream().filter(this::absent).toList();
    Set<String> said = new HashSet<>(telling);
    absent.forEach(word -> said.removeAll(word.stems()));
    asked.stream()
        .filter(word -> !absent.contains(word))
        .forEach(word -> said.addAll(word.stems()));
    telling.stream().filter(said::contains).forEach(stem -> rarities.put(stem, rarity(stem)));
    boolean little = saysLittle(absent.size(), rarities);
    joined.stream()
        .filter(stem -> count(Passages.BODY, stem) > 0)
        .forEach(stem -> rarities.putIfAbsent(stem, rarity(stem)));
    double[] scores = new PassageRanker(scanned).score(List.copyOf(rarities.keySet()), words);
    int files = Math.max(FILES, wanted.orElse(0));
    List<Ranked<List<String>>> all =
        spread(
            new DeclarationRanker(queries, rarities, Meaning.found()).rank(texts(scores, files)));
    int shown = little && wanted.isEmpty() ? 0 : shown(all, wanted);
    Excerpt excerpt = new Excerpt(queries.getFirst(), rarities);
    List<Hit> hits =
        all.stream().limit(Math.max(USUAL_HITS, shown)).map(one -> hit(one, excerpt)).toList();
    return new Result(
        hits.subList(0, shown),
        all.size() > shown,
        outstanding(hits, rarities),
        absent.stream().map(QuestionWord::text).toList(),
        byPath.size(),
        (int) scanned.files().stream().filter(PassageCounts.CountedFile::generated).count(),
        SkippedFiles.of(read, left));
  }

  /** Whether the words that occur hardly tell anything beside those that occur nowhere. */
  private boolean saysLittle(int absent, Map<String, Double> rarities) {
    double all = rarities.values().stream().mapToDouble(Double::doubleValue).sum();
    double most = Math.log(1 + (scanned.passages().size() + 0.5) / 0.5);
    return absent > 0 && all < LEAST_SAID * (all + absent * most);
  }

  private boolean outstanding(List<Hit> hits, Map<String, Double> rarities) {
    List<Double> covered =
        hits.stream()
            .limit(USUAL_HITS)
            .map(hit ->
                asked.stream()
                    .filter(word -> hit.matched().contains(word.text()))
                    .mapToDouble(word -> rarities.getOrDefault(word.stems().getFirst(), 0.0))
                    .sum())
            .toList();
    double most = covered.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    return covered.stream().filter(one -> one >= AS_MUCH * most).count() < FLAT_HITS
        || hits.get(FLAT_HITS - 1).score() < AHEAD * hits.getFirst().score();
  }

  /** The same with no more than a few of a file before those of others. */
  private static List<Ranked<List<String>>> spread(List<Ranked<List<String>>> ranked) {
    Map<String, Integer> ofFile = new HashMap<>();
    List<Ranked<List<String>>> first = new ArrayList<>();
    List<Ranked<List<String>>> further = new ArrayList<>();
    for (Ranked<List<String>> one : ranked) {
      (ofFile.merge(one.path(), 1, Integer::sum) <= OF_A_FILE ? first : further).add(one);
    }
    first.addAll(further);
    return first;
  }

  /** How many are shown. */
  private static int shown(List<Ranked<List<String>>> all, OptionalInt wanted) {
    if (wanted.isPresent() || all.isEmpty()) {
      return Math.min(wanted.orElse(0), all.size());
    }
    double least = GAP * all.getFirst().score();
    return (int) all.stream().limit(USUAL_HITS).takeWhile(one -> one.score() >= least).count();
  }

  /** The lines of the best files. */
  private List<DeclarationRanker.Text<List<String>>> texts(double[] scores, int files) {
    List<DeclarationRanker.Text<List<String>>> texts = new ArrayList<>();
    scanned
        .bestFiles(scores, files)
        .forEach((file, score) -> {
          PassageCounts.CountedFile its = scanned.files().get(file);
          text(byPath.get(its.path()))
              .ifPresent(text -> {
                List<String> lines = text.lines().toList();
                texts.add(
                    new DeclarationRanker.Text<>(
                        lines, its.path(), its.generated() ? score * LAST : score, lines));
              });
        });
    return texts;
  }

  private Hit hit(Ranked<List<String>> one, Excerpt excerpt) {
    Declarations.Declaration declared = one.declaration();
    Set<String> stems = new HashSet<>(Words.stems(one.path() + " " + declared.symbol()));
    for (int at = declared.first(); at <= declared.last(); at++) {
      stems.addAll(Words.stems(one.part().get(at)));
    }
    return new Hit(
        one.path(),
        declared.symbol(),
        declared.at() + 1,
        declared.first() + 1,
        declared.last() + 1,
        one.score(),
        excerpt.of(one.part(), declared),
        asked.stream().filter(word -> word.in(stems)).map(QuestionWord::text).toList());
  }

  private double count(String field, String stem) {
    double[] counts = new double[scanned.passages().size()];
    scanned.counts(field, stem, 1, counts);
    return Arrays.stream(counts).sum();
  }

  /** How much a stem tells of a passage that has it: more, the fewer passages do. */
  private double rarity(String stem) {
    double[] counts = new double[scanned.passages().size()];
    scanned.counts(Passages.BODY, stem, 1, counts);
    long having = Arrays.stream(counts).filter(count -> count > 0).count();
    return Math.log(1 + (counts.length - having + 0.5) / (having + 0.5));
  }

  private boolean absent(QuestionWord word) {
    String stem = word.stems().getFirst();
    double[] written = new double[scanned.passages().size()];
    scanned.written(word.text().toLowerCase(Locale.ROOT), written);
    return Arrays.stream(written).sum() == 0
        && count(Passages.BODY, stem) == 0
        && count(Passages.FILE, stem) == 0
        && count(Passages.DIRECTORY, stem) == 0;
  }

  /**
   * A word of the question.
   *
   * @param text as it stands there
   * @param stems its own, then those of its parts where it has several
   */
  record QuestionWord(String text, List<String> stems) {

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_]+");

    static List<QuestionWord> of(String question) {
      Map<String, QuestionWord> words = new LinkedHashMap<>();
      WORD.matcher(question)
          .results()
          .map(MatchResult::group)
          .limit(MOST_STEMS)
          .forEach(word -> {
            List<String> stems = Words.tellingStems(word);
            if (!stems.isEmpty() && !Words.isStopWord(word)) {
              words.putIfAbsent(stems.getFirst(), new QuestionWord(word, stems));
            }
          });
      return List.copyOf(words.values());
    }

    boolean in(Set<String> others) {
      return others.contains(stems.getFirst())
          || stems.size() > 1 && others.containsAll(stems.subList(1, stems.size()));
    }
  }
}
