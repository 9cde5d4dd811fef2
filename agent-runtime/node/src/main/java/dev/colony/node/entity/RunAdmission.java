package dev.colony.node.entity;

import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.core.lifecycle.AgentSnapshot;
import java.time.Instant;
import java.util.Optional;

/**
 * Which runs an agent is asked for in vain, and when it is to be asked again. Used by the agent's
 * actor only.
 *
 * <p>Until the first run that was turned away has come again, no other one is taken: so a run that
 * is asked for later does not overtake it when there is room between the two. It is not waited for
 * without an end, since it may never come: its reader may have found that it was cancelled.
 */
final class RunAdmission {

  private final AgentId agent;
  private final EntityServices services;
  private Optional<RunId> first = Optional.empty();
  private Instant until = Instant.MIN;
  private boolean hinted;

  RunAdmission(AgentId agent, EntityServices services) {
    this.agent = agent;
    this.services = services;
  }

  /** Has the inbox's reader come again at once, where it was sent away and there is room. */
  void look(AgentSnapshot state) {
    if (first.isPresent() && !hinted && services.lifecycle().roomy(state)) {
      hinted = true;
      services.hint(agent);
    }
  }

  /** What is answered without looking at the agent's state. */
  Optional<AcceptReply> declined(ExecutionContext context) {
    if (!context.covers(agent.scope())) {
      String why = "the request is for " + context.tenant() + "/" + context.colony();
      return Optional.of(new AcceptReply.Rejected(why + ", which is not the agent's colony"));
    }
    boolean waits =
        first.isPresent() && !first.get().equals(context.run()) && services.now().isBefore(until);
    return waits
        ? Optional.of(new AcceptReply.Busy("a run that was asked for before it waits, too"))
        : Optional.empty();
  }

  /** A run that does not wait for another's turn was turned away. */
  void refused(RunId run) {
    first = Optional.of(run);
    until = services.now().plus(services.bounds().inbox().lanes().busy().longest().multipliedBy(2));
    hinted = false;
  }

  /** A run that does not wait for another's turn was dealt with. */
  void settled() {
    first = Optional.empty();
  }
}
