package dev.colony.examples.mapped;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;

/** Runs of an agent that is made of a blueprint file. */
public final class MappedRun {

  private static final String NAMESPACE = "examples";

  private final AgentHandle agent;

  /** Spawns the agent, unless it is there already. */
  public MappedRun(Colony colony, AgentId id, String blueprint) {
    this.agent = colony.spawn(id, BlueprintFiles.named(blueprint)).toCompletableFuture().join();
  }

  /**
   * Runs it to its end; blocks.
   *
   * @throws CommandFailure if it fails, with the reason
   * @throws AgentException if it cannot be reached
   */
  public JsonNode of(JsonNode input) {
    AgentRun run = agent.run(input, RunOptions.namespace(NAMESPACE)).join();
    if (run.error().isPresent()) {
      throw new CommandFailure(ExitCode.UNSUCCESSFUL, run.error().get());
    }
    return run.output();
  }
}
