package dev.colony.deploy.local;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Model calls of a node that have no answer yet.
 *
 * @param server the base URL of the node's model server
 * @param oldest how long the first of them has been under way
 */
public record WaitingCalls(String server, int calls, Duration oldest) {

  private static final Pattern CALLS = gauge("colony_model_calls_active");
  private static final Pattern OLDEST = gauge("colony_model_calls_oldest_seconds");

  /** Those that a node's figures speak of, as it shows them to Prometheus; empty without a call. */
  static Optional<WaitingCalls> in(String server, String figures) {
    int calls = (int) value(CALLS, figures);
    return calls == 0
        ? Optional.empty()
        : Optional.of(
            new WaitingCalls(
                server, calls, Duration.ofMillis((long) (1000 * value(OLDEST, figures)))));
  }

  private static Pattern gauge(String name) {
    return Pattern.compile("^" + name + "(?:\\{[^}]*\\})? ([0-9.E+-]+)$", Pattern.MULTILINE);
  }

  private static double value(Pattern gauge, String figures) {
    Matcher found = gauge.matcher(figures);
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }
}
