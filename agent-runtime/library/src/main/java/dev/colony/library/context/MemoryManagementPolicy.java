package dev.colony.library.context;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Param.Range;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.value.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;

/**
 * Has memories consolidated from time to time, for as long as its agent lives: each run waits for
 * its time, consolidates, and asks for the next run. While it waits the agent is suspended, and no
 * node has to keep it. The first run is asked for by a caller, with any input; a second one that is
 * asked for later consolidates once and ends, since the next run of the first is there.
 */
@Registered(
    value = "memory.management",
    summary = "Has the memories of agents consolidated from time to time.")
public final class MemoryManagementPolicy extends BaseActionPolicy {

  /** In which the runs after the first stand. */
  public static final String NAMESPACE = "memory-management";

  private static final Duration SHORTEST = Duration.ofSeconds(10);
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final String AFTER = "after";
  private static final String ROUND = "round";
  private static final String NEXT = "next";

  private final Pace pace;

  /**
   * How often.
   *
   * @param every 10 s to 365 d
   */
  public record Pace(@Param("as in PT1H") Duration every) {

    public Pace {
      if (every.compareTo(SHORTEST) < 0 || every.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "every is %s, but must be %s to %s".formatted(every, SHORTEST, LONGEST));
      }
    }
  }

  public MemoryManagementPolicy(PolicyContext context, Pace pace) {
    super(context);
    this.pace = pace;
  }

  /** A service agent that takes care of memories, and does nothing else. */
  public static AgentBlueprint agent(Duration every, MemoryManagementCapability.Args args) {
    // A run waits for its time before it begins, which counts as its own.
    return AgentBlueprint.of(MemoryManagementPolicy.class, new Pace(every))
        .kind(AgentKind.SERVICE)
        .capability(MemoryManagementCapability.bind(args))
        .budget(RunBudget.OF_NODE.time(every.multipliedBy(2).plusHours(1)));
  }

  @Override
  protected Decision planStep(ActionPolicyExecutionState state) {
    JsonNode input = state.request().input();
    Instant now = agent().blackboard().clock().instant();
    if (state.history().isEmpty()) {
      Instant due = input.has(AFTER) ? Instant.parse(input.path(AFTER).asText()) : now;
      return now.isBefore(due)
          ? Decision.blocked("until memories are consolidated", new ResumptionCondition.At(due))
          : new Decision.Act(
              Action.of(
                  "consolidate",
                  MemoryManagementCapability.CONSOLIDATE,
                  JsonNodeFactory.instance.objectNode()));
    }
    if (!state.custom().has(NEXT)) {
      // durable before the next run is asked for, so that it is asked for in the same words
      state.custom().put(NEXT, now.plus(pace.every()).toString());
      return new Decision.Skip();
    }
    ObjectNode output = JsonNodeFactory.instance.objectNode();
    ActionResult result = state.history().getLast().result();
    if (result.success()) {
      output.set("consolidated", result.output());
    } else {
      output.put("error", result.error());
    }
    return Decision.Complete.with(goOn(input, state.custom().path(NEXT).asText(), output));
  }

  private ObjectNode goOn(JsonNode input, String after, ObjectNode output) {
    int round = input.path(ROUND).asInt() + 1;
    ObjectNode next = JsonNodeFactory.instance.objectNode().put(AFTER, after).put(ROUND, round);
    RunOptions options =
        RunOptions.namespace(NAMESPACE)
            .runId(new RunId("consolidate-" + round))
            .requestedBy(agent().id().persistenceId());
    try {
      agent().colony().agent(agent().id()).run(next, options).stored().join();
      return output.put(NEXT, after);
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof AgentException refused && !refused.retryable()) {
        return output.put("ends", Text.message(refused));
      }
      throw failed;
    }
  }

  /**
   * Consolidates the memories of agents of its colony, as {@link Consolidation} has it; {@link
   * MemoryManagementPolicy#agent} is a service agent that does so from time to time. A memory that
   * is recalled or changed meanwhile is left for the next time.
   */
  @Registered(
      value = "memory.consolidation",
      summary = "Consolidates the memories of agents: what says the same becomes one memory.")
  public static final class MemoryManagementCapability extends AgentCapability {

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
            "Consolidates memories: what says the same becomes one memory, the least salient become"
                + " short digests.",
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
}
