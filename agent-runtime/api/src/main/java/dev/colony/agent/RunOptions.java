package dev.colony.agent;

import dev.colony.agent.RunBudget.TraceBudget;
import dev.colony.blackboard.ScopeLevel;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.protocol.RequestProtocol;
import dev.colony.blackboard.value.Text;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How a run is asked for.
 *
 * <p>By default a run is the agent's own: its request goes to the agent's inbox and its policy does
 * it. With another protocol or on a scope that agents share, the request is an entry that a
 * capability takes by an {@code @EventHandler} of that protocol, in that scope, and answers by
 * writing the result.
 *
 * @param namespace the part of the scope that the run's entries stand in: that of the capability
 *     that is to handle it
 * @param protocol which keys these entries have
 * @param scope how far the scope is shared; of {@link ScopeLevel#SESSION}, that of {@code session}
 * @param runId the run's id; empty for a new one, or that of the idempotency key
 * @param idempotencyKey names the request among all of this agent and namespace, by whomever: given
 *     again, it is the same run; 1 to {@link #MOST_KEY} characters
 * @param timeout how long to wait for the result; the run itself goes on. Empty means for ever
 * @param session the session that the run belongs to, which has to be open; empty for that of the
 *     run on whose behalf it is asked for, if there is one
 * @param giveUp how long the request is made again while as many wait as may, and over HTTP while
 *     no node answers; zero fails at once. Empty means as the settings of the handle say
 * @param budget what the model calls of the run and of all that it sets off may take; empty for
 *     that of the run on whose behalf it is asked for, if there is one. Not over HTTP
 * @param traceparent the span that sets it off, so that its trace is that span's; empty for what
 *     the run on whose behalf it is asked for does, or a trace of its own
 */
public record RunOptions(
    String namespace,
    RequestProtocol protocol,
    ScopeLevel scope,
    Optional<RunId> runId,
    Optional<String> idempotencyKey,
    String requestedBy,
    Optional<Duration> timeout,
    Optional<SessionId> session,
    Optional<Duration> giveUp,
    Optional<TraceBudget> budget,
    Optional<TraceParent> traceparent) {

  /** Characters of an idempotency key, at most. */
  public static final int MOST_KEY = 256;

  private static final RequestProtocol RUNS = new AgentRunProtocol();

  public RunOptions {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(protocol, "protocol");
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(requestedBy, "requestedBy");
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(session, "session");
    Objects.requireNonNull(giveUp, "giveUp");
    Objects.requireNonNull(budget, "budget");
    Objects.requireNonNull(traceparent, "traceparent");
    Text.check("the name of the asker", requestedBy);
    idempotencyKey.ifPresent(key -> Text.check("the idempotency key", key));
    if (runId.isPresent() && idempotencyKey.isPresent()) {
      throw new IllegalArgumentException(
          "run id and idempotency key each name the run: leave out one of them");
    }
    idempotencyKey
        .filter(key -> key.isEmpty() || key.length() > MOST_KEY)
        .ifPresent(key -> {
          throw new IllegalArgumentException(
              "an idempotency key has 1 to " + MOST_KEY + " characters, not " + key.length());
        });
  }

  public static RunOptions namespace(String namespace) {
    return new Fields(namespace).options();
  }

  public RunOptions protocol(RequestProtocol spoken) {
    return with(fields -> fields.protocol = spoken);
  }

  public RunOptions scope(ScopeLevel level) {
    return with(fields -> fields.scope = level);
  }

  public RunOptions runId(RunId id) {
    return with(fields -> fields.runId = Optional.of(id));
  }

  public RunOptions idempotencyKey(String key) {
    return with(fields -> fields.idempotencyKey = Optional.of(key));
  }

  public RunOptions requestedBy(String who) {
    return with(fields -> fields.requestedBy = who);
  }

  public RunOptions timeout(Duration longest) {
    return with(fields -> fields.timeout = Optional.of(longest));
  }

  public RunOptions session(SessionId id) {
    return with(fields -> fields.session = Optional.of(id));
  }

  public RunOptions giveUp(Duration longest) {
    return with(fields -> fields.giveUp = Optional.of(longest));
  }

  public RunOptions budget(TraceBudget most) {
    return with(fields -> fields.budget = Optional.of(most));
  }

  public RunOptions traceparent(Optional<TraceParent> span) {
    return with(fields -> fields.traceparent = span);
  }

  private RunOptions with(Consumer<Fields> change) {
    Fields fields = new Fields(this);
    change.accept(fields);
    return fields.options();
  }

  /** The components, to change one of them. */
  private static final class Fields {

    private final String namespace;
    private RequestProtocol protocol = RUNS;
    private ScopeLevel scope = ScopeLevel.AGENT;
    private Optional<RunId> runId = Optional.empty();
    private Optional<String> idempotencyKey = Optional.empty();
    private String requestedBy = "client";
    private Optional<Duration> timeout = Optional.empty();
    private Optional<SessionId> session = Optional.empty();
    private Optional<Duration> giveUp = Optional.empty();
    private Optional<TraceBudget> budget = Optional.empty();
    private Optional<TraceParent> traceparent = Optional.empty();

    Fields(String namespace) {
      this.namespace = namespace;
    }

    Fields(RunOptions of) {
      this(of.namespace);
      protocol = of.protocol;
      scope = of.scope;
      runId = of.runId;
      idempotencyKey = of.idempotencyKey;
      requestedBy = of.requestedBy;
      timeout = of.timeout;
      session = of.session;
      giveUp = of.giveUp;
      budget = of.budget;
      traceparent = of.traceparent;
    }

    RunOptions options() {
      return new RunOptions(
          namespace,
          protocol,
          scope,
          runId,
          idempotencyKey,
          requestedBy,
          timeout,
          session,
          giveUp,
          budget,
          traceparent);
    }
  }
}
