package dev.colony.vcm.source;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Tells in which encoding a text is. What is valid UTF-8 is read as such. Beyond that UTF-16 with
 * and without its mark, the encoding that the head of the text declares, Shift_JIS, EUC-JP,
 * windows-1252 (which holds Latin-1), windows-1251 and KOI8-R are told apart by the characters that
 * come of them: each is read strictly, and a text has no control characters. Pure.
 */
final class TextDecoder {

  private static final List<Charset> JAPANESE = known("windows-31j", "EUC-JP");
  private static final List<Charset> CYRILLIC = known("windows-1251", "KOI8-R");
  private static final List<Charset> WESTERN = known("windows-1252");

  /** How XML, HTML and scripts name their encoding. */
  private static final Pattern DECLARED =
      Pattern.compile("(?i)(?:charset|coding)\\s{0,3}[=:]\\s{0,3}[\"']?([a-z0-9._:-]{3,40})");

  private static final int HEAD_BYTES = 1024;

  /** A shorter text with a NUL in it is none. */
  private static final int LEAST_BYTES_AROUND_NUL = 16;

  /** NULs within this share of the bytes are strays. */
  private static final int BYTES_PER_STRAY_NUL = 128;

  /** The end of a file of old, which no text has within it. */
  private static final byte STAND_IN = 0x1a;

  private TextDecoder() {}

  /** The text that bytes are; empty where they are none. A byte order mark of UTF-16 is dropped. */
  static Optional<String> decode(byte[] bytes) {
    int nuls = 0;
    for (byte one : bytes) {
      nuls += one == 0 ? 1 : 0;
    }
    if (nuls == 0) {
      return utf8(bytes).or(() -> marked(bytes)).or(() -> legacy(bytes));
    }
    boolean strays =
        bytes.length >= LEAST_BYTES_AROUND_NUL
            && (nuls == 1 || (long) nuls * BYTES_PER_STRAY_NUL <= bytes.length);
    return marked(bytes)
        .or(() -> strays ? withoutNuls(bytes, TextDecoder::utf8) : Optional.empty())
        .or(() -> unmarked(bytes))
        .or(() -> strays ? withoutNuls(bytes, TextDecoder::legacy) : Optional.empty());
  }

  private static Optional<String> utf8(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    // The fast decoder puts U+FFFD where bytes are wrong; only then the strict one is asked.
    return text.indexOf('\uFFFD') < 0
        ? Optional.of(text)
        : strictly(bytes, 0, StandardCharsets.UTF_8);
  }

  /** UTF-16 behind its byte order mark. */
  private static Optional<String> marked(byte[] bytes) {
    int mark = bytes.length < 2 ? 0 : (bytes[0] & 0xff) << 8 | bytes[1] & 0xff;
    Optional<String> text =
        switch (mark) {
          case 0xfeff -> strictly(bytes, 2, StandardCharsets.UTF_16BE);
          case 0xfffe -> strictly(bytes, 2, StandardCharsets.UTF_16LE);
          default -> Optional.empty();
        };
    return text.filter(TextDecoder::plausible);
  }

