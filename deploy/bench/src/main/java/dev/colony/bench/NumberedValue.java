package dev.colony.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Values of one length that carry the number of their write, so that its event is known by it. */
final class NumberedValue {

  /** The least length: two quotation marks and the number. */
  static final int LEAST_BYTES = 10;

  private static final int DIGITS = 8;

  private final String padding;

  /**
   * @param bytes as JSON, at least {@link #LEAST_BYTES}
   */
  NumberedValue(int bytes) {
    padding = "x".repeat(bytes - LEAST_BYTES);
  }

  JsonNode of(int number) {
    return TextNode.valueOf(HexFormat.of().toHexDigits(number) + padding);
  }

  static int number(JsonNode value) {
    return HexFormat.fromHexDigits(value.textValue(), 0, DIGITS);
  }

  /** The bytes that the JSON of the same value has. */
  byte[] bytes(int number) {
    return ('"' + HexFormat.of().toHexDigits(number) + padding + '"')
        .getBytes(StandardCharsets.US_ASCII);
  }

  static int number(byte[] bytes) {
    return HexFormat.fromHexDigits(
        new String(bytes, 1, DIGITS, StandardCharsets.US_ASCII), 0, DIGITS);
  }
}
