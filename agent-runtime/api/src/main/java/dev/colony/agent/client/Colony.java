package dev.colony.agent.client;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.author.Agent;
import java.util.concurrent.CompletableFuture;

/**
 * The way to agents for a process that reaches the blackboard or the HTTP API, in the cluster or
 * outside. Thread-safe; no call blocks.
 */
public interface Colony {

  /** An agent, which need not exist: a run of one that does not fails with saying so. */
  AgentHandle agent(AgentId id);

  /**
   * Enters an agent into the directory and has it started, soon after. It hears of the events that
   * it handles from here on, however long the start takes. Repeating it changes nothing.
   *
   * <p>Fails with {@link AgentException} if the agent exists with another blueprint, or a
   * capability stands in another tenant or colony than the agent, and with {@link
   * dev.colony.blackboard.BlackboardException}.
   */
  CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint);

  Sessions sessions(String tenant, String colony);

  /**
   * The same, as far as code that runs on behalf of a run may use it: runs that are asked for
   * through it carry on the run's trace and, where they name none, its session; agents and sessions
   * of another tenant or colony are refused with {@link AgentException}, and so is spawning, for
   * which there are {@link Agent#children}.
   */
  Colony within(ExecutionContext context);
}
