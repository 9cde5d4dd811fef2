package dev.colony.agent.client;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.AgentState;
import dev.colony.agent.BlueprintChange;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.blackboard.Entry;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Stream;

/**
 * An agent, seen from anywhere: inside the cluster or from any process that reaches the blackboard
 * or the HTTP API. Thread-safe. {@link #ask}, {@link #run(Object)} and {@link #stream} block; no
 * other call does: who wants to wait joins the future, whose cancellation changes nothing but that
 * future.
 *
 * <p>What the agent is told ({@link #stop} and the like) is stored when the stage completes, and
 * survives the process that told it; the agent takes it soon after, wherever it is, in the order in
 * which it was told. What is impossible in the agent's state changes nothing. Futures fail with
 * {@link dev.colony.blackboard.BlackboardException}, and with {@link AgentException} where there is
 * no such agent: then nothing is stored.
 */
public interface AgentHandle {

  /** The namespace of the runs that {@link #ask} and its kin ask for. */
  String ASKED = "ask";

  AgentId id();

  /**
   * Asks the agent to run. The request is stored before anything else happens and survives the
   * asker; the same run id or idempotency key asked for twice, by whomever, is one run, and another
   * input for it is refused.
   *
   * @param input JSON, or any value that Jackson writes as JSON: a record, a map, a list, text;
   *     null is JSON null
   * @throws IllegalArgumentException if the input cannot be written as JSON or is larger than a
   *     request may be, or the options contradict each other
   */
  RunHandle run(Object input, RunOptions options);

  /**
   * Asks the agent something and waits for its answer: a run with the text as its goal, in the
   * namespace {@value #ASKED}. Blocks the calling thread, which may be virtual; interrupting it
   * leaves the run going on.
   *
   * @return the run's output: of a text, that text; of other JSON, its text form
   * @throws AgentException with the run's error, where it does not complete; as {@link
   *     RunHandle#result} fails, otherwise
   */
  default String ask(String text) {
    JsonNode output = new AwaitedRun(asked(text)).completed().output();
    return output.isTextual() ? output.textValue() : output.toString();
  }

  /**
   * The same, whose answer is held against the JSON schema of a type: the agent's model is shown
   * it, and a run that ends with anything else has failed.
   *
   * @param type a record, or another type that {@link dev.colony.agent.author.JsonSchemas#input}
   *     takes
   * @throws IllegalArgumentException on one line, if values of the type cannot be read from JSON
   */
  <T> T ask(String text, Class<T> type);

  /**
   * Asks the agent to run, in the namespace {@value #ASKED}, and waits for the run's end, whatever
   * that is. Blocks as {@link #ask} does.
   *
   * @param input as of {@link #run(Object, RunOptions)}
   * @throws AgentException and {@link dev.colony.blackboard.BlackboardException} as {@link
   *     RunHandle#result} fails
   */
  default AgentRun run(Object input) {
    return new AwaitedRun(asked(input)).end();
  }

  /**
   * Asks the agent to run, in the namespace {@value #ASKED}, and gives what the run makes known, in
   * order; the last element is the run's end. Taking an element blocks until there is one, and
   * fails as {@link RunHandle#events()} does. To be closed, which leaves the run going on.
   */
  default Stream<RunProgress> stream(Object input) {
    return new AwaitedRun(asked(input)).events();
  }

  private RunHandle asked(Object input) {
    return run(input, RunOptions.namespace(ASKED));
  }

  /**
   * Asks the agent to run, at once, and gives what the run makes known; its last event is its end.
   *
   * @throws IllegalArgumentException as {@link #run} does
   * @see RunHandle#events()
   */
  default Flow.Publisher<RunProgress> runStreamed(Object input, RunOptions options) {
    return run(input, options).events();
  }

  /**
   * A run that was asked for before, by whomever. Also that of a caller who had to wait too long,
   * or who died.
   *
   * @param options namespace, protocol and scope as it was asked for with
   */
  RunHandle attach(RunId runId, RunOptions options);

  /** A run's end, or empty if there is none yet, or no such run; waits for nothing. One read. */
  CompletableFuture<Optional<AgentRun>> ended(RunId runId, RunOptions options);

  /**
   * Ends a run as cancelled, be it under way or waiting; one that has ended stays as it is.
   *
   * @param options names the namespace that the run was asked for in
   * @param reason for people; becomes the run's error
   * @throws IllegalArgumentException if the options speak of a request that a capability takes:
   *     that is no run of the agent's own
   */
  CompletableFuture<Void> cancel(RunId runId, RunOptions options, String reason);

  /**
   * Ends the agent for good. What it was doing ends as cancelled; its children stop too or go on
   * without it, as was said when they were spawned.
   *
   * @param reason for people
   */
  CompletableFuture<Void> stop(String reason);

  /** Has it put its state away: runs are accepted, and wait until it is resumed. */
  CompletableFuture<Void> suspend(String reason);

  /**
   * The same, until a condition holds or a caller resumes it.
   *
   * @param until evaluated when something happens that it speaks of; an event that is written after
   *     the stage has completed counts, however late the agent takes this
   * @throws IllegalArgumentException if it speaks of agents or scopes of another tenant
   */
  CompletableFuture<Void> suspend(String reason, ResumptionCondition until);

  /** Tells it that something has happened that it may wait for under this name. */
  CompletableFuture<Void> signal(String name, String reason);

  /**
   * Says yes to something that its run asks for; said again, the last word before the run goes on
   * holds.
   *
   * @param by the name of the person or program that approves
   * @param note for the run; may be empty
   */
  CompletableFuture<Void> approve(String request, String by, String note);

