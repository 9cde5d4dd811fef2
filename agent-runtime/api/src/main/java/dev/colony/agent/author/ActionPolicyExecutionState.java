package dev.colony.agent.author;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunBudget;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.Suspension.Approval;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.ActionHistory;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.agent.stream.StreamEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What an iteration is given and what it changes. The part that it is given is durable; its changes
 * become so with the step's record, all of them or none. Used by one thread at a time.
 */
public final class ActionPolicyExecutionState {

  /** Among the run's entries: what it has for an answer, as {@link #answer} reads it. */
  private static final String ANSWER = "answerSoFar";

  /** Among the run's entries: the bound for which the policy is coming to its end. */
  private static final String WRAP_UP = "wrapUp";

  /**
   * The durable part.
   *
   * @param iteration of the run, counted from 0
   * @param history the run's actions so far, in their order
   * @param custom the policy's own entries of this run
   * @param events that came since the last iteration, in their order
   * @param session empty outside any session
   * @param approvals what people have said to what the run asked for, by the requests
   * @param bounds what the run may take, the node's bounds and what people have granted included
   * @param overAt when the run's time is over; empty where that is not known
   */
  public record Given(
      RunRequest request,
      int iteration,
      RunStats stats,
      ActionHistory history,
      JsonNode custom,
      List<EventBatch> events,
      Optional<SessionId> session,
      DurableMemory memory,
      Map<String, Approval> approvals,
      RunBudget bounds,
      Optional<Instant> overAt) {

    /** The durable part of a run that nothing bounds. */
    public Given(
        RunRequest request,
        int iteration,
        RunStats stats,
        ActionHistory history,
        JsonNode custom,
        List<EventBatch> events,
        Optional<SessionId> session,
        DurableMemory memory,
        Map<String, Approval> approvals) {
      this(
          request,
          iteration,
          stats,
          history,
          custom,
          events,
          session,
          memory,
          approvals,
          RunBudget.OF_NODE,
          Optional.empty());
    }
  }

  private final Given given;
  private final ObjectNode custom;
  private final ObjectNode policy;
  private final List<StreamAppend> appended = new ArrayList<>();
  private final Map<String, JsonNode> capabilities = new HashMap<>();
  private DurableMemory memory;
  private Set<String> disabled;
  private Optional<SessionId> session;
  private Received received = Received.NOTHING;

  public ActionPolicyExecutionState(Given given) {
    this.given = given;
    this.custom = given.custom().deepCopy();
    this.policy = given.memory().policy().deepCopy();
    this.memory = given.memory();
    this.disabled = given.memory().disabled();
    this.session = given.session();
  }

  /** Repeats what an iteration had changed when a crash cut it off. */
  public void repeat(StepDelta changed) {
    repeat(custom, changed.custom());
    repeat(policy, changed.policy());
    appended.addAll(changed.streams());
    capabilities.putAll(changed.capabilities());
    memory = memory.after(changed);
    disabled = changed.disabled().orElse(disabled);
    session = changed.session().or(() -> session);
  }

  private static void repeat(ObjectNode entries, ObjectNode changes) {
    changes
        .properties()
        .forEach(one -> {
          if (one.getValue().isNull()) {
            entries.remove(one.getKey());
          } else {
            entries.set(one.getKey(), one.getValue());
          }
        });
  }

  public RunRequest request() {
    return given.request();
  }

  /** Of the run, counted from 0. */
  public int iterationNum() {
    return given.iteration();
  }

  /** What the run has taken so far. */
  public RunStats stats() {
    return given.stats();
  }

  /** What the run may take, the node's bounds and what people have granted included. */
  public RunBudget bounds() {
    return given.bounds();
  }

  /** When the run's time is over, by the blackboard's clock; empty where that is not known. */
  public Optional<Instant> overAt() {
    return given.overAt();
  }

  /** The run's actions so far, in their order. */
  public ActionHistory history() {
    return given.history();
  }

  /**
   * The result of an earlier action of this run; of one that was dispatched again when a person had
   * answered, the latest. Constant cost.
   */
  public Optional<ActionResult> result(String actionId) {
    return given.history().latest(actionId).map(ActionCall::result);
  }

  /** What a person has said to something that the run asked for; empty if no person has. */
  public Optional<Approval> approval(String request) {
    return Optional.ofNullable(given.approvals().get(request));
  }

  /** All that people have said to what the run asked for, the oldest first. */
  public List<Approval> approvals() {
    return given.approvals().values().stream().sorted(Comparator.comparing(Approval::at)).toList();
  }

  /** Events that came since the last iteration; of a run that events started, those first. */
  public List<EventBatch> events() {
    return given.events();
  }

  /** What the handlers have made of {@link #events}, of a policy that hands them on. */
  public Received received() {
    return received;
  }

  public void received(Received made) {
    received = made;
  }

  /** The policy's own entries of this run; what is changed here is durable with the step. */
  public ObjectNode custom() {
    return custom;
  }

  /**
   * The policy's own entries of the agent, beyond this run; what is changed here is durable with
   * the step, and part of snapshots, forks and suspension.
   */
  public ObjectNode policy() {
    return policy;
  }

