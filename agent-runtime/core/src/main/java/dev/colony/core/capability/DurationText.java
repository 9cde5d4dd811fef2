package dev.colony.core.capability;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as annotations spell them: {@code 200ms}, {@code 30s}, {@code 2m}, {@code 1h}. */
final class DurationText {

  private static final Pattern TEXT = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
  private static final Duration LONGEST = Duration.ofDays(1);

  private DurationText() {}

  /** Empty if it is no duration, or not within 1 ms to 24 h. */
  static Optional<Duration> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    Duration duration =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m" -> Duration.ofMinutes(amount);
          default -> Duration.ofHours(amount);
        };
    return duration.isZero() || duration.compareTo(LONGEST) > 0
        ? Optional.empty()
        : Optional.of(duration);
  }
}