  /** Says no to it, as {@link #approve} says yes. */
  CompletableFuture<Void> deny(String request, String by, String note);

  /**
   * What it asks persons for and waits for, by its journal; empty if there is nothing, or no such
   * agent. Fails as {@link #history} does.
   */
  CompletableFuture<List<PendingApproval>> pending();

  /**
   * Has it live by another blueprint from its next step on: its capabilities are made anew, those
   * that stay with what they have kept; what those that go have kept is forgotten. A change that
   * the agent's blueprint does not allow by then, or whose types the agent's node does not know,
   * changes nothing, and the node logs why.
   *
   * @param reason for people
   * @throws AgentException if a capability stands in another tenant or colony than the agent
   */
  CompletableFuture<Void> revise(BlueprintChange change, String reason);

  /** Has it go on from where it was suspended. */
  CompletableFuture<Void> resume(String reason);

  /** Its state as its journal has it; empty if there is no such agent. */
  CompletableFuture<Optional<AgentStatus>> state();

  /**
   * What befell it last before a place, from its journal; it notices nothing. Fails with {@link
   * AgentException} where the handle has no way to the journal.
   *
   * @param before empty for the end
   * @param count at least 1; fewer entries only where the journal holds no more
   */
  CompletableFuture<HistoryPage> history(Optional<HistoryPosition> before, int count);

  /**
   * As it was right after an event; fails as {@link #history} does.
   *
   * @param sequenceNr as its history numbers the events, from 1
   */
  CompletableFuture<StateAt> at(long sequenceNr);

  /**
   * Makes another agent of its colony that begins with its past, and has it started. The other
   * inherits nothing that was under way, and has keys of its own for whatever it does to the world.
   * Asking again changes nothing. Fails as {@link #history} does.
   *
   * @param sequenceNr of the last event that is inherited
   * @param name the other's, within the colony
   */
  CompletableFuture<ForkReply> fork(long sequenceNr, String name);

  /**
   * Has the agent execute a run that has ended again, from one of its steps on: under the same id,
   * in another attempt. What stands before that step is kept, and is not paid for again; the agent
   * knows what it knew there. What the run has done to the world since is not done again where it
   * comes up again: see {@code docs/guides/history.md}. Its result is taken back, and the new one
   * takes its place; the old one stays in the history. It may take as long as a new run.
   *
   * @param run the last one that the agent has ended; it has nothing else to do
   * @param step from which on, as its history numbers them, from 0
   * @param reason for people; may be empty
   * @return which attempt it is, from 2, once the agent has taken the result back: {@link #attach}
   *     waits for the new one from here on. Fails with {@link dev.colony.agent.AgentException}, on
   *     one line, where it cannot be; retryable, where the agent has not taken it within a minute,
   *     which it will; and as {@link #history} does
   */
  CompletableFuture<Integer> rewind(RunId run, int step, String reason);

  /**
   * What an agent last made known of its state. Announced after the change is journaled, so it may
   * lag behind the truth by as long as the node needs to write it, or, where the node has died,
   * until the agent is recovered; the beginning and the end of each single run are not announced.
   *
   * @param reason why it is in that state, one line: the error of a failed agent
   * @param since when it was announced, by the blackboard's clock
   */
  record AgentStatus(AgentState state, Optional<String> reason, Instant since) {

    public AgentStatus {
      Objects.requireNonNull(state, "state");
      Objects.requireNonNull(since, "since");
    }

    public static ObjectNode json(AgentState state, Optional<String> reason) {
      ObjectNode json = JsonNodeFactory.instance.objectNode();
      json.put("state", state.name());
      reason.ifPresent(why -> json.put("reason", why));
      return json;
    }

    public static AgentStatus of(Entry entry) {
      return new AgentStatus(state(entry.value()), reason(entry.value()), entry.updatedAt());
    }

    public static AgentState state(JsonNode json) {
      return AgentState.valueOf(json.path("state").asText());
    }

    public static Optional<String> reason(JsonNode json) {
      return json.hasNonNull("reason")
          ? Optional.of(json.path("reason").asText())
          : Optional.empty();
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes({
    @JsonSubTypes.Type(ForkReply.Forked.class),
    @JsonSubTypes.Type(ForkReply.NoSuchPast.class),
    @JsonSubTypes.Type(ForkReply.OtherColony.class),
    @JsonSubTypes.Type(ForkReply.Taken.class)
  })
  sealed interface ForkReply {

    /** There is the fork; it was there before if it was asked for twice. */
    @JsonTypeName("forked")
    record Forked(AgentId agentId, AgentId origin, long sequenceNr) implements ForkReply {}

    /** What is to be inherited is not known: no such agent, not so far yet, or forgotten. */
    @JsonTypeName("no-such-past")
    record NoSuchPast(StateAt.Missing past) implements ForkReply {}

    /** A fork lives in the colony of its origin. */
    @JsonTypeName("other-colony")
    record OtherColony(AgentId agentId, AgentId origin) implements ForkReply {}

    /** There is an agent of that name, which is something else. */
    @JsonTypeName("taken")
    record Taken(AgentId agentId) implements ForkReply {}

    default String words() {
      return switch (this) {
        case Forked forked ->
            "%s is a fork of %s at %d"
                .formatted(forked.agentId(), forked.origin(), forked.sequenceNr());
        case NoSuchPast none -> none.past().words();
        case OtherColony other ->
            "a fork of "
                + other.origin()
                + " lives in its colony, not in that of "
                + other.agentId();
        case Taken taken -> "there is an agent " + taken.agentId() + " already";
      };
    }
  }
}
