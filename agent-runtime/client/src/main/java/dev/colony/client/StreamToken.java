package dev.colony.client;

import dev.colony.blackboard.Position;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * A place in a run's events: {@code position-count.check} as text, where the check says of which
 * run.
 *
 * @param position of the last event that was had; {@link Position#BEGINNING} for none
 * @param count how many events of the run that makes
 */
record StreamToken(Position position, long count) {

  static final StreamToken NONE = new StreamToken(Position.BEGINNING, 0);

  private static final Pattern FORM =
      Pattern.compile("([0-9]{1,18}-[0-9]{1,18})-([0-9]{1,18})\\.([0-9a-f]{8})");

  /**
   * Reads {@link #text} back.
   *
   * @throws IllegalArgumentException if it is no token, or of another run
   */
  static StreamToken parse(String text, RunPlace place) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches() || !matcher.group(3).equals(check(place))) {
      throw new IllegalArgumentException(
          "this is no token of the events of run " + place.runId() + ": " + text);
    }
    return new StreamToken(Position.parse(matcher.group(1)), Long.parseLong(matcher.group(2)));
  }

  String text(RunPlace place) {
    return position + "-" + count + "." + check(place);
  }

  private static String check(RunPlace place) {
    CRC32C sum = new CRC32C();
    sum.update((place.scope().path() + "\n" + place.resultKey()).getBytes(StandardCharsets.UTF_8));
    return String.format(Locale.ROOT, "%08x", sum.getValue());
  }
}
