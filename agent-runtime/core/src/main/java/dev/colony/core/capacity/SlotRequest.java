package dev.colony.core.capacity;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.Preemption.Aging;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * That an agent wants to work.
 *
 * @param priority 0 to 100
 * @param tokens which it expects to hold in the model server; 0 if unknown
 * @param since when it has been waiting, over all the suspensions of this wait
 */
public record SlotRequest(AgentId agent, AgentKind kind, int priority, long tokens, Instant since) {

  public SlotRequest {
    Objects.requireNonNull(agent, "agent");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(since, "since");
  }

  public static SlotRequest of(AgentId agent, AgentBlueprint what, Instant since) {
    return new SlotRequest(
        agent, what.kind(), what.resources().priority(), what.resources().expectedTokens(), since);
  }

  /** Whose share it is taken from. */
  public String tenant() {
    return agent.tenant();
  }

  /** Whether it may be suspended where capacity is short; a service is there for others. */
  public boolean suspendable() {
    return kind != AgentKind.SERVICE;
  }

  /**
   * An agent that has a slot. Its effective priority stays what it was when it was given the slot:
   * what it has earned by waiting it does not lose by working, and gains nothing more.
   *
   * @param since when it was given the slot
   */
  public record AdmittedAgent(SlotRequest request, Instant since) {

    double effective(Aging aging) {
      return aging.effective(request, since);
    }

    Duration length(Instant now) {
      return Duration.between(since, now);
    }
  }
}
