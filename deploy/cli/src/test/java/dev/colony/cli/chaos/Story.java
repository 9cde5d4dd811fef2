package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.StepDelta;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Two runs of one agent, with a node that was lost between them; tests spoil what it tells. */
final class Story {

  static final AgentId AGENT = new AgentId("acme", "chaos", "runner");
  static final RunId FIRST = new RunId("first");
  static final RunId SECOND = new RunId("second");

  private static final int STEPS = 3;
  private static final Instant AT = Instant.EPOCH;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  final List<Stored> journal = new ArrayList<>();
  final List<Deed> deeds = new ArrayList<>();
  final Map<RunId, AgentRun> answered = new HashMap<>();
  final Map<RunId, Evidence.Published> published = new HashMap<>();

  Story() {
    write("w1", new AgentEvent.Spawned(Errand.BLUEPRINT, AT));
    write("w1", new AgentEvent.Claimed(1, "a", AT));
    run("w1", FIRST);
    write("w2", new AgentEvent.Claimed(2, "b", AT));
    run("w2", SECOND);
  }

  private void run(String writer, RunId run) {
    ExecutionContext context = ExecutionContext.of(AGENT, run);
    RunRequest request = new RunRequest(context, Errand.NAMESPACE, JSON.objectNode(), "test", AT);
    write(writer, new AgentEvent.RunAccepted(request, 1, AT));
    ArrayNode statuses = JSON.arrayNode();
    for (int step = 0; step < STEPS; step++) {
      write(writer, step(step));
      statuses.add("SUCCEEDED");
    }
    write(writer, last());
    AgentRun ended = AgentRun.completed(run, statuses, RunStats.NONE);
    write(writer, new AgentEvent.RunCompleted(ended, AT));
    write(writer, new AgentEvent.ResultPublished(run, 0, AT));
    answered.put(run, ended);
    published.put(run, new Evidence.Published(ended.toJson(), 1));
    deeds.add(new Deed(Errand.Kind.SEND, run.value(), 1, run + "-k1"));
    deeds.add(new Deed(Errand.Kind.PAY, run.value(), 2, run + "-k2"));
  }

  static AgentEvent.StepCompleted step(int step) {
    String id = Errand.actionId(step);
    Action action = Action.of(id, "hands.any", JSON.objectNode());
    ActionCall call = new ActionCall(action, ActionResult.succeeded(id, JSON.nullNode()));
    return completed(step, Optional.of(call));
  }

  private static AgentEvent.StepCompleted last() {
    return completed(STEPS, Optional.empty());
  }

  private static AgentEvent.StepCompleted completed(int step, Optional<ActionCall> call) {
    return new AgentEvent.StepCompleted(
        step, call, StepDelta.NONE, Optional.empty(), Optional.empty(), Optional.empty(), AT);
  }

  /** Appends to the journal. */
  void write(String writer, AgentEvent event) {
    journal.add(new Stored(journal.size() + 1, writer, event));
  }

  /** Where the first event of a kind stands. */
  int indexOf(Class<? extends AgentEvent> kind) {
    int index = 0;
    while (!kind.isInstance(journal.get(index).content())) {
      index++;
    }
    return index;
  }

  /** Puts another event in the place of one. */
  void replace(int index, String writer, AgentEvent event) {
    journal.set(index, new Stored(journal.get(index).sequenceNr(), writer, event));
  }

  /** Says of one step of the first run how it ended, to every reader. */
  void status(int step, String status) {
    AgentRun before = answered.get(FIRST);
    ArrayNode statuses = before.output().deepCopy();
    statuses.set(step, status);
    AgentRun after = AgentRun.completed(FIRST, statuses, RunStats.NONE);
    answered.put(FIRST, after);
    published.put(FIRST, new Evidence.Published(after.toJson(), 1));
    replace(indexOf(AgentEvent.RunCompleted.class), "w1", new AgentEvent.RunCompleted(after, AT));
  }

  Evidence evidence() {
    return new Evidence(
        STEPS,
        Map.of(AGENT, List.of(FIRST, SECOND)),
        answered,
        published,
        Map.of(AGENT, List.copyOf(journal)),
        List.copyOf(deeds));
  }
}
