package dev.colony.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.KeyGlob;
import dev.colony.blackboard.protocol.RequestProtocol;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Where the entries of a run stand and what their keys are. Pure.
 *
 * @param scope with the namespace
 */
public record RunPlace(AgentId agent, RequestProtocol protocol, Scope scope, RunId runId) {

  /**
   * As the options say.
   *
   * @param session that it is asked for in
   * @throws IllegalArgumentException if the options contradict each other
   */
  public static RunPlace of(
      AgentId agent, RunId runId, RunOptions options, Optional<SessionId> session) {
    RequestProtocol protocol = options.protocol();
    Scope level =
        switch (options.scope()) {
          case AGENT -> agent.scope();
          case SESSION ->
              session
                  .map(id -> Scope.session(agent.tenant(), agent.colony(), id.value()))
                  .orElseThrow(() ->
                      new IllegalArgumentException(
                          "a request on a session's scope needs a session"));
          case COLONY -> Scope.colony(agent.tenant(), agent.colony());
          case TENANT -> Scope.tenant(agent.tenant());
        };
    String key = protocol.requestKey(agent.name(), runId.value());
    if (options.scope() != ScopeLevel.AGENT && protocol.requestedAgent(key).isEmpty()) {
      throw new IllegalArgumentException(
          "requests of %s do not say which agent they are for, so they need the agent's own scope"
              .formatted(protocol.getClass().getSimpleName()));
    }
    return new RunPlace(agent, protocol, level.namespace(options.namespace()), runId);
  }

  /** That of a run of the agent's own. */
  public static RunPlace of(AgentId agent, String namespace, RunId runId) {
    return new RunPlace(agent, new AgentRunProtocol(), agent.scope().namespace(namespace), runId);
  }

  /**
   * The id that a run of these options has: theirs, that of their idempotency key, or a new one.
   */
  public static RunId runId(AgentId agent, RunOptions options) {
    return options
        .runId()
        .or(() ->
            options.idempotencyKey().map(key -> RunRequests.runId(agent, options.namespace(), key)))
        .orElseGet(RunId::random);
  }

  /** Whether it is a run of the agent's own, which comes to it through its inbox. */
  public boolean ownRun() {
    return protocol instanceof AgentRunProtocol && scope.level() == ScopeLevel.AGENT;
  }

  /** Whether it was started by events, so that no caller has asked for it. */
  boolean woken() {
    return ownRun() && scope.namespace().equals(Optional.of(EventBatch.NAMESPACE));
  }

  /** Of its request. */
  public String requestKey() {
    return protocol.requestKey(agent.name(), runId.value());
  }

  String resultKey() {
    return protocol.resultKey(runId.value());
  }

  List<String> keys() {
    return List.of(requestKey(), resultKey());
  }

  /** The keys of its events; others' may be among them, see {@link #event}. */
  KeyGlob eventKeys() {
    return protocol.eventPattern(runId.value());
  }

  /** Its events and its result; others' may be among them. */
  EventFilter events() {
    return EventFilter.keys(eventKeys().pattern(), resultKey());
  }

  /** The name of the event, if this is the key of one of the run. */
  Optional<String> event(String key) {
    return protocol
        .event(key)
        .filter(event -> event.id().equals(runId.value()))
        .map(RequestProtocol.ProgressKey::name);
  }

  /** What stands under the result's key; a capability may answer with the bare output. */
  AgentRun result(JsonNode value) {
    try {
      return AgentRun.fromJson(value);
    } catch (IllegalArgumentException none) {
      return ownRun()
          ? AgentRun.failed(runId, "its result is malformed: " + none.getMessage(), RunStats.NONE)
          : AgentRun.completed(runId, value, RunStats.NONE);
    }
  }

  /**
   * @throws IllegalArgumentException if it is not a run of the agent's own
   */
  public void checkCancellable() {
    if (!ownRun()) {
      throw new IllegalArgumentException(
          "only a run of the agent's own can be cancelled, not a request that a capability takes");
    }
  }

  /**
   * @throws IllegalArgumentException if it is no token of an event of the run
   */
  public void checkToken(String token) {
    StreamToken.parse(token, this);
  }

  String where() {
    return switch (scope.level()) {
      case AGENT ->
          "namespace " + scope.namespace().orElseThrow() + " of agent " + agent.persistenceId();
      case SESSION, COLONY, TENANT -> scope.path();
    };
  }

  /**
   * A place in a run's events: {@code position-count.check} as text, where the check says of which
   * run.
   *
   * @param position of the last event that was had; {@link Position#BEGINNING} for none
   * @param count how many events of the run that makes
   */
  record StreamToken(Position position, long count) {

    static final StreamToken NONE = new StreamToken(Position.BEGINNING, 0);

    private static final Pattern FORM =
        Pattern.compile("([0-9]{1,18}-[0-9]{1,18})-([0-9]{1,18})\\.([0-9a-f]{8})");

    /**
     * Reads {@link #text} back.
     *
     * @throws IllegalArgumentException if it is no token, or of another run
     */
    static StreamToken parse(String text, RunPlace place) {
      Matcher matcher = FORM.matcher(text);
      if (!matcher.matches() || !matcher.group(3).equals(check(place))) {
        throw new IllegalArgumentException(
            "this is no token of the events of run " + place.runId() + ": " + text);
      }
      return new StreamToken(Position.parse(matcher.group(1)), Long.parseLong(matcher.group(2)));
    }

    String text(RunPlace place) {
      return position + "-" + count + "." + check(place);
    }

    private static String check(RunPlace place) {
      CRC32C sum = new CRC32C();
      sum.update(
          (place.scope().path() + "\n" + place.resultKey()).getBytes(StandardCharsets.UTF_8));
      return String.format(Locale.ROOT, "%08x", sum.getValue());
    }
  }

  /** How long a caller waits for the end of a run, over either transport. */
  public static final class RunTimeout {

    private RunTimeout() {}

    /**
     * Fails the result when the time is over; the run goes on if its request is stored by then.
     *
     * @param found completes when it is known that the request is stored
     */
    public static void set(
        CompletableFuture<AgentRun> result,
        RunPlace place,
        CompletionStage<?> found,
        Duration longest) {
      CompletableFuture<?> stored = found.toCompletableFuture();
      CompletableFuture<Void> clock =
          new CompletableFuture<Void>()
              .completeOnTimeout(null, longest.toMillis(), TimeUnit.MILLISECONDS);
      clock.thenRun(() -> result.completeExceptionally(late(place, stored.isDone(), longest)));
      result.whenComplete((run, failure) -> clock.cancel(false));
    }

    private static AgentException late(RunPlace place, boolean stored, Duration longest) {
      return new AgentException(
          "run %s in %s has not ended within %s; %s"
              .formatted(
                  place.runId(),
                  place.where(),
                  longest,
                  stored
                      ? "it goes on: attach to it to come back"
                      : "its request is not known to be stored: ask again under the same run id or"
                          + " idempotency key"),
          new TimeoutException(),
          true);
    }
  }
}
