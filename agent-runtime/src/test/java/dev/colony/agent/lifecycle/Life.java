package dev.colony.agent.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.ActionOutcome;
import dev.colony.agent.ActionPolicy;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ModelFailure;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.key.KeyGlob;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * An agent's life without actors: it does what the planner says, journals what the lifecycle
 * decides, and dies wherever it is told to.
 */
final class Life {

  static final AgentId AGENT = new AgentId("acme", "billing", "reviewer");
  static final AgentBlueprint BLUEPRINT = AgentBlueprint.of(Blueprint.of("script"));
  static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
  static final RunLimits LIMITS = new RunLimits(100, 4, 2, 10_000);
  static final Scope SCOPE = Scope.colony("acme", "billing");
  static final Set<KeyGlob> GLOBS = Set.of(new KeyGlob("alarm:*"));

  final List<AgentEvent> journal = new ArrayList<>();
  final Map<RunId, AgentRun> published = new LinkedHashMap<>();
  final Map<String, Integer> executions = new HashMap<>();
  final Lifecycle lifecycle = new Lifecycle(LIMITS);
  private final Planner planner;
  private final LifeBoard board;
  private final BooleanSupplier modelFails;
  AgentSnapshot state = AgentSnapshot.UNBORN;

  Life(Script script, BooleanSupplier modelFails) {
    this(script, Map.of(), new LifeBoard(), modelFails);
  }

  Life(
      ActionPolicy policy,
      Map<Scope, Set<KeyGlob>> patterns,
      LifeBoard board,
      BooleanSupplier modelFails) {
    this.planner = new Planner(AGENT, policy, Optional.of(patterns), LIMITS);
    this.board = board;
    this.modelFails = modelFails;
  }

  static RunRequest request(String id) {
    return new RunRequest(
        ExecutionContext.of(new AgentId("acme", "lab", "a"), new RunId(id)),
        "test",
        JsonNodeFactory.instance.objectNode(),
        "me",
        AT);
  }

  static AgentSnapshot replay(List<AgentEvent> events) {
    Lifecycle lifecycle = new Lifecycle(LIMITS);
    AgentSnapshot state = AgentSnapshot.UNBORN;
    for (AgentEvent event : events) {
      state = lifecycle.apply(state, event);
    }
    return state;
  }

  /** Forgets everything but the journal and claims again. */
  void recover() {
    state = replay(journal);
    tell(new AgentCommand.Claim(Optional.of(BLUEPRINT), "node", AT));
  }

  Verdict tell(AgentCommand command) {
    Verdict verdict = lifecycle.decide(state, command);
    if (verdict instanceof Verdict.Journal events) {
      for (AgentEvent event : events.events()) {
        journal.add(event);
        state = lifecycle.apply(state, event);
      }
    }
    return verdict;
  }

  /**
   * Works until nothing is left.
   *
   * @param dies asked after each piece of work, before and after its outcome is journaled
   */
  void live(BooleanSupplier dies) {
    while (step(dies)) {}
  }

  /** Does one piece of work; false if there is none. */
  boolean step(BooleanSupplier dies) {
    Work work = planner.next(state, AT);
    if (work instanceof Work.Nothing) {
      return false;
    }
    AgentCommand outcome = carryOut(work);
    if (dies.getAsBoolean()) {
      recover();
      return true;
    }
    if (!(tell(outcome) instanceof Verdict.Journal)) {
      throw new AssertionError(outcome + " was refused in " + state);
    }
    if (dies.getAsBoolean()) {
      recover();
    }
    return true;
  }

  /** Whether the agent takes wakes now. */
  boolean watching() {
    return state.phase() != AgentSnapshot.Phase.UNBORN && planner.watching(state);
  }

  private AgentCommand carryOut(Work work) {
    return switch (work) {
      case Work.Nothing nothing -> throw new AssertionError("nothing to do");
      case Work.Tell tell -> tell.command();
      case Work.CallModel call ->
          modelFails.getAsBoolean()
              ? new AgentCommand.RecordModelFailure(new ModelFailure("no answer", true), AT)
              : new AgentCommand.RecordReply(reply(call.callId(), call.call().suffix()), true, AT);
      case Work.Execute execute -> {
        executions.merge(execute.idempotencyKey(), 1, Integer::sum);
        JsonNode result = execute.action().params();
        yield new AgentCommand.CompleteStep(
            ActionOutcome.succeeded(execute.action().actionId(), result), AT);
      }
      case Work.Publish publish -> {
        published.putIfAbsent(publish.request().runId(), publish.run());
        yield new AgentCommand.ConfirmPublished(publish.request().runId(), AT);
      }
      case Work.WatchScopes watch -> board.watch(watch);
      case Work.ReadEvents read -> board.read(read);
    };
  }

  static InferenceReply reply(String callId, String text) {
    return new InferenceReply(callId, text, new Usage(5, 3, 2), "replica", true);
  }
}
