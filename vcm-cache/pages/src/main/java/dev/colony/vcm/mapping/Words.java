package dev.colony.vcm.mapping;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.LowerCaseFilter;
import org.apache.lucene.analysis.StopFilter;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.en.PorterStemFilter;
import org.apache.lucene.analysis.miscellaneous.LengthFilter;
import org.apache.lucene.analysis.miscellaneous.StemmerOverrideFilter;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;
import org.apache.lucene.analysis.util.CharTokenizer;

/**
 * Splits text into stems. An identifier yields itself and its parts, cut at case changes, digits
 * and underscores; everything in lower case, English endings removed, irregular forms brought to
 * their stem. Thread-safe.
 */
public final class Words {

  /** Takes a stem and where in the text its word stands. */
  @FunctionalInterface
  public interface Sink {
    void accept(CharSequence stem, int start, int end);
  }

  private static final CharArraySet STOP_WORDS =
      new CharArraySet(
          WordLists.lines(Words.class, "stopwords.txt").stream()
              .flatMap(line -> Stream.of(line.strip().split(" +")))
              .toList(),
          false);

  private static final Pattern WORD_ENDS = Pattern.compile("[^\\p{L}\\p{N}]+");

  /** Words that an identifier has, at most, where it is looked for by them. */
  private static final int MOST_JOINED = 6;

  /** Words of a text that are looked at for names. */
  private static final int MOST_NAMED = 64;

  private static final int SHORTEST = 2;
  private static final int LONGEST = 200;

  private static final StemmerOverrideFilter.StemmerOverrideMap IRREGULAR = irregular();
  private static final Analyzer ALL =
      new Splitting(words -> new PorterStemFilter(new StemmerOverrideFilter(words, IRREGULAR)));
  private static final Analyzer TELLING =
      new Splitting(words ->
          new PorterStemFilter(
              new StemmerOverrideFilter(
                  new LengthFilter(new StopFilter(words, STOP_WORDS), SHORTEST, LONGEST),
                  IRREGULAR)));

  private static final Analyzer WORDS =
      new Splitting(
          words -> new LengthFilter(new StopFilter(words, STOP_WORDS), SHORTEST, LONGEST));
  private static final Analyzer AS_WRITTEN =
      new Analyzer() {
        @Override
        protected TokenStreamComponents createComponents(String field) {
          Tokenizer words = words();
          return new TokenStreamComponents(
              words, new LengthFilter(new LowerCaseFilter(words), SHORTEST, LONGEST));
        }
      };

  private Words() {}

  private static Tokenizer words() {
    return CharTokenizer.fromTokenCharPredicate(c -> Character.isLetterOrDigit(c) || c == '_');
  }

  /** What is done to words once they are split. */
  private interface Stemming {
    TokenStream of(TokenStream words);
  }

  /** The one way in which text is split, whatever is done to the words then. */
  private static final class Splitting extends Analyzer {

    private final Stemming stemming;

    Splitting(Stemming stemming) {
      this.stemming = stemming;
    }

    @Override
    protected TokenStreamComponents createComponents(String field) {
      Tokenizer words = words();
      return new TokenStreamComponents(
          words, stemming.of(new LowerCaseFilter(new IdentifierFilter(words))));
    }
  }

  /** For an index: the stems of at least two letters whose words are no stop words. */
  public static Analyzer telling() {
    return TELLING;
  }

  /** For an index: words and names as they are written, in lower case, of at least two letters. */
  public static Analyzer asWritten() {
    return AS_WRITTEN;
  }

  /** Whether the word, in lower case and not stemmed, carries no content in code or a question. */
  public static boolean isStopWord(String word) {
    return STOP_WORDS.contains(word.toLowerCase(Locale.ROOT));
  }

  /** The stems of a text, in its order, repetitions and stop words kept. */
  public static List<String> stems(String text) {
    List<String> stems = new ArrayList<>();
    scan(text, (stem, start, end) -> stems.add(stem.toString()));
    return stems;
  }

  /** The distinct stems of a text that are no stop words', in its order. */
  public static List<String> tellingStems(String text) {
    return distinct(TELLING, text);
  }

  /** The distinct words of a text that are no stop words, in lower case, in its order. */
  public static List<String> tellingWords(String text) {
    return distinct(WORDS, text);
  }

  private static List<String> distinct(Analyzer analyzer, String text) {
    Set<String> words = new LinkedHashSet<>();
    scan(analyzer, text, (word, start, end) -> words.add(word.toString()));
    return List.copyOf(words);
  }

  /**
   * The stems that next words of a text have where they are written as one, as identifiers write
   * them: of {@code query router} {@code queryrout} and {@code query_rout}. Stop words count, since
   * identifiers have them.
   *
   * @param most of the text's words that are looked at, from its beginning
   */
  public static List<String> joinedStems(String text, int most) {
    List<String> words =
        Stream.of(WORD_ENDS.split(text)).filter(word -> !word.isEmpty()).limit(most).toList();
    Set<String> joined = new LinkedHashSet<>();
    for (int from = 0; from < words.size(); from++) {
      for (int to = from + 2; to <= Math.min(words.size(), from + MOST_JOINED); to++) {
        for (String between : List.of("", "_")) {
          String one = String.join(between, words.subList(from, to)).toLowerCase(Locale.ROOT);
          // The whole comes before its parts.
          tellingStems(one).stream().findFirst().ifPresent(joined::add);
        }
      }
    }
    return List.copyOf(joined);
  }