  /**
   * Notes what the run ends with should it reach a bound.
   *
   * @param text empty for the output of its last action that has succeeded
   */
  public void answer(String text) {
    custom.put(ANSWER, text);
  }

  /** What a run with these entries and actions ends with where it can take no further step. */
  public static Optional<JsonNode> answer(ObjectNode custom, List<ActionCall> history) {
    JsonNode noted = custom.path(ANSWER);
    return noted.isMissingNode() || !noted.asText().isBlank()
        ? Optional.of(noted).filter(JsonNode::isTextual)
        : history.reversed().stream()
            .filter(call -> call.result().success())
            .map(call -> call.result().output())
            .filter(output -> !output.isNull())
            .findFirst();
  }

  /** Notes that the policy comes to its end for a bound; empty for none. */
  public void wrapUp(Optional<String> bound) {
    custom.remove(WRAP_UP);
    bound.ifPresent(near -> custom.put(WRAP_UP, near));
  }

  /** The bound for which a policy with these entries of the run comes to its end. */
  public static Optional<String> wrapUp(ObjectNode custom) {
    return Optional.of(custom.path(WRAP_UP)).filter(JsonNode::isTextual).map(JsonNode::asText);
  }

  public Optional<SessionId> session() {
    return session;
  }

  /** Goes on in another session, which an event has brought. */
  public void session(SessionId id) {
    session = Optional.of(id);
  }

  /** The entries of a stream, those taken in this iteration included; the oldest first. */
  public List<StreamEntry> entries(ConsciousnessStream stream) {
    return memory.streams().getOrDefault(stream.name(), List.of());
  }

  /** Offers an entry to a stream. */
  public void consider(ConsciousnessStream stream, StreamEntry entry) {
    if (stream.takes(entry)) {
      StreamAppend append =
          new StreamAppend(stream.name(), stream.maxEntries(), stream.kept(entry));
      appended.add(append);
      memory =
          memory.after(
              new StepDelta(null, List.of(append), Map.of(), Optional.empty(), Optional.empty()));
    }
  }

  /** The keys of the capabilities that are put away. */
  public Set<String> disabled() {
    return disabled;
  }

  /** Makes capabilities' actions available again. */
  public void useAgentCapabilities(Set<String> keys) {
    Set<String> fewer = new HashSet<>(disabled);
    fewer.removeAll(keys);
    disabled = Set.copyOf(fewer);
  }

  /** Puts capabilities away: their actions are neither shown nor executed, from now on. */
  public void disableAgentCapabilities(Set<String> keys) {
    Set<String> more = new HashSet<>(disabled);
    more.addAll(keys);
    disabled = Set.copyOf(more);
  }

  /** Notes a capability's snapshot, if it differs from the one that is known. */
  public void snapshot(String capabilityKey, JsonNode snapshot) {
    JsonNode known =
        given
            .memory()
            .capabilities()
            .getOrDefault(capabilityKey, JsonNodeFactory.instance.nullNode());
    if (known.equals(snapshot)) {
      capabilities.remove(capabilityKey);
    } else {
      capabilities.put(capabilityKey, snapshot);
    }
  }

  public StepDelta delta() {
    return new StepDelta(
        StepDelta.changes(given.custom(), custom),
        appended,
        capabilities,
        disabled.equals(given.memory().disabled()) ? Optional.empty() : Optional.of(disabled),
        session.equals(given.session()) ? Optional.empty() : session,
        StepDelta.changes(given.memory().policy(), policy));
  }

  /** The run's identity for messages. */
  @Override
  public String toString() {
    return "iteration " + given.iteration() + " of run " + given.request().runId();
  }

  /**
   * What an agent's handlers have made of the events that no {@link BaseActionPolicy#planStep} has
   * seen: those of an iteration, and those of the iterations before it that only dispatched an
   * action again.
   *
   * @param keys of all events, in their order, be there a handler for them or not
   * @param contexts of each event that a handler gave a context to, by context key, in the order of
   *     the events
   * @param untaken those of them that no consciousness stream took
   * @param problems what went wrong while they were handled, a line each
   */
  public record Received(
      List<String> keys,
      List<ObjectNode> contexts,
      List<ObjectNode> untaken,
      List<String> problems) {

    public static final Received NOTHING = new Received(List.of(), List.of(), List.of(), List.of());

    public Received {
      keys = List.copyOf(keys);
      contexts = List.copyOf(contexts);
      untaken = List.copyOf(untaken);
      problems = List.copyOf(problems);
    }

    /**
     * This and what came after it.
     *
     * @param most of each kind; the oldest go first
     */
    public Received and(Received later, int most) {
      return new Received(
          latest(keys, later.keys, most),
          latest(contexts, later.contexts, most),
          latest(untaken, later.untaken, most),
          latest(problems, later.problems, most));
    }

    private static <T> List<T> latest(List<T> before, List<T> later, int most) {
      List<T> all = Stream.concat(before.stream(), later.stream()).toList();
      return all.subList(Math.max(0, all.size() - most), all.size());
    }
  }
}
