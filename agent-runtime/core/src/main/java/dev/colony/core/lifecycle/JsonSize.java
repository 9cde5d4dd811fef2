package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;

/** Tells large JSON values from small ones without writing them out. */
public final class JsonSize {

  private static final int PER_NODE_BYTES = 4;
  private static final long ANY = Long.MAX_VALUE / 2;

  private JsonSize() {}

  /** Whether a value takes more bytes than a limit, about; stops counting there. */
  public static boolean exceeds(JsonNode value, int limitBytes) {
    return left(value, limitBytes) < 0;
  }

  /** How many bytes a value takes, about. */
  static long of(JsonNode value) {
    return ANY - left(value, ANY);
  }

  /** What a value leaves of a number of bytes, about; negative if it takes more. */
  public static long left(JsonNode value, long limitBytes) {
    long left = limitBytes - PER_NODE_BYTES;
    if (value.isTextual()) {
      return left - value.textValue().length();
    }
    if (value.isBinary()) {
      return left - value.asText().length();
    }
    if (value.isObject()) {
      for (var field : value.properties()) {
        left = left(field.getValue(), left - field.getKey().length());
        if (left < 0) {
          return left;
        }
      }
      return left;
    }
    for (JsonNode element : value) {
      left = left(element, left);
      if (left < 0) {
        return left;
      }
    }
    return left;
  }
}
