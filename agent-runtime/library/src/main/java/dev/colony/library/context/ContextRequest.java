package dev.colony.library.context;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a prompt is built from.
 *
 * @param agent the agent's name on the stage
 * @param persona who it is
 * @param stage what stands on the stage
 * @param memory what it recalls, a line each, the oldest first, as {@code [turn NNN][kind] text};
 *     empty for what it has witnessed on the stage
 * @param extra what the scenario adds, as it is; empty for nothing
 * @param outputFormat what form the answer must have, as it is; empty for none
 */
public record ContextRequest(
    String agent,
    String persona,
    StageProjection stage,
    Optional<List<String>> memory,
    String extra,
    String outputFormat) {

  public ContextRequest {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(persona, "persona");
    Objects.requireNonNull(stage, "stage");
    Objects.requireNonNull(extra, "extra");
    Objects.requireNonNull(outputFormat, "outputFormat");
    memory = memory.map(List::copyOf);
  }

  public static ContextRequest of(String agent, String persona, StageProjection stage) {
    return new ContextRequest(agent, persona, stage, Optional.empty(), "", "");
  }

  public ContextRequest memory(List<String> lines) {
    return new ContextRequest(agent, persona, stage, Optional.of(lines), extra, outputFormat);
  }

  public ContextRequest extra(String text) {
    return new ContextRequest(agent, persona, stage, memory, text, outputFormat);
  }

  public ContextRequest outputFormat(String text) {
    return new ContextRequest(agent, persona, stage, memory, extra, text);
  }

  /** The same without what the agent must not see, whatever a layer shows. */
  ContextRequest seenByItself() {
    return new ContextRequest(agent, persona, stage.seenBy(agent), memory, extra, outputFormat);
  }
}
