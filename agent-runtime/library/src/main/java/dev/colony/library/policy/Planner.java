package dev.colony.library.policy;

import dev.colony.agent.AgentException;
import dev.colony.library.prompt.PlanningContext;

/** Decides what an agent does next. Used by one thread at a time. */
@FunctionalInterface
public interface Planner {

  /**
   * What is to be done next; may ask the model, and may block.
   *
   * @return a proposal, {@link Proposal.Unusable} where the model said nothing that can be done
   * @throws AgentException if the model cannot be asked
   */
  Proposal plan(PlanningContext context) throws Exception;
}
