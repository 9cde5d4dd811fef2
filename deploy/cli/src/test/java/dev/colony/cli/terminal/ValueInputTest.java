package dev.colony.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a person gives as a value. */
class ValueInputTest {

  private final ValueInput json = new ValueInput(false, 40);
  private final ValueInput text = new ValueInput(true, 40);

  @Test
  void jsonOfEveryKind() {
    for (String value :
        List.of("null", "true", "-5", "1.5", "\"x\"", "[1,2]", "{\"a\":{\"b\":[]}}")) {
      assertThat(json.read(value).toString()).isEqualTo(value);
      assertThat(json.read(stream(value + "\n")).toString()).isEqualTo(value);
    }
  }

  @Test
  void plainTextIsTakenAsItIs() {
    assertThat(text.read("{no json")).isEqualTo(TextNode.valueOf("{no json"));
    assertThat(text.read("")).isEqualTo(TextNode.valueOf(""));
    assertThat(text.read(stream("line\n"))).isEqualTo(TextNode.valueOf("line\n"));
  }

  @Test
  void whatIsNoJsonIsRefusedAndTextNamed() {
    for (String value : List.of("plain", "{", "1 2", "{\"a\":1} x", "'x'", "NaN")) {
      assertRefused(() -> json.read(value), "--text");
    }
    assertRefused(() -> json.read(""), "empty");
    assertRefused(() -> json.read("  "), "empty");
  }

  @Test
  void aStreamThatIsTooLongIsNotReadToItsEnd() {
    InputStream endless =
        new InputStream() {
          @Override
          public int read() {
            return '1';
          }
        };
    assertRefused(() -> json.read(endless), "more than 40 bytes");
    assertThat(text.read(stream("x".repeat(40))).textValue()).hasSize(40);
  }

  @Test
  void aStreamThatIsNoUtf8() {
    assertRefused(() -> text.read(new ByteArrayInputStream(new byte[] {(byte) 0xff})), "UTF-8");
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertRefused(Runnable reading, String part) {
    assertThatThrownBy(reading::run)
        .isInstanceOfSatisfying(
            CommandFailure.class,
            failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_INPUT))
        .hasMessageContaining(part);
  }
}