  /** UTF-16 by its spaces, line feeds and letters of the first alphabets. */
  private static Optional<String> unmarked(byte[] bytes) {
    return Stream.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE)
        .flatMap(charset -> strictly(bytes, 0, charset).stream())
        .filter(TextDecoder::plausible)
        .filter(text -> 2 * count(text, TextDecoder::common) >= text.length())
        .max(Comparator.comparingLong(text -> count(text, TextDecoder::common)));
  }

  /** With U+FFFD in their places. */
  private static Optional<String> withoutNuls(
      byte[] bytes, Function<byte[], Optional<String>> decoder) {
    byte[] marked = bytes.clone();
    for (int i = 0; i < marked.length; i++) {
      marked[i] = marked[i] == 0 ? STAND_IN : marked[i];
    }
    return decoder
        .apply(marked)
        .map(text -> text.replace((char) STAND_IN, '\uFFFD'))
        .filter(TextDecoder::plausible);
  }

  private static Optional<String> legacy(byte[] bytes) {
    return damagedUtf8(bytes)
        .or(() -> declared(bytes))
        .or(() -> among(JAPANESE, bytes, TextDecoder::japanese))
        .or(() ->
            among(WESTERN, bytes, text -> 5 * count(text, c -> c > 0x7f) <= 2L * text.length()))
        .or(() -> among(CYRILLIC, bytes, TextDecoder::cyrillic));
  }

  /** UTF-8 of which a few bytes are wrong, each of which is read as U+FFFD. */
  private static Optional<String> damagedUtf8(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    long wrong = count(text, c -> c == 0xfffd);
    return Optional.of(text)
        .filter(some -> 4 * wrong <= count(some, c -> c > 0x7f && c != 0xfffd))
        .filter(TextDecoder::plausible);
  }

  private static Optional<String> declared(byte[] bytes) {
    Matcher declared =
        DECLARED.matcher(
            new String(bytes, 0, Math.min(bytes.length, HEAD_BYTES), StandardCharsets.ISO_8859_1));
    return declared.find() && isSupported(declared.group(1))
        ? strictly(bytes, 0, Charset.forName(declared.group(1))).filter(TextDecoder::plausible)
        : Optional.empty();
  }

  private static Optional<String> among(
      List<Charset> charsets, byte[] bytes, Predicate<String> fits) {
    return charsets.stream()
        .flatMap(charset -> strictly(bytes, 0, charset).stream())
        .filter(TextDecoder::plausible)
        .filter(fits)
        .max(
            Comparator.comparingLong(
                text -> count(text, TextDecoder::kana) + count(text, Character::isLowerCase)));
  }

  /** Syllables stand in any text of Japanese, and by chance in hardly any other. */
  private static boolean japanese(String text) {
    long foreign = count(text, c -> c > 0x7f);
    long own =
        count(text, c -> kana(c) || Character.isIdeographic(c) || c >> 8 == 0x30 || c >> 8 == 0xff);
    return 10 * own >= 9 * foreign && 4 * count(text, TextDecoder::kana) >= foreign;
  }

  private static boolean kana(int c) {
    return c >= 0x3041 && c <= 0x30ff;
  }

  private static boolean cyrillic(String text) {
    long foreign = count(text, c -> c > 0x7f);
    return 10 * count(text, c -> c >= 0x400 && c < 0x460) >= 9 * foreign
        && 2 * count(text, c -> c >= 0x400 && Character.isLowerCase(c)) >= foreign;
  }

  /** Whether each character is one that texts have. */
  private static boolean plausible(String text) {
    return text.codePoints()
        .noneMatch(c ->
            switch (Character.getType(c)) {
              case Character.CONTROL -> c > 0x1b || c < 0x08 || c > 0x0d && c < STAND_IN;
              case Character.UNASSIGNED, Character.PRIVATE_USE, Character.SURROGATE -> true;
              default -> false;
            });
  }

  private static boolean common(int c) {
    return c < 0x250 || kana(c) || c >> 8 == 0x20 || c >> 8 == 0x30 || c >> 8 == 4;
  }

  private static long count(String text, IntPredicate which) {
    return text.codePoints().filter(which).count();
  }

  private static Optional<String> strictly(byte[] bytes, int from, Charset charset) {
    try {
      return Optional.of(
          charset
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, from, bytes.length - from))
              .toString());
    } catch (CharacterCodingException wrong) {
      return Optional.empty();
    }
  }

  private static boolean isSupported(String name) {
    try {
      return Charset.isSupported(name);
    } catch (IllegalArgumentException none) {
      return false;
    }
  }

  private static List<Charset> known(String... names) {
    return Arrays.stream(names).filter(TextDecoder::isSupported).map(Charset::forName).toList();
  }
}
