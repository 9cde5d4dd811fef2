package dev.colony.server.agents;

import dev.colony.agent.AgentState;
import dev.colony.agent.suspension.SuspensionCause;
import dev.colony.client.directory.ListedAgent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which agents a list has. All conditions hold at once; one that is empty holds for every agent.
 *
 * @param prefix what the agent's name begins with
 * @param policy the type of the policy in its blueprint
 * @param state by the journal, or by the directory before the first event
 * @param cause of its suspension, by the journal, or STORE for an agent whose events the store has
 *     lost; it holds for no agent that is not suspended
 * @param asking whether it has to ask a person for something
 */
public record AgentFilter(
    String prefix,
    Optional<String> policy,
    Optional<AgentState> state,
    Optional<String> cause,
    boolean asking) {

  /** What agents may be suspended for. */
  private static final List<String> CAUSES =
      Stream.concat(
              Arrays.stream(SuspensionCause.values()).map(Enum::name), Stream.of(ShownAgent.LOST))
          .toList();

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._~-]{0,128}");

  /** Every agent. */
  public static final AgentFilter ALL =
      new AgentFilter("", Optional.empty(), Optional.empty(), Optional.empty(), false);

  /**
   * @throws IllegalArgumentException if no name can begin with the prefix, or there is no such
   *     cause; the case of its letters does not matter
   */
  public AgentFilter {
    cause =
        cause.map(word ->
            CAUSES.stream()
                .filter(word::equalsIgnoreCase)
                .findFirst()
                .orElseThrow(() ->
                    new IllegalArgumentException(
                        "cause is %s, but must be one of %s".formatted(word, CAUSES))));
    if (!PREFIX.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix is up to 128 characters of A-Z a-z 0-9 . _ ~ -, not: " + prefix);
    }
  }

  /** Whether the directory does not speak against it, which says nothing of the journal. */
  boolean mayHave(ListedAgent agent) {
    return policy.map(type -> agent.entry().blueprint().policy().type().equals(type)).orElse(true);
  }

  boolean has(ShownAgent agent) {
    return state.map(one -> agent.state() == one).orElse(true)
        && cause.map(one -> agent.cause().equals(cause)).orElse(true)
        && (!asking || !agent.pending().isEmpty());
  }
}
