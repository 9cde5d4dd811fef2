package dev.colony.client.session;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Puts the results of runs on the blackboard: the first one of a run stays, as long as results are
 * kept. In the same operation the request is given as long to live, which has no end before that of
 * its run. So the two go together, and a request that is delivered late finds its result or is gone
 * itself.
 */
public final class ResultPublisher {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();

  private final Blackboards blackboards;
  private final RunRecorder recorder;
  private final Duration keep;
  private final InstantSource clock;

  /**
   * @param keep how long results are kept
   */
  public ResultPublisher(
      Blackboards blackboards, RunRecorder recorder, Duration keep, InstantSource clock) {
    this.blackboards = blackboards;
    this.recorder = recorder;
    this.keep = keep;
    this.clock = clock;
  }

  /**
   * Records the run's end in its session, then writes the result and its event in one operation if
   * there is none yet. A result that was published before and has expired since, with the request,
   * is not published again. The failure of a run that events have started is noted besides, see
   * {@link FailedWokenRun}.
   *
   * @param accepted when the run was accepted; empty where its request has just been read
   */
  public CompletionStage<Void> publish(
      AgentId agent, RunRequest request, AgentRun run, Optional<Instant> accepted) {
    Scope scope = agent.scope().namespace(request.namespace());
    String asked = PROTOCOL.requestKey(agent.name(), run.runId().value());
    // What events have started has no request; its result may be seen for a second time then.
    boolean perhapsExpired =
        EventBatch.of(request).isEmpty()
            && accepted.filter(at -> at.plus(keep).isBefore(clock.instant())).isPresent();
    CompletionStage<Boolean> gone =
        perhapsExpired
            ? blackboards
                .open(scope, agent.persistenceId())
                .read(asked)
                .thenApply(Optional::isEmpty)
            : CompletableFuture.completedStage(false);
    return gone.thenCompose(published ->
        published
            ? CompletableFuture.completedStage(null)
            : recorder
                .ended(agent, request, run)
                .thenCompose(recorded -> publish(agent.persistenceId(), scope, asked, run))
                .thenCompose(written -> noteFailure(agent, request, run)));
  }

  /**
   * Takes the result of a run back that is executed again; its session has counted it. The request
   * is written once more, if it is there: who waits for the run hears of what comes behind it.
   */
  public CompletionStage<Void> withdraw(AgentId agent, RunRequest request) {
    String result = PROTOCOL.resultKey(request.runId().value());
    String asked = PROTOCOL.requestKey(agent.name(), request.runId().value());
    return blackboards
        .open(agent.scope().namespace(request.namespace()), agent.persistenceId())
        .transaction(tx ->
            tx.readAll(List.of(result, asked))
                .thenCompose(found -> {
                  CompletionStage<Void> done = CompletableFuture.completedStage(null);
                  boolean there = found.stream().anyMatch(entry -> entry.key().equals(result));
                  for (Entry entry : there ? found : List.<Entry>of()) {
                    done =
                        done.thenCompose(next ->
                            entry.key().equals(result)
                                ? tx.delete(result)
                                : tx.write(
                                    Write.of(asked, entry.value())
                                        .tags(entry.tags().toArray(String[]::new))));
                  }
                  return done;
                }));
  }

  /** Of a run that no caller waits for. */
  private CompletionStage<Void> noteFailure(AgentId agent, RunRequest request, AgentRun run) {
    if (EventBatch.of(request).isEmpty() || run.status() != AgentRun.Status.FAILED) {
      return CompletableFuture.completedStage(null);
    }
    return blackboards
        .open(FailedWokenRun.scope(agent), agent.persistenceId())
        .write(Write.of(FailedWokenRun.KEY, FailedWokenRun.json(run)).ttl(keep))
        .thenAccept(written -> {});
  }

  /**
   * Writes the result of a request that cannot be read, so that no session knows of it.
   *
   * @param agent the agent's persistent name: its own results must not wake it
   * @param scope where the request stands
   * @param asked its key
   */
  public CompletionStage<Void> publish(String agent, Scope scope, String asked, AgentRun run) {
    Write write =
        Write.of(PROTOCOL.resultKey(run.runId().value()), run.toJson()).ttl(keep).ifAbsent();
    return blackboards.open(scope, agent).write(write, List.of(asked)).thenAccept(written -> {});
  }

  /**
   * The last run of an agent that events have started and that has failed. No caller waits for such
   * a run, so that it stands under one {@linkplain #KEY key} of the agent's namespace for these
   * runs, where operators may subscribe to it.
   *
   * @param reason one line
   * @param at when it was made known, by the blackboard's clock
   */
  public record FailedWokenRun(RunId run, String reason, Instant at) {

    /** In the namespace {@link EventBatch#NAMESPACE} of the agent's scope. */
    public static final String KEY = "last_failure";

    /** Where it stands. */
    public static Scope scope(AgentId agent) {
      return agent.scope().namespace(EventBatch.NAMESPACE);
    }

    /** That of an agent; empty where there was none, or it is no longer kept. */
    public static CompletionStage<Optional<FailedWokenRun>> of(
        Blackboards blackboards, AgentId agent) {
      return blackboards
          .open(scope(agent), "status")
          .read(KEY)
          .thenApply(found -> found.map(FailedWokenRun::read));
    }

    private static FailedWokenRun read(Entry entry) {
      return new FailedWokenRun(
          new RunId(entry.value().path("runId").asText()),
          entry.value().path("reason").asText(),
          entry.updatedAt());
    }

    static ObjectNode json(AgentRun run) {
      return JsonNodeFactory.instance
          .objectNode()
          .put("runId", run.runId().value())
          .put("reason", run.error().orElse(""));
    }
  }

  /**
   * Keeps the account of the runs of sessions. Both calls may be repeated at will, by any node and
   * with other contents: what was recorded first stays, and counts once. Only the refusal of a run
   * that its agent never accepted gives way to a fresh try under the same id. Thread-safe; stages
   * fail as the blackboard does.
   */
  public interface RunRecorder {

    /** Records nothing: for agents that no session knows of. */
    RunRecorder NONE =
        new RunRecorder() {
          @Override
          public CompletionStage<Optional<String>> admit(AgentId agent, RunRequest request) {
            return CompletableFuture.completedStage(Optional.empty());
          }

          @Override
          public CompletionStage<Void> ended(AgentId agent, RunRequest request, AgentRun run) {
            return CompletableFuture.completedStage(null);
          }
        };

    /**
     * Admits a run into the session of its request, if that has one; to be called before the run is
     * accepted.
     *
     * @return why it is refused, one line; empty where it is admitted. A run that was admitted
     *     while the session was open stays admitted
     */
    CompletionStage<Optional<String>> admit(AgentId agent, RunRequest request);

    /**
     * Counts a run that has ended, in the session of its request if it was admitted there, else in
     * the one that it ended in; to be completed before its result is published, so that who has
     * seen the result finds it in the totals.
     */
    CompletionStage<Void> ended(AgentId agent, RunRequest request, AgentRun run);
  }
}