  /**
   * Names that next words of a text say in their parts, in lower case and without what joins them:
   * of {@code the query router} {@code queryrouter}. At least two of the words carry content.
   */
  static Set<String> joinedNames(String text) {
    List<String> words =
        Stream.of(WORD_ENDS.split(text.toLowerCase(Locale.ROOT)))
            .filter(word -> !word.isEmpty())
            .limit(MOST_NAMED)
            .toList();
    Set<String> names = new LinkedHashSet<>();
    for (int from = 0; from < words.size(); from++) {
      for (int to = from + 2; to <= Math.min(words.size(), from + MOST_JOINED); to++) {
        List<String> part = words.subList(from, to);
        if (part.stream().filter(word -> !isStopWord(word)).count() > 1) {
          names.add(String.join("", part));
        }
      }
    }
    return names;
  }

  /** Hands on the stems of a text, in its order; the sink must not keep the sequence. */
  public static void scan(String text, Sink sink) {
    scan(ALL, text, sink);
  }

  /** The same of those that are no stop words' stems. */
  static void scanTelling(String text, Sink sink) {
    scan(TELLING, text, sink);
  }

  private static void scan(Analyzer analyzer, String text, Sink sink) {
    try (TokenStream stream = analyzer.tokenStream("", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      OffsetAttribute offset = stream.addAttribute(OffsetAttribute.class);
      stream.reset();
      while (stream.incrementToken()) {
        sink.accept(term, offset.startOffset(), offset.endOffset());
      }
      stream.end();
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  private static StemmerOverrideFilter.StemmerOverrideMap irregular() {
    StemmerOverrideFilter.Builder builder = new StemmerOverrideFilter.Builder();
    try (Analyzer regular = new Splitting(PorterStemFilter::new)) {
      for (String line : WordLists.lines(Words.class, "irregular.txt")) {
        String[] forms = line.split(" ");
        scan(regular, forms[1], (stem, start, end) -> builder.add(forms[0], stem.toString()));
      }
      return builder.build();
    } catch (IOException e) {
      throw new UncheckedIOException("a map in memory cannot fail to be built", e);
    }
  }

  /** Lists of words that are resources beside a class. */
  public static final class WordLists {

    private WordLists() {}

    /**
     * A list's lines, comments and blank ones left out.
     *
     * @throws NullPointerException if there is no such list
     */
    public static List<String> lines(Class<?> beside, String resource) {
      try (InputStream in = beside.getResourceAsStream(resource);
          BufferedReader reader =
              new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        return reader.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + resource, e);
      }
    }
  }

  /**
   * Follows every identifier with its parts: {@code LRUQueryCache} with {@code LRU}, {@code
   * QueryTerms}, {@code Cache}. Cuts at case changes, at digits and at anything that is neither,
   * and, unlike Lucene's word-delimiter filters, between an acronym and the word after it. Parts of
   * one letter are left out.
   */
  static final class IdentifierFilter extends TokenFilter {

    private record Part(String text, int start, int end) {}

    private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
    private final OffsetAttribute offset = addAttribute(OffsetAttribute.class);
    private final Queue<Part> pending = new ArrayDeque<>();

    IdentifierFilter(TokenStream input) {
      super(input);
    }

    @Override
    public boolean incrementToken() throws IOException {
      Part part = pending.poll();
      if (part != null) {
        clearAttributes();
        term.append(part.text());
        offset.setOffset(part.start(), part.end());
        return true;
      }
      if (!input.incrementToken()) {
        return false;
      }
      pending.addAll(parts());
      return true;
    }

    @Override
    public void reset() throws IOException {
      super.reset();
      pending.clear();
    }

    private List<Part> parts() {
      char[] chars = term.buffer();
      int length = term.length();
      List<Part> parts = new ArrayList<>(0);
      int from = 0;
      for (int i = 1; i <= length; i++) {
        if (i == length || boundary(chars, i, length)) {
          if (i - from > 1 && i - from < length && Character.isLetterOrDigit(chars[from])) {
            int start = offset.startOffset() + from;
            parts.add(new Part(new String(chars, from, i - from), start, start + i - from));
          }
          from = i;
        }
      }
      return parts;
    }

    private static boolean boundary(char[] chars, int at, int length) {
      char before = chars[at - 1];
      char here = chars[at];
      if (Character.isLetter(before) != Character.isLetter(here)
          || Character.isDigit(before) != Character.isDigit(here)) {
        return true;
      }
      boolean upper = Character.isUpperCase(here);
      boolean wordBegins = upper && !Character.isUpperCase(before);
      boolean acronymEnds = upper && at + 1 < length && Character.isLowerCase(chars[at + 1]);
      return wordBegins || acronymEnds;
    }
  }
}
