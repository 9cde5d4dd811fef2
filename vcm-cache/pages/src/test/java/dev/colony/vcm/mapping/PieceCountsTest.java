package dev.colony.vcm.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import com.knuddels.jtokkit.api.Encoding;
import com.knuddels.jtokkit.api.EncodingType;
import dev.colony.vcm.mapping.TokenCounter.PieceCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** Holds the cuts and the counts to the vocabulary's regular expression and its own encoder. */
class PieceCountsTest {

  private static final Encoding ENCODING =
      Encodings.newLazyEncodingRegistry().getEncoding(EncodingType.O200K_BASE);

  private static final String ENDING = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
  private static final Pattern PUBLISHED =
      Pattern.compile(
          String.join(
              "|",
              "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
                  + ENDING,
              "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*"
                  + ENDING,
              "\\p{N}{1,3}",
              " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
              "\\s*[\\r\\n]+",
              "\\s+(?!\\S)",
              "\\s+"),
          Pattern.UNICODE_CHARACTER_CLASS);

  /** Of each kind some, and what the expression treats by name. */
  private static final String TELLING =
      "azAZ019 \t\n\r/'sStTrRvVeEmMlLdD\u017F.({_-$\u00e9\u00c9\u01C5\u02B0\u65E5\u0301\u0903\u0488"
          + "\u0663\u2167\u00BD\u00A0\u0085\u2028\u3000\u200B\uD83D\uDE00\uD835\uDC9C\uD801\uDC00"
          + "\uD801\uDC28\uD834\uDD65";

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<Integer> telling = Arbitraries.of(TELLING.codePoints().boxed().distinct().toList());
    Arbitrary<Integer> any = Arbitraries.integers().between(0, 0x1FFFF);
    return Arbitraries.frequencyOf(Tuple.of(19, telling), Tuple.of(1, any))
        .list()
        .ofMinSize(1)
        .ofMaxSize(24)
        .map(points -> {
          StringBuilder text = new StringBuilder();
          points.forEach(text::appendCodePoint);
          return text.toString();
        });
  }

  @Property(tries = 20_000)
  void cutsWhereTheExpressionDoes(@ForAll("texts") String text) {
    assertThat(pieces(text)).isEqualTo(published(text));
  }

  @Property(tries = 3_000)
  void countsAsTheEncoderDoes(@ForAll("texts") String text) {
    assertThat(new TokenCounter().count(text)).isEqualTo(ENCODING.countTokensOrdinary(text));
  }

  /** Twice: the second time the counts of pieces are remembered. */
  @Example
  void countsTheSourcesOfThisModule() throws IOException {
    PieceCounts counts = new PieceCounts(ENCODING::countTokensOrdinary);
    List<Path> files;
    try (Stream<Path> all = Files.walk(Path.of("src"))) {
      files = all.filter(Files::isRegularFile).toList();
    }
    assertThat(files).hasSizeGreaterThan(100);
    for (int round = 0; round < 2; round++) {
      for (Path file : files) {
        String text = Files.readString(file);
        assertThat(counts.count(text, Integer.MAX_VALUE))
            .as(file.toString())
            .isEqualTo(ENCODING.countTokensOrdinary(text));
      }
    }
  }

  /** As many different words as would fill every place several times over. */
  @Example
  void forgettingChangesNoCount() {
    int words = 300_000;
    AtomicInteger encoded = new AtomicInteger();
    PieceCounts counts =
        new PieceCounts(piece -> {
          encoded.incrementAndGet();
          return piece.hashCode();
        });
    for (int round = 0; round < 2; round++) {
      for (int i = 1; i <= words; i++) {
        String word = word(i);
        assertThat(counts.count(word, Integer.MAX_VALUE)).isEqualTo(word.hashCode());
      }
    }
    assertThat(encoded).as("some were forgotten").hasValueGreaterThan(words);
  }

  private static String word(int number) {
    StringBuilder word = new StringBuilder("w");
    for (int rest = number; rest > 0; rest /= 26) {
      word.append((char) ('a' + rest % 26));
    }
    return word.toString();
  }

  @Example
  void stopsOnceThereAreMoreThanAskedFor() {
    List<String> encoded = new ArrayList<>();
    PieceCounts counts =
        new PieceCounts(piece -> {
          encoded.add(piece);
          return 1;
        });
    assertThat(counts.count("one two three four five", 2)).isEqualTo(3);
    assertThat(encoded).containsExactly("one", " two", " three");
    assertThat(counts.count("one two", 2)).isEqualTo(2);
    assertThat(counts.count("", 0)).isZero();
  }

  private static List<String> pieces(String text) {
    O200kPieces pieces = new O200kPieces(text.toCharArray());
    List<String> cut = new ArrayList<>();
    for (int from = 0, to; from < text.length(); from = to) {
      to = pieces.end(from);
      cut.add(text.substring(from, to));
    }
    return cut;
  }

  private static List<String> published(String text) {
    List<String> cut = new ArrayList<>();
    for (Matcher matcher = PUBLISHED.matcher(text); matcher.find(); ) {
      cut.add(matcher.group());
    }
    return cut;
  }
}
