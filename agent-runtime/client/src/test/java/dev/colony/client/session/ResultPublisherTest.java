package dev.colony.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.EventBatch;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Write;
import dev.colony.client.session.ResultPublisher.FailedWokenRun;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of a result by the time, played with a clock. */
class ResultPublisherTest {

  private static final Duration KEEP = Duration.ofDays(30);
  private static final Instant BEGIN = Instant.parse("2026-11-22T00:00:00Z");
  private static final AgentId AGENT = new AgentId("acme", "lab", "a");
  private static final RunId RUN = new RunId("r1");

  private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);
  private final InstantSource source = now::get;
  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(BlackboardSettings.DEFAULTS, new Ticking());
  private final ResultPublisher results =
      new ResultPublisher(boards, RunRecorder.NONE, KEEP, source);
  private final Blackboard board = boards.open(AGENT.scope().namespace("test"), "client");
  private final RunRequest request =
      new RunRequest(ExecutionContext.of(AGENT, RUN), "test", IntNode.valueOf(1), "client", BEGIN);

  private final class Ticking extends Clock {
    @Override
    public Instant instant() {
      return now.get();
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }

  @AfterEach
  void close() {
    boards.close();
  }

  @Test
  void resultsGoWithTheirRequestsWhenTheTimeAfterTheEndIsOver() {
    ask();
    now.set(BEGIN.plus(KEEP.multipliedBy(3)));
    assertThat(there("request:run:r1")).as("a run that has not ended").isTrue();
    publish();
    assertThat(there("result:run:r1")).isTrue();
    now.set(now.get().plus(KEEP).minusMillis(1));
    assertThat(there("request:run:r1")).isTrue();
    assertThat(there("result:run:r1")).isTrue();
    now.set(now.get().plusMillis(1));
    assertThat(there("request:run:r1")).isFalse();
    assertThat(there("result:run:r1")).isFalse();
  }

  @Test
  void aResultThatHasExpiredIsNotPublishedAgain() {
    ask();
    publish();
    now.set(now.get().plus(KEEP).plusSeconds(1));
    publish();
    assertThat(there("result:run:r1")).isFalse();
    assertThat(board.query(Query.all()).toCompletableFuture().join().entries()).isEmpty();
  }

  @Test
  void aResultIsPublishedThoughItsRequestWasDeleted() {
    ask();
    board.delete("request:run:r1").toCompletableFuture().join();
    publish();
    assertThat(there("result:run:r1")).isTrue();
  }

  /** No caller waits for it, so that its failure would be seen by none. */
  @Test
  void theLastFailureOfWhatEventsHaveStartedIsWhereOperatorsCanSubscribe() {
    RunRequest asked =
        new RunRequest(ExecutionContext.of(AGENT, RUN), "test", IntNode.valueOf(1), "c", BEGIN);
    failed(asked, "of a request");
    assertThat(lastFailure()).isEmpty();
    EventBatch batch = new EventBatch(AGENT.scope(), List.of(), true);
    RunRequest woken =
        new RunRequest(
            ExecutionContext.of(AGENT, RUN), EventBatch.NAMESPACE, batch.toJson(), "b", BEGIN);
    failed(woken, "the first");
    failed(woken, "it is broken");
    assertThat(lastFailure()).contains(new FailedWokenRun(RUN, "it is broken", BEGIN));
  }

  private Optional<FailedWokenRun> lastFailure() {
    return FailedWokenRun.of(boards, AGENT).toCompletableFuture().join();
  }

  private void failed(RunRequest of, String why) {
    AgentRun run = AgentRun.failed(RUN, why, RunStats.NONE);
    assertThat(results.publish(AGENT, of, run, Optional.of(BEGIN)))
        .succeedsWithin(Duration.ofSeconds(20));
  }

  private void ask() {
    board.write(Write.of("request:run:r1", request.toJson())).toCompletableFuture().join();
  }

  private void publish() {
    AgentRun run = AgentRun.completed(RUN, IntNode.valueOf(2), RunStats.NONE);
    assertThat(results.publish(AGENT, request, run, Optional.of(BEGIN)))
        .succeedsWithin(Duration.ofSeconds(20));
  }

  private boolean there(String key) {
    return board.read(key).toCompletableFuture().join().isPresent();
  }
}
