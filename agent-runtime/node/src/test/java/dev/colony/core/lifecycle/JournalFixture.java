package dev.colony.core.lifecycle;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.ErrorContext;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.DurableMemory;
import dev.colony.agent.author.StepDelta;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.core.lifecycle.ActiveRun.Blocked;
import dev.colony.core.lifecycle.ActiveRun.Grants;
import dev.colony.core.lifecycle.AgentCommand.LifecycleCommand;
import dev.colony.core.lifecycle.AgentEvent.Revision;
import dev.colony.core.lifecycle.AgentSnapshot.Holder;
import dev.colony.core.lifecycle.AgentSnapshot.Home;
import dev.colony.core.lifecycle.AgentSnapshot.LifecycleStatus;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import dev.colony.core.lifecycle.Intent.Intended;
import dev.colony.core.lifecycle.RunQueue.QueuedRun;
import dev.colony.inference.FinishReason;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceReply.Timings;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.ToolCall;
import dev.colony.inference.Usage;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the stored records say that the tests read: one of each type of event and a snapshot, with
 * something in every component, and a further one where two components exclude each other. Stored
 * records are never written again: what is added to a type is read from them as absent.
 */
final class JournalFixture {

  static final String FOLDER = "dev/colony/core/lifecycle/journal";

  private static final Instant AT = Instant.parse("2026-01-02T03:04:05.678Z");
  private static final ObjectNode JSON =
      JsonNodeFactory.instance.objectNode().put("text", "x").put("number", 7).put("real", 0.5);
  private static final SessionId SESSION = new SessionId("s1");
  private static final AgentId AGENT = new AgentId("acme", "lab", "helper");
  private static final Usage USAGE = new Usage(100, 40, 10);
  private static final BigDecimal COST = new BigDecimal("0.00024");
  private static final Scope SCOPE = Scope.colony("acme", "billing").namespace("n");
  private static final InferenceReply REPLY =
      InferenceReply.text("call", "text", USAGE, "replica", true);
  private static final InferenceReply TOOLS_REPLY =
      new InferenceReply(
          "call",
          "text",
          List.of(new ToolCall("t1", "search", JSON)),
          "since",
          FinishReason.TOOL_CALLS,
          new Usage(100, 40, 10, 4),
          new Timings(Duration.ofMillis(1), Duration.ofMillis(2), Duration.ofMillis(3)),
          "model",
          "",
          "replica",
          true);
  private static final Action ACTION = Action.of("a0", "review.check", JSON);
  private static final ActionResult RESULT =
      new ActionResult(
          "a0",
          ActionResult.Status.BLOCKED,
          JSON,
          "waits",
          Optional.of("run/a0"),
          List.of(AGENT),
          Optional.empty(),
          USAGE,
          List.of());
  private static final StepDelta DELTA =
      new StepDelta(
          JSON,
          List.of(new StreamAppend("talk", 20, new StreamEntry(StreamEntry.EVENT, AT, JSON))),
          Map.of("review", JSON),
          Optional.of(Set.of("other")),
          Optional.of(SESSION));
  private static final Blocked BLOCKED =
      new Blocked(false, "waits", List.of(AGENT), Optional.empty(), Instant.EPOCH);
  private static final Blocked BLOCKED_UNTIL =
      new Blocked(
          false, "waits", List.of(), Optional.of(new ResumptionCondition.Approved("lead")), AT);
  private static final Suspension SUSPENSION =
      new Suspension(
          7,
          SuspensionCause.APPROVAL,
          "waits",
          Optional.of(
              ResumptionCondition.all(
                  new ResumptionCondition.ChildrenCompleted(List.of(AGENT)),
                  new ResumptionCondition.ResourceAvailable(),
                  new ResumptionCondition.PagesAvailable(List.of(new PageId("b".repeat(26)))),
                  new ResumptionCondition.Immediate(),
                  ResumptionCondition.any(
                      new ResumptionCondition.Custom("go"),
                      new ResumptionCondition.At(AT),
                      new ResumptionCondition.Event(SCOPE, new KeyGlob("a:*")),
                      new ResumptionCondition.Approved("lead")))),
          AT,
          AT.minusSeconds(5),
          true);
  private static final Suspension ANCHORED =
      new Suspension(
          8,
          SuspensionCause.APPROVAL,
          "waits",
          Optional.of(new ResumptionCondition.Approved("lead", Optional.of(new Position(6, 7)))),
          AT);
  private static final Approval APPROVAL = new Approval("lead", true, "me", "do it", AT);
  private static final DurableMemory MEMORY =
      new DurableMemory(
          Map.of("talk", List.of(new StreamEntry(StreamEntry.ACTION, AT, JSON))),
          Map.of("review", JSON),
          Set.of("other"));
  private static final ErrorContext ERROR =
      new ErrorContext("action", "no", Optional.of("a0"), true);
  private static final EventBatch BATCH =
      new EventBatch(
          SCOPE,
          List.of(
              new EventBatch.Event(
                  "alarm:1", new Position(5, 6), AT, "me", 0, 1, Set.of("t"), Optional.of(JSON))),
          true);
  private static final RunStats STATS = new RunStats(2, 3, USAGE, 1, 0, COST, List.of());
  private static final RunRequest REQUEST =
      new RunRequest(
          new ExecutionContext("acme", "lab", Optional.of(SESSION), new RunId("r1"), "trace"),
          "test",
          JSON,
          "me",
          AT);
  private static final AgentRun RUN =
      new AgentRun(
          new RunId("r1"),
          AgentRun.Status.FAILED,
          JSON,
          Optional.of("fell short"),
          STATS,
          Optional.of(SESSION),
          Map.of("part", JSON),
          List.of("ask first"),
          false);
  private static final AgentBlueprint BLUEPRINT =
      AgentBlueprint.of(new Blueprint("policy", JSON))
          .capability(CapabilityBlueprint.of(Blueprint.of("review")).key("checks").scope(SCOPE))
          .pages(new PageGroupId("a".repeat(26)))
          .kind(AgentKind.VCM_BOUND)
          .budget(
              RunBudget.OF_NODE
                  .iterations(9)
                  .time(Duration.ofMinutes(5))
                  .tokens(1_000)
                  .cost(BigDecimal.ONE));
  private static final Watch WATCH =
      new Watch(
          SCOPE,
          Set.of(new KeyGlob("a:*"), new KeyGlob("b")),
          new Position(1, 2),
          new Position(3, 4),
          new Position(5, 6));

