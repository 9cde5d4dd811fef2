package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Names a session: runs that belong together, of one agent or of many.
 *
 * @param value 1 to 128 characters of {@code [A-Za-z0-9._~-]}
 */
public record SessionId(@JsonValue String value) {

  private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9._~-]{1,128}");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public SessionId {
    if (value == null || !SHAPE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "a session id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + value);
    }
  }

  public static SessionId random() {
    return new SessionId("s-" + UUID.randomUUID());
  }

  @Override
  public String toString() {
    return value;
  }
}
