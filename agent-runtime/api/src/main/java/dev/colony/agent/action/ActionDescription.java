package dev.colony.agent.action;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.action.ActionType.Effect;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * An action as planners and policies see it.
 *
 * @param key unique within the agent: {@code capabilityKey.name}, or the custom key or {@link
 *     ActionType} that the executor declares
 * @param capability the key of the capability that offers it, or the name of another provider
 * @param summary one or two sentences for a reader who decides
 * @param parameters JSON schema of the parameters, an object
 * @param output JSON schema of the output
 * @param reads names of the scope variables that it reads
 * @param writes names of those that it writes
 * @param planned whether planners are shown it; otherwise it is executed by programs only
 * @param retryable whether it may be executed again under the same idempotency key after a crash
 *     that hid its outcome; matters for {@link Effect#EXTERNAL} only
 * @param computing whether it computes for long without blocking: it runs on a bounded pool of
 *     platform threads and is given up at its timeout
 * @param approval whether a person has to approve it before it begins
 */
public record ActionDescription(
    String key,
    String capability,
    String summary,
    Set<String> tags,
    JsonNode parameters,
    JsonNode output,
    List<String> reads,
    List<String> writes,
    boolean planned,
    Effect effect,
    boolean retryable,
    boolean computing,
    boolean approval,
    Duration timeout) {

  public ActionDescription {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(summary, "summary");
    Objects.requireNonNull(effect, "effect");
    Objects.requireNonNull(timeout, "timeout");
    tags = Set.copyOf(tags);
    reads = List.copyOf(reads);
    writes = List.copyOf(writes);
  }

  /** The same, which begins only once a person has approved it. */
  public ActionDescription approved() {
    return new ActionDescription(
        key,
        capability,
        summary,
        tags,
        parameters,
        output,
        reads,
        writes,
        planned,
        effect,
        retryable,
        computing,
        true,
        timeout);
  }

  /**
   * The actions of one capability, or of another provider.
   *
   * @param name the capability's key or the provider's name
   * @param summary what they have in common, for a reader who decides
   */
  public record ActionGroup(String name, String summary, List<ActionDescription> actions) {

    public ActionGroup {
      actions = List.copyOf(actions);
    }
  }
}