  private static final ForkSeed FORK_SEED =
      new ForkSeed(
          AGENT,
          40,
          MEMORY,
          2,
          SharedActionHistory.of(List.of(new ActionCall(ACTION, RESULT))),
          JSON);

  /**
   * What the records say, by their files: the name of the type, and behind a dot what a further one
   * of that type shows.
   */
  static final Map<String, Object> RECORDS =
      Map.ofEntries(
          Map.entry("agent-claimed", new AgentEvent.Claimed(3, "node", AT)),
          Map.entry("run-accepted", new AgentEvent.RunAccepted(REQUEST, 2, AT)),
          Map.entry(
              "model-answered",
              new AgentEvent.ModelAnswered("plan", REPLY, true, Optional.of(COST), AT)),
          Map.entry(
              "model-answered.tools",
              new AgentEvent.ModelAnswered("plan", TOOLS_REPLY, true, Optional.of(COST), AT)),
          Map.entry(
              "model-answered.named",
              new AgentEvent.ModelAnswered(
                  "plan",
                  new InferenceReply(
                      "call",
                      "text",
                      List.of(),
                      "",
                      FinishReason.STOP,
                      USAGE,
                      Timings.NONE,
                      "gpt-5",
                      "large",
                      "large@replica",
                      false),
                  true,
                  Optional.of(COST),
                  AT)),
          Map.entry(
              "run-completed.models",
              new AgentEvent.RunCompleted(
                  AgentRun.completed(
                      new RunId("r1"),
                      JSON,
                      new RunStats(2, 3, USAGE, 1, 0, COST, List.of("large (gpt-5)", "small"))),
                  AT)),
          Map.entry(
              "step-completed.models",
              new AgentEvent.StepCompleted(
                  4,
                  Optional.of(
                      new ActionCall(
                          ACTION,
                          RESULT.used(
                              USAGE, List.of(new ActionResult.ModelUse("gpt-5", "large", USAGE))))),
                  DELTA,
                  Optional.of(COST),
                  Optional.empty(),
                  Optional.empty(),
                  AT)),
          Map.entry(
              "agent-spawned.model",
              new AgentEvent.Spawned(BLUEPRINT.model(ModelChoice.named("large")), AT)),
          Map.entry(
              "agent-spawned.tags",
              new AgentEvent.Spawned(BLUEPRINT.model(ModelChoice.tagged("fast", "cheap")), AT)),
          Map.entry("action-intended", new AgentEvent.ActionIntended(ACTION, true, DELTA, AT)),
          Map.entry(
              "step-completed",
              new AgentEvent.StepCompleted(
                  4,
                  Optional.of(new ActionCall(ACTION, RESULT)),
                  DELTA,
                  Optional.of(COST),
                  Optional.of(BLOCKED),
                  Optional.of(ERROR),
                  AT)),
          Map.entry("run-completed", new AgentEvent.RunCompleted(RUN, AT)),
          Map.entry("result-published", new AgentEvent.ResultPublished(new RunId("r1"), 1, AT)),
          Map.entry("scopes-watched", new AgentEvent.ScopesWatched(List.of(WATCH), 1, AT)),
          Map.entry(
              "events-noticed", new AgentEvent.EventsNoticed(SCOPE, new Position(5, 6), 1, AT)),
          Map.entry(
              "events-taken",
              new AgentEvent.EventsTaken(
                  SCOPE,
                  Optional.of(BATCH),
                  new Position(5, 6),
                  Optional.of(new Position(7, 8)),
                  2,
                  AT)),
          Map.entry("end-announced", new AgentEvent.Announced(AgentState.STOPPED, 1, AT)),
          Map.entry(
              "agent-spawned",
              new AgentEvent.Spawned(
                  BLUEPRINT.budget(BLUEPRINT.budget().whenSpent(RunBudget.WhenSpent.SUSPEND)), AT)),
          Map.entry("agent-forked", new AgentEvent.Forked(FORK_SEED, AT)),
          Map.entry(
              "rewind-requested",
              new AgentEvent.RewindRequested(
                  new Rewinding(new RunId("r1"), 3, 2, true), "why", 1, AT)),
          Map.entry("rewind-refused", new AgentEvent.RewindRefused("why", 0, AT)),
          Map.entry(
              "run-rewound",
              new AgentEvent.RunRewound(
                  FORK_SEED.rewound(
                      new Rewound(
                          2, STATS, List.of(new Rewound.Deed(ACTION, "key", true, RESULT)))),
                  true,
                  AT)),
          Map.entry(
              "step-completed.until",
              new AgentEvent.StepCompleted(
                  4,
                  Optional.of(
                      new ActionCall(
                          ACTION,
                          ActionResult.blocked(
                              "a0", "waits", new ResumptionCondition.Approved("lead")))),
                  DELTA,
                  Optional.empty(),
                  Optional.of(BLOCKED_UNTIL),
                  Optional.empty(),
                  AT)),
          Map.entry(
              "cancel-requested", new AgentEvent.CancelRequested(new RunId("r1"), "why", 2, AT)),
          Map.entry(
              "state-changed",
              new AgentEvent.Transitioned(
                  LifecycleCommand.SUSPEND,
                  AgentState.WAITING,
                  AgentState.SUSPENDED,
                  "why",
                  Optional.of(SUSPENSION),
                  1,
                  AT)),
          Map.entry("suspension-entered", new AgentEvent.SuspensionEntered(7, 1, AT)),
          Map.entry("approval-given", new AgentEvent.Approved(APPROVAL, AT)),
          Map.entry("agent-rehomed", new AgentEvent.Rehomed(12, "room", 1, AT)),
          Map.entry("rehome-confirmed", new AgentEvent.RehomeConfirmed(12, 1, AT)),
          Map.entry("signal-applied", new AgentEvent.SignalApplied(new Position(8, 9), AT)),
          Map.entry(
              "model-failed",
              new AgentEvent.ModelFailed("plan", new Usage(90, 3, 7, 2), Optional.of(COST), AT)),
          Map.entry("model-asked", new AgentEvent.ModelAsked("plan", 9, Optional.of(COST), AT)),
          Map.entry(
              "state-changed.anchored",
              new AgentEvent.Transitioned(
                  LifecycleCommand.SUSPEND,
                  AgentState.WAITING,
                  AgentState.SUSPENDED,
                  "why",
                  Optional.of(ANCHORED),
                  1,
                  AT)),
          Map.entry(
              "action-begun", new AgentEvent.ActionBegun(ACTION, true, Optional.of("pay-1"), AT)),
          Map.entry(
              "action-ended",
              new AgentEvent.ActionEnded(
                  new ActionCall(ACTION, RESULT), Optional.of("pay-1"), Optional.of(COST), AT)),
          Map.entry(
              "step-completed.policy",
              new AgentEvent.StepCompleted(
                  4,
                  Optional.empty(),
                  new StepDelta(
                      null, List.of(), Map.of(), Optional.empty(), Optional.empty(), JSON),
                  Optional.empty(),
                  Optional.empty(),
                  Optional.empty(),
                  AT)),
          Map.entry(
              "blueprint-revised",
              new AgentEvent.BlueprintRevised(
                  BLUEPRINT, new Revision(2, Optional.of(new Position(8, 9))), "why", AT)),
          Map.entry("agent-snapshot", snapshot(Optional.empty(), whole(), MEMORY)),
          Map.entry(
              "agent-snapshot.several",
              snapshot(
                  Optional.of(new Revision(2, Optional.of(new Position(8, 9)))),
                  StepState.FIRST.actions(
                      new StepActions(
                          Map.of("a1", new StepActions.Begun(ACTION, true, 3)),
                          SharedActionHistory.of(List.of(new ActionCall(ACTION, RESULT))),
                          Map.of("a1", "pay-1"))),
                  new DurableMemory(Map.of(), Map.of(), Set.of(), JSON))));

