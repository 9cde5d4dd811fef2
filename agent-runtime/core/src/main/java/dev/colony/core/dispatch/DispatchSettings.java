package dev.colony.core.dispatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.core.lifecycle.StepSize.JsonSize;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How actions are executed.
 *
 * @param timeout of one that declares nothing else, all its attempts included
 * @param computing how many actions that compute have a platform thread at once
 */
public record DispatchSettings(Duration timeout, int computing, Bounds bounds) {

  /** How long outputs that are too large for a step's record are kept, and checkpoints. */
  static final Duration KEPT = Duration.ofDays(30);

  /** Largest output, as JSON text, that stands in the step's record itself; more is kept apart. */
  static final int INLINE_OUTPUT_BYTES = 32 * 1024;

  /** Characters that stand there of one that is kept apart. */
  static final int PREVIEW_CHARS = 1_000;

  /** Largest output at all, and largest checkpoint; less than the blackboard takes in one entry. */
  static final int MAX_OUTPUT_BYTES = 4 << 20;

  /** Of the parameters, with what they refer to; less than the journal takes in one event. */
  static final int MAX_PARAMETER_BYTES = 256 * 1024;

  private static final Pattern EVENT = Pattern.compile("[A-Za-z0-9._~-]{1,64}");

  /**
   * The bounds of threads.
   *
   * @param grace how long an action that was stopped may take to end, after its interrupt
   * @param abandoned actions that do not end although they were stopped; with so many of them on a
   *     node, further ones are refused
   * @param queue computing actions that wait for their turn; further ones are refused
   * @param abandonedComputing as {@code abandoned}; each keeps a processor busy
   * @param retry between two attempts
   * @param controlAfter how long an action runs, or until its first pause point, before it can be
   *     paused and cancelled from outside: the price is a subscription
   */
  public record Bounds(
      Duration grace,
      int abandoned,
      int queue,
      int abandonedComputing,
      Backoff retry,
      Duration controlAfter) {

    /** Those of a node. */
    public static final Bounds USUAL =
        new Bounds(
            Duration.ofSeconds(1),
            1_000,
            1_000,
            4,
            new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10)),
            Duration.ofSeconds(2));
  }

  /** What an operator may say; reference.conf says what each setting means. */
  @Section("colony.agent.action")
  private record Operators(
      @Range(min = "1 ms", max = "1 d") Duration timeout, Computing computing) {

    record Computing(@Range(min = "1", max = "1000") int threads) {}
  }

  /** Reads and checks them, as {@link Settings#read} does. */
  public static DispatchSettings fromConfig(Config config) {
    Operators read = Settings.read(Operators.class, config);
    return new DispatchSettings(read.timeout(), read.computing().threads(), Bounds.USUAL);
  }

  /**
   * Refuses what cannot be an event of a run.
   *
   * @throws IllegalArgumentException which says why
   */
  public static void checkEvent(String name, JsonNode data) {
    if (!EVENT.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "an event's name is 1 to 64 characters of A-Z a-z 0-9 . _ ~ -, not: " + name);
    }
    bounded("the event " + name, data, INLINE_OUTPUT_BYTES);
  }

  /** Refuses what is no JSON that can be stored, or is larger than it may be. */
  static void bounded(String what, JsonNode value, int mostBytes) {
    ValueRules.check(what, value);
    if (JsonSize.exceeds(value, mostBytes)) {
      throw new IllegalArgumentException(what + " is larger than " + mostBytes + " bytes");
    }
  }
}
