package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.RunOptions;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.value.ValueRules;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What an operator may say of handles; reference.conf says what each setting means. */
@Section("colony.agent.client")
public record ClientSettings(
    @Range(min = "1 KiB", max = "64 MiB") int maxInput,
    @Range(min = "10 ms", max = "1 h") Duration poll,
    @Range(min = "100 ms", max = "36500 d") Duration keepSignals) {

  /**
   * The input of a run as JSON.
   *
   * @throws IllegalArgumentException if it cannot be written as JSON, is larger than it may be or
   *     breaks one of the {@link ValueRules}
   */
  public JsonNode input(Object value) {
    JsonNode input = value instanceof JsonNode json ? json : JsonValues.toJson(value);
    ValueRules.check("the input", input);
    int size = input.toString().getBytes(StandardCharsets.UTF_8).length;
    if (size > maxInput) {
      throw new IllegalArgumentException(
          "the input is "
              + size
              + " bytes, more than "
              + maxInput
              + ": keep it on the blackboard and name it");
    }
    return input;
  }

  /**
   * How long a run is asked for again that is not stored yet: at most as long as the caller waits
   * for it.
   *
   * @param usual where the options do not say
   */
  public static Duration patience(RunOptions options, Duration usual) {
    Duration longest = options.giveUp().orElse(usual);
    return options.timeout().filter(shorter -> shorter.compareTo(longest) < 0).orElse(longest);
  }
}