  private JournalFixture() {}

  private static StepState whole() {
    return new StepState(
        Map.of(),
        Map.of("plan", REPLY),
        List.of(BATCH),
        Optional.of(new Intended(ACTION, true, DELTA, 3)),
        StepActions.NONE,
        Optional.of(BLOCKED_UNTIL),
        Optional.of(RUN),
        Optional.of(AT));
  }

  private static AgentSnapshot snapshot(
      Optional<Revision> revision, StepState stepState, DurableMemory memory) {
    return new AgentSnapshot(
        Optional.of(BLUEPRINT),
        revision,
        new LifecycleStatus(
            AgentState.SUSPENDED,
            AgentState.INITIALIZED,
            Optional.of("why"),
            Optional.of(SUSPENSION),
            7,
            true,
            Optional.of(new Position(8, 9))),
        new Holder(3, "node", 0),
        Optional.of(new Home(12, true)),
        new RunQueue(
            List.of(
                new QueuedRun(REQUEST, AT, Optional.of("not wanted"), Duration.ofMillis(1_500))),
            Optional.of(run(new Grants(Map.of("lead", APPROVAL), 2, Optional.empty()), stepState)),
            List.of(new RunId("r0")),
            Optional.empty()),
        List.of(WATCH),
        memory,
        Optional.of(FORK_SEED.remembered()));
  }

  private static ActiveRun run(Grants grants, StepState stepState) {
    return new ActiveRun(
        STATS,
        SharedActionHistory.of(List.of(new ActionCall(ACTION, RESULT))),
        JSON,
        Optional.of(SESSION),
        grants,
        Optional.empty(),
        stepState);
  }

  /** The name of the type that a file has a record of. */
  static String manifest(String file) {
    return file.split("\\.")[0];
  }

  /** Writes the records that a folder lacks; what is there stays as it is. */
  public static void main(String[] resources) throws IOException {
    try (JournalFormat format = new JournalFormat()) {
      Path folder = Files.createDirectories(Path.of(resources[0]).resolve(FOLDER));
      for (Map.Entry<String, Object> record : RECORDS.entrySet()) {
        Path file = folder.resolve(record.getKey() + ".cbor");
        if (!Files.exists(file)) {
          Files.write(file, format.write(record.getValue()));
        }
      }
    }
  }
}
