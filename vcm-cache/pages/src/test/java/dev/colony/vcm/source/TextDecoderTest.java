package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextDecoderTest {

  private static final String GERMAN = "Die Fähre fährt um neun, außer über Ostern – „größer“.\n";
  private static final String JAPANESE = "フェリーは九時に出ます。港で待ってください。\n";
  private static final String RUSSIAN = "Паром отходит в девять часов утра от причала.\n";

  private static String text(String language) {
    return switch (language) {
      case "german" -> GERMAN;
      case "japanese" -> JAPANESE;
      case "russian" -> RUSSIAN;
      default -> "The ferry leaves at nine.\nIt returns at five.\n";
    };
  }

  @ParameterizedTest
  @CsvSource({
    "UTF-8, german, ''",
    "UTF-8, japanese, ''",
    "UTF-16LE, german, FFFE",
    "UTF-16BE, german, FEFF",
    "UTF-16LE, japanese, FFFE",
    "UTF-16BE, japanese, FEFF",
    "UTF-16LE, english, ''",
    "UTF-16BE, english, ''",
    "UTF-16LE, german, ''",
    "UTF-16BE, japanese, ''",
    "UTF-16LE, japanese, ''",
    "UTF-16BE, russian, ''",
    "windows-1252, german, ''",
    "windows-31j, japanese, ''",
    "EUC-JP, japanese, ''",
    "windows-1251, russian, ''",
    "KOI8-R, russian, ''"
  })
  void aTextIsReadInItsEncoding(String charset, String language, String mark) {
    String text = text(language);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(HexFormat.of().parseHex(mark));
    bytes.writeBytes(text.getBytes(Charset.forName(charset)));

    assertThat(TextDecoder.decode(bytes.toByteArray())).contains(text);
  }

  @Test
  void latin1IsReadHoweverShort() {
    for (String text : new String[] {"für", "déjà vu", "Ångström\n", "señor, ¿qué?"}) {
      assertThat(TextDecoder.decode(text.getBytes(StandardCharsets.ISO_8859_1))).contains(text);
    }
  }

  @Test
  void anEncodingThatIsDeclaredIsTaken() {
    String greek =
        "<?xml version=\"1.0\" encoding=\"ISO-8859-7\"?>\n<a>Το πλοίο φεύγει στις εννέα</a>\n";
    String polish = "<meta charset=iso-8859-2><p>Zażółć gęślą jaźń</p>";

    assertThat(TextDecoder.decode(greek.getBytes(Charset.forName("ISO-8859-7")))).contains(greek);
    assertThat(TextDecoder.decode(polish.getBytes(Charset.forName("ISO-8859-2")))).contains(polish);
  }

  @Test
  void aMarkOfUtf8StaysAsItIs() {
    assertThat(TextDecoder.decode("\uFEFFplain".getBytes(StandardCharsets.UTF_8)))
        .contains("\uFEFFplain");
  }

  @Test
  void aStrayNulIsReadAsAReplacement() {
    assertThat(TextDecoder.decode("The ferry\0leaves at nine.\n".getBytes(StandardCharsets.UTF_8)))
        .contains("The ferry\uFFFDleaves at nine.\n");
    assertThat(
            TextDecoder.decode("Die Fähre\0fährt um neun.\n".getBytes(StandardCharsets.ISO_8859_1)))
        .contains("Die Fähre\uFFFDfährt um neun.\n");
  }

  @Test
  void aByteThatIsWrongInUtf8IsReadAsAReplacement() {
    byte[] bytes = "über größere Fähren für später".getBytes(StandardCharsets.UTF_8);
    byte[] cut = Arrays.copyOfRange(bytes, 1, bytes.length);

    assertThat(TextDecoder.decode(cut)).contains("\uFFFDber größere Fähren für später");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsNoTextIsNone(long seed) throws Exception {
    byte[] noise = new byte[200];
    new Random(seed).nextBytes(noise);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write((GERMAN + JAPANESE + seed).getBytes(StandardCharsets.UTF_8));
    }
    byte[] small = new byte[400];
    for (int i = 0; i < small.length; i += 4) {
      small[i] = (byte) (i * seed);
    }

    assertThat(TextDecoder.decode(noise)).isEmpty();
    assertThat(TextDecoder.decode(packed.toByteArray())).isEmpty();
    assertThat(TextDecoder.decode(small)).as("small numbers").isEmpty();
  }
}
