package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Names a run of an agent; the same id twice is the same run.
 *
 * @param value 1 to 128 characters of {@code [A-Za-z0-9._~-]}
 */
public record RunId(@JsonValue String value) {

  private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public RunId {
    if (value == null || !SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "a run id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + value);
    }
  }

  public static RunId random() {
    return new RunId("r-" + UUID.randomUUID());
  }

  @Override
  public String toString() {
    return value;
  }
}
