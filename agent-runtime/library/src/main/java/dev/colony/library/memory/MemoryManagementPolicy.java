package dev.colony.library.memory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentKind;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.blackboard.value.Text;
import java.time.Duration;
import java.time.Instant;
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
}
