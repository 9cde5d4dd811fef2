package dev.colony.library.memory;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentKind;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.Background;
import dev.colony.agent.author.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Write;
import dev.colony.library.policy.EventDrivenActionPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Consolidates the memories of agents of its colony from time to time, as {@link Consolidation}
 * has it; {@link #agent} is a service agent that does nothing else. When an agent's memories were
 * consolidated last stands on the blackboard, so that neither a move nor a crash changes the pace.
 * A memory that is recalled or changed meanwhile is left for the next time.
 */
@Registered(
    value = "memory.management",
    summary = "Consolidates the memories of agents: what says the same becomes one memory.")
public final class MemoryManagementCapability extends AgentCapability {

  private static final String DONE = "consolidated:";
  private static final Duration SHORTEST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofDays(365);

  private final Args args;

  /**
   * Whose memories, and how often.
   *
   * @param agents names of agents of the colony; none for the agent's own
   * @param every how often each agent's memories are consolidated, 10 s to 365 d
   */
  public record Args(
      @Range(max = 1_000) List<String> agents,
      @Param("as in PT1H") Duration every,
      Consolidation how) {

    public Args {
      agents = List.copyOf(agents);
      if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "every is %s, but must be %s to %s".formatted(every, SHORTEST, LONGEST));
      }
    }

    /** The memories of these agents each hour, as {@link Consolidation#DEFAULT} has it. */
    public static Args of(String... agents) {
      return new Args(List.of(agents), Duration.ofHours(1), Consolidation.DEFAULT);
    }

    public Args every(Duration other) {
      return new Args(agents, other, how);
    }

    public Args how(Consolidation other) {
      return new Args(agents, every, other);
    }
  }

  /**
   * What has become of an agent's memories.
   *
   * @param merged how many have gone into another one
   * @param digested how many stand in digests now
   */
  public record Outcome(String agent, int merged, int digested, Instant at) {}

  public MemoryManagementCapability(CapabilityContext context, Args args) {
    super(context);
    this.args = args;
  }

  /** A capability of an agent that does other things too. */
  public static CapabilityBlueprint bind(Args args) {
    return CapabilityBlueprint.of(Blueprint.bind(MemoryManagementCapability.class, args))
        .namespace("memory-management");
  }

  /** A service agent that consolidates memories, and does nothing else. */
  public static AgentBlueprint agent(Args args) {
    return AgentBlueprint.of(EventDrivenActionPolicy.class)
        .kind(AgentKind.SERVICE)
        .capability(bind(args));
  }

  /** Consolidates the memories of those agents whose turn it is. */
  @Background(
      name = "consolidate memories",
      effect = "Memories that say the same become one; the least salient become short digests.",
      every = "10s")
  void consolidateDue() {
    Instant now = now();
    for (AgentId one : agents()) {
      Optional<Outcome> last = last(one);
      if (last.isEmpty() || !last.get().at().plus(args.every()).isAfter(now)) {
        consolidate(one);
      }
    }
  }

  @ActionExecutor(
      key = "memory_consolidate",
      summary =
          "Consolidates memories now, though it is done from time to time anyway: what says the "
              + "same becomes one memory, the least salient become short digests.",
      tags = "memory")
  List<Outcome> consolidate(
      @Param("the agent whose memories; of all that this one takes care of if absent")
          Optional<String> agent) {
    List<AgentId> wanted =
        agents().stream()
            .filter(one -> agent.map(one.name()::equals).orElse(true))
            .toList();
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
    Outcome outcome = new Outcome(one.name(), merged, digested, now());
    blackboard().write(Write.value(DONE + one.name(), outcome)).toCompletableFuture().join();
    return outcome;
  }

  private Optional<Outcome> last(AgentId one) {
    return blackboard()
        .read(DONE + one.name())
        .thenApply(there -> there.map((Entry entry) -> entry.as(Outcome.class)))
        .toCompletableFuture()
        .join();
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
