package dev.colony.library.memory;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Consolidates the memories of agents of its colony, as {@link Consolidation} has it; {@link
 * MemoryManagementPolicy#agent} is a service agent that does so from time to time. A memory that is
 * recalled or changed meanwhile is left for the next time.
 */
@Registered(
    value = "memory.consolidation",
    summary = "Consolidates the memories of agents: what says the same becomes one memory.")
public final class MemoryManagementCapability extends AgentCapability {

  static final String CONSOLIDATE = "memory_consolidate";

  private final Args args;

  /**
   * Whose memories, and how.
   *
   * @param agents names of agents of the colony; none for the agent's own
   */
  public record Args(@Range(max = 1_000) List<String> agents, Consolidation how) {

    public Args {
      agents = List.copyOf(agents);
    }

    /** The memories of these agents, as {@link Consolidation#DEFAULT} has it. */
    public static Args of(String... agents) {
      return new Args(List.of(agents), Consolidation.DEFAULT);
    }

    public Args how(Consolidation other) {
      return new Args(agents, other);
    }
  }

  /**
   * What has become of an agent's memories.
   *
   * @param merged how many have gone into another one
   * @param digested how many stand in digests now
   */
  public record Outcome(String agent, int merged, int digested) {}

  public MemoryManagementCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  /** The capability, in any agent of the colony. */
  public static CapabilityBlueprint bind(Args args) {
    return CapabilityBlueprint.of(Blueprint.bind(MemoryManagementCapability.class, args));
  }

  @ActionExecutor(
      key = CONSOLIDATE,
      summary =
          "Consolidates memories: what says the same becomes one memory, the least salient become "
              + "short digests.",
      tags = "memory")
  List<Outcome> consolidate(
      @Param("the agent whose memories; of all that this one takes care of if absent")
          Optional<String> agent) {
    List<AgentId> wanted =
        agents().stream().filter(one -> agent.map(one.name()::equals).orElse(true)).toList();
    if (wanted.isEmpty()) {
      throw AgentException.refused(
          "this agent does not take care of the memories of "
              + agent.orElse("any agent")
              + ", only of "
              + agents().stream().map(AgentId::name).toList());
    }
    return wanted.stream().map(this::consolidate).toList();
  }

  private Outcome consolidate(AgentId one) {
    MemoryStore memories =
        new MemoryStore(agent().blackboard(one.scope().namespace(MemoryCapability.NAMESPACE)));
    int merged = 0;
    int digested = 0;
    for (Consolidation.Step step : args.how().steps(memories.all(Set.of()), now())) {
      if (memories.replace(step)) {
        merged += step.digest() ? 0 : step.replaced().size() - 1;
        digested += step.digest() ? step.replaced().size() : 0;
      }
    }
    return new Outcome(one.name(), merged, digested);
  }

  private List<AgentId> agents() {
    AgentId self = agent().id();
    List<AgentId> all = new ArrayList<>();
    for (String name : args.agents().isEmpty() ? List.of(self.name()) : args.agents()) {
      all.add(new AgentId(self.tenant(), self.colony(), name));
    }
    return all;
  }

  private Instant now() {
    return blackboard().clock().instant();
  }
}
