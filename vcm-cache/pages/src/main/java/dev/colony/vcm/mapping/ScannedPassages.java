package dev.colony.vcm.mapping;

import dev.colony.vcm.mapping.IndexedPassages.GeneratedFiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The passages of files in which only the words of one question are counted, as they are read: of
 * one question that costs a tenth of an index over them.
 */
final class ScannedPassages implements PassageCounts {

  private static final Set<String> INTRODUCING =
      Set.of(
          "class",
          "interface",
          "record",
          "enum",
          "trait",
          "object",
          "struct",
          "func",
          "fn",
          "def",
          "module",
          "namespace",
          "type");

  private static final String[] FIELDS = {
    Passages.BODY, Passages.DECLARED, Passages.FILE, Passages.DIRECTORY
  };
  private static final int BODY = 0;
  private static final int DECLARED = 1;
  private static final int FILE = 2;
  private static final int DIRECTORY = 3;

  /** What a word as it is written stands for: the same wherever it stands. */
  private record Token(boolean introduces, int terms, int[] stems, int[] words) {}

  private final Map<String, Integer> stems;
  private final Map<String, Integer> words;
  private final Map<String, Token> tokens = new ConcurrentHashMap<>();
  private final List<Passage> passages = new ArrayList<>();
  private final List<CountedFile> files = new ArrayList<>();
  private final List<Counted> counted = new ArrayList<>();
  private int lines;

  /**
   * Of a question.
   *
   * @param stems that are counted
   * @param words that are counted wherever they stand in a longer one, in lower case
   */
  ScannedPassages(List<String> stems, List<String> words) {
    this.stems = places(stems);
    this.words = places(words);
  }

  private static Map<String, Integer> places(List<String> all) {
    Map<String, Integer> places = new HashMap<>();
    all.forEach(one -> places.putIfAbsent(one, places.size()));
    return places;
  }

  /** How often a file has what is counted. Thread-safe, as long as it is with one thread. */
  static final class Counted {

    private final String path;
    private final boolean generated;
    private final int[] firstLines;
    private final int lines;

    /** Of each passage how often it has each stem, by fields. */
    private final int[][][] stems;

    /** Of each passage how many words it has, by fields. */
    private final int[][] lengths;

    /** Of each passage how often it has each word. */
    private final int[][] words;

    private Counted(String path, boolean generated, int lines, int stems, int words) {
      this.path = path;
      this.generated = generated;
      this.lines = lines;
      List<Integer> starts = new ArrayList<>();
      for (int from = 0; from < lines; from = Passages.end(from, lines, PageIndex.PASSAGE_LINES)) {
        starts.add(from);
      }
      firstLines = starts.stream().mapToInt(Integer::intValue).toArray();
      this.stems = new int[FIELDS.length][firstLines.length][stems];
      this.lengths = new int[FIELDS.length][firstLines.length];
      this.words = new int[firstLines.length][words];
    }

    private int end(int passage) {
      return passage + 1 < firstLines.length ? firstLines[passage + 1] : lines;
    }
  }

  /** Counts the words of a file. Thread-safe. */
  Counted count(String path, String text) {
    FileLines all = FileLines.of(text);
    List<String> head = new ArrayList<>();
    for (int line = 0; line < Math.min(GeneratedFiles.HEAD_LINES, all.count()); line++) {
      head.add(all.text(line, line + 1));
    }
    Counted counted =
        new Counted(path, GeneratedFiles.has(path, head), all.count(), stems.size(), words.size());
    for (int passage = 0; passage < counted.firstLines.length; passage++) {
      for (int line = counted.firstLines[passage]; line < counted.end(passage); line++) {
        String own = all.text(line, line + 1);
        if (!Passages.imports(own)) {
          count(own, counted, passage, BODY, !Passages.comment(own));
        }
      }
      count(Passages.file(path), counted, passage, FILE, false);
      count(Passages.directory(path), counted, passage, DIRECTORY, false);
    }
    return counted;
  }

  private void count(String text, Counted into, int passage, int field, boolean code) {
    int start = -1;
    int introduced = -1;
    for (int at = 0; at <= text.length(); at++) {
      char c = at < text.length() ? text.charAt(at) : ' ';
      boolean part =
          c < 128
              ? c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
              : Character.isLetterOrDigit(c);
      if (part && start < 0) {
        start = at;
      } else if (!part && start >= 0) {
        Token token = tokens.computeIfAbsent(text.substring(start, at), this::token);
        add(token, into, passage, field);
        if (field == BODY) {
          for (int word : token.words()) {
            into.words[passage][word]++;
          }
          if (code && introduced >= 0 && text.substring(introduced, start).isBlank()) {
            add(token, into, passage, DECLARED);
          }
          introduced = token.introduces() ? at : -1;
        }
        start = -1;
      }
    }
  }

  private static void add(Token token, Counted into, int passage, int field) {
    into.lengths[field][passage] += token.terms();
    for (int stem : token.stems()) {
      into.stems[field][passage][stem]++;
    }
  }

  private Token token(String text) {
    List<Integer> found = new ArrayList<>();
    int[] terms = {0};
    Words.scanTelling(
        text,
        (stem, start, end) -> {
          terms[0]++;
          Integer place = stems.get(stem.toString());
          if (place != null) {
            found.add(place);
          }
        });
    String lower = text.toLowerCase(java.util.Locale.ROOT);
    int[] having =
        words.entrySet().stream()
            .filter(word -> lower.contains(word.getKey()))
            .mapToInt(Map.Entry::getValue)
            .toArray();
    return new Token(
        INTRODUCING.contains(text),
        terms[0],
        found.stream().mapToInt(Integer::intValue).toArray(),
        having);
  }

  /** Takes what was counted of a file. */
  void add(Counted one) {
    for (int passage = 0; passage < one.firstLines.length; passage++) {
      passages.add(new Passage(files.size(), one.firstLines[passage] + 1, one.end(passage)));
    }
    files.add(new CountedFile(one.path, one.generated));
    counted.add(one);
    lines += one.lines;
  }

  /** The lines of all files. */
  int lines() {
    return lines;
  }

  @Override
  public List<Passage> passages() {
    return passages;
  }

  @Override
  public List<CountedFile> files() {
    return files;
  }

  /** Takes a number of a file's passage. */
  private interface Number {
    int of(Counted file, int passage);
  }

  private void each(double weight, double[] into, Number number) {
    int at = 0;
    for (Counted file : counted) {
      for (int passage = 0; passage < file.firstLines.length; passage++) {
        into[at++] += weight * number.of(file, passage);
      }
    }
  }

  @Override
  public void counts(String field, String stem, double weight, double[] into) {
    int its = Arrays.asList(FIELDS).indexOf(field);
    int place = stems.get(stem);
    each(weight, into, (file, passage) -> file.stems[its][passage][place]);
  }

  @Override
  public void written(String word, double[] into) {
    int place = words.get(word);
    each(1, into, (file, passage) -> file.words[passage][place]);
  }

  @Override
  public void lengths(String field, double weight, double[] into) {
    int its = Arrays.asList(FIELDS).indexOf(field);
    each(weight, into, (file, passage) -> file.lengths[its][passage]);
  }
}
