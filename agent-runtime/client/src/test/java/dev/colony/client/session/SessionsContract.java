package dev.colony.client.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.RunStats;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.Session.SessionTotals;
import dev.colony.agent.client.SessionRun;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.client.session.BlackboardRunRecorder.SessionSettings;
import dev.colony.client.session.ResultPublisher.RunRecorder;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What sessions promise, over any blackboard. */
abstract class SessionsContract {

  private static final Instant NOW = Instant.parse("2026-11-22T04:00:00Z");
  private static final SessionId ID = new SessionId("s1");

  private final String colony = "c-" + UUID.randomUUID();
  private final AgentId agent = new AgentId("acme", colony, "a");

  abstract Blackboards blackboards();

  private BlackboardSessions sessions() {
    return new BlackboardSessions(blackboards(), "acme", colony, () -> NOW);
  }

  private RunRecorder recorder(Blackboards over) {
    return new BlackboardRunRecorder(
        over, new SessionSettings(Duration.ofDays(1), Duration.ofDays(1)), () -> NOW);
  }

  private RunRecorder recorder() {
    return recorder(blackboards());
  }

  private RunRequest request(AgentId who, String run, Optional<SessionId> session) {
    ExecutionContext context = ExecutionContext.of(who, new RunId(run));
    return new RunRequest(
        session.map(context::session).orElse(context), "work", IntNode.valueOf(1), "tester", NOW);
  }

  private RunRequest request(String run) {
    return request(agent, run, Optional.of(ID));
  }

  private static RunStats stats(int of) {
    return new RunStats(
        of,
        2 * of,
        new Usage(10 * of, of, 3 * of),
        0,
        0,
        new BigDecimal("0.1").multiply(BigDecimal.valueOf(of)),
        List.of());
  }

  private static AgentRun completed(String run, int size) {
    return AgentRun.completed(
        new RunId(run), JsonNodeFactory.instance.textNode("out"), stats(size));
  }

  private static AgentRun failed(String run) {
    return AgentRun.failed(new RunId(run), "x".repeat(5_000), stats(1));
  }

  @Test
  void aSessionIsOpenedListedAndClosed() {
    Session opened = join(sessions().open(ID, "lead"));
    assertThat(opened)
        .isEqualTo(new Session(ID, "lead", NOW, Optional.empty(), SessionTotals.NONE));
    assertThat(join(sessions().open(ID, "somebody else"))).isEqualTo(opened);
    assertThat(join(sessions().get(ID))).contains(opened);
    assertThat(join(sessions().get(new SessionId("other")))).isEmpty();
    assertThat(ids(Optional.of(Session.State.OPEN))).containsExactly("s1");
    assertThat(ids(Optional.of(Session.State.CLOSED))).isEmpty();

    Session closed = join(sessions().close(ID, "lead", "done"));
    assertThat(closed.closed()).contains(new Session.Closing(NOW, "lead", "done"));
    assertThat(join(sessions().close(ID, "other", "again"))).isEqualTo(closed);
    assertThat(ids(Optional.of(Session.State.OPEN))).isEmpty();
    assertThat(ids(Optional.of(Session.State.CLOSED))).containsExactly("s1");
    assertThat(ids(Optional.empty())).containsExactly("s1");
    assertThatThrownBy(() -> join(sessions().open(ID, "lead")))
        .hasMessage("session s1 is closed and cannot be opened again: done");
    assertThatThrownBy(() -> join(sessions().close(new SessionId("no"), "lead", "")))
        .hasMessage("there is no session no to close");
  }

  @Test
  void aClosedSessionRefusesRunsWithAReasonAndThoseUnderWayEnd() {
    assertThat(join(recorder().admit(agent, request("r0"))))
        .contains("there is no session s1: open it first");
    join(sessions().open(ID, "lead"));
    assertThat(join(recorder().admit(agent, request("r1")))).isEmpty();
    join(sessions().close(ID, "lead", "the budget is spent"));
    assertThat(join(recorder().admit(agent, request("r2"))))
        .contains("session s1 is closed: the budget is spent");
    assertThat(join(recorder().admit(agent, request("r1"))))
        .as("admitted before: asking again is not asking anew")
        .isEmpty();

    join(recorder().ended(agent, request("r1"), completed("r1", 2)));
    join(recorder().ended(agent, request("r2"), failed("r2")));
    SessionTotals totals = join(sessions().get(ID)).orElseThrow().totals();
    assertThat(totals).isEqualTo(new SessionTotals(1, 1, 0, 0, stats(2)));
  }

  @Test
  void aRunIsListedFromItsAdmissionOn() {
    join(sessions().open(ID, "lead"));
    join(recorder().admit(agent, request("r1")));
    join(recorder().admit(agent, request("r2")));
    AgentId other = new AgentId("acme", colony, "b");
    join(recorder().admit(other, request(other, "r1", Optional.of(ID))));
    join(recorder().ended(agent, request("r2"), failed("r2")));
    assertThat(join(sessions().get(ID)).orElseThrow().totals().underWay()).isEqualTo(2);

    List<SessionRun> runs =
        join(sessions().runs(ID, Optional.empty(), 100, Optional.empty())).items();
    assertThat(runs)
        .extracting(run -> run.agentId().name() + " " + run.runId() + " " + run.status())
        .containsExactly("a r1 RUNNING", "a r2 FAILED", "b r1 RUNNING");
    assertThat(runs.get(1).error().orElseThrow()).hasSize(SessionRun.MAX_ERROR);
    assertThat(runs.get(1).stats()).isEqualTo(stats(1));
    assertThat(runs.get(1).endedAt()).contains(NOW);
    assertThat(runs.get(0).trace()).isEqualTo("r1");
    var failures =
        join(sessions().runs(ID, Optional.of(SessionRun.Status.FAILED), 100, Optional.empty()));
    assertThat(failures.items()).containsExactly(runs.get(1));

    List<SessionRun> paged = new ArrayList<>();
    Optional<String> after = Optional.empty();
    do {
      var page = join(sessions().runs(ID, Optional.empty(), 1, after));
      paged.addAll(page.items());
      after = page.next();
    } while (after.isPresent());
    assertThat(paged).isEqualTo(runs);
  }

  @Test
  void aRunThatTookUpASessionCountsInItOnce() {
    RunRequest woken = request(agent, "woken-1", Optional.empty());
    assertThat(join(recorder().admit(agent, woken))).isEmpty();
    AgentRun run = completed("woken-1", 3).session(Optional.of(ID));
    join(recorder().ended(agent, woken, run));
    join(recorder().ended(agent, woken, run));
    Session session = join(sessions().get(ID)).orElseThrow();
    assertThat(session.openedBy()).isEqualTo(agent.persistenceId());
    assertThat(session.totals()).isEqualTo(new SessionTotals(1, 1, 0, 0, stats(3)));
    assertThat(ids(Optional.empty())).containsExactly("s1");
  }

  @Test
  void aFreshTryTakesThePlaceOfARefusedRun() {
    join(sessions().open(ID, "lead"));
    RunRequest request = request("r1");
    join(recorder().admit(agent, request));
    join(recorder().ended(agent, request, refused("r1")));
    join(recorder().ended(agent, request, refused("r1")));
    assertThat(only().status()).isEqualTo(SessionRun.Status.FAILED);
    assertThat(only().refused()).isTrue();
    assertThat(totals()).isEqualTo(new SessionTotals(1, 0, 1, 0, RunStats.NONE));

    assertThat(join(recorder().admit(agent, request))).isEmpty();
    assertThat(only().status()).isEqualTo(SessionRun.Status.RUNNING);
    assertThat(totals()).isEqualTo(new SessionTotals(1, 0, 0, 0, RunStats.NONE));
    join(recorder().ended(agent, request, completed("r1", 2)));
    join(recorder().ended(agent, request, refused("r1")));
    assertThat(only().status()).isEqualTo(SessionRun.Status.COMPLETED);
    assertThat(only().refused()).isFalse();
    assertThat(totals()).isEqualTo(new SessionTotals(1, 1, 0, 0, stats(2)));
  }

  @Test
  void aRefusalThatIsReportedLateDoesNotHideTheEndOfTheFreshTry() {
    join(sessions().open(ID, "lead"));
    RunRequest request = request("r1");
    join(recorder().admit(agent, request));
    join(recorder().ended(agent, request, refused("r1")));
    join(recorder().admit(agent, request));
    join(recorder().ended(agent, request, refused("r1")));
    join(recorder().ended(agent, request, completed("r1", 2)));
    assertThat(only().status()).isEqualTo(SessionRun.Status.COMPLETED);
    assertThat(totals()).isEqualTo(new SessionTotals(1, 1, 0, 0, stats(2)));
  }

  @Test
  void aClosedSessionTakesNoFreshTryOfARefusedRun() {
    join(sessions().open(ID, "lead"));
    join(recorder().admit(agent, request("r1")));
    join(recorder().ended(agent, request("r1"), refused("r1")));
    join(sessions().close(ID, "lead", "enough"));
    assertThat(join(recorder().admit(agent, request("r1"))).orElseThrow())
        .contains("is closed: enough");
    assertThat(totals()).isEqualTo(new SessionTotals(1, 0, 1, 0, RunStats.NONE));
  }

  private static AgentRun refused(String run) {
    return AgentRun.neverAccepted(new RunId(run), "no room");
  }

  private SessionRun only() {
    List<SessionRun> all =
        join(sessions().runs(ID, Optional.empty(), 10, Optional.empty())).items();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  private SessionTotals totals() {
    return join(sessions().get(ID)).orElseThrow().totals();
  }

  @Test
  void aRunOutsideAnySessionIsNobodysAccount() {
    RunRequest alone = request(agent, "r1", Optional.empty());
    assertThat(join(recorder().admit(agent, alone))).isEmpty();
    join(recorder().ended(agent, alone, completed("r1", 1)));
    assertThat(ids(Optional.empty())).isEmpty();
  }

  @Test
  void aSessionOfAnotherColonyIsOutOfReach() {
    join(sessions().open(ID, "lead"));
    AgentId stranger = new AgentId("acme", colony + "x", "a");
    assertThat(join(recorder().admit(stranger, request("r1"))).orElseThrow())
        .contains("the request is of acme/" + colony)
        .contains("the agent is " + stranger);
    join(recorder().ended(stranger, request("r1"), completed("r1", 1)));
    assertThat(join(sessions().get(ID)).orElseThrow().totals()).isEqualTo(SessionTotals.NONE);
  }

  @Test
  void listsComeInPages() {
    List<String> names = IntStream.range(0, 7).mapToObj(i -> "s" + i).toList();
    names.forEach(name -> join(sessions().open(new SessionId(name), "lead")));
    join(sessions().close(new SessionId("s3"), "lead", "done"));
    List<String> paged = new ArrayList<>();
    Optional<String> after = Optional.empty();
    do {
      var page = join(sessions().list(Optional.of(Session.State.OPEN), 2, after));
      page.items().forEach(session -> paged.add(session.sessionId().value()));
      after = page.next();
    } while (after.isPresent());
    assertThat(paged).containsExactly("s0", "s1", "s2", "s4", "s5", "s6");
    assertThatThrownBy(() -> sessions().list(Optional.empty(), 0, Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> sessions().runs(ID, Optional.empty(), 10_001, Optional.empty()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCrashBetweenTheSessionAndTheRegistryIsMendedByListing() {
    join(sessions().open(ID, "lead"));
    SessionLedger ledger = new SessionLedger(blackboards(), "acme", colony, ID, "test");
    Session.Closing closing = new Session.Closing(NOW, "lead", "crashed");
    join(ledger.change(session -> session.close(closing)));
    assertThat(ids(Optional.of(Session.State.OPEN))).isEmpty();
    assertThat(ids(Optional.of(Session.State.CLOSED))).containsExactly("s1");
  }

  @Test
  void anEndReportedAgainAfterTheRunHasLeftTheListDoesNotCount() {
    join(sessions().open(ID, "lead"));
    join(recorder().admit(agent, request("r1")));
    join(recorder().ended(agent, request("r1"), completed("r1", 1)));
    var board = blackboards().open(Scope.session("acme", colony, "s1").namespace("runs"), "test");
    join(board.query(Query.keys("run:*")))
        .entries()
        .forEach(entry -> {
          assertThat(entry.expiresAt()).isPresent();
          join(board.delete(entry.key()));
        });
    join(recorder().ended(agent, request("r1"), completed("r1", 1)));
    assertThat(join(sessions().get(ID)).orElseThrow().totals().completed()).isEqualTo(1);
  }

  /**
   * Every report is repeated, out of order, from several threads, and some acknowledgements get
   * lost.
   *
   * @param repeats how often each run's reports are made; 0 for a run that does not end
   */
  void totalsAreExact(List<Integer> repeats, long seed) {
    SessionId id = new SessionId("s-" + UUID.randomUUID());
    join(sessions().open(id, "lead"));
    Random dice = new Random(seed);
    RunRecorder recorder =
        recorder(
            ForgetfulBlackboards.of(
                blackboards(),
                () -> {
                  synchronized (dice) {
                    return dice.nextInt(4) == 0;
                  }
                }));
    SessionTotals expected = SessionTotals.NONE;
    List<Runnable> admissions = new ArrayList<>();
    List<Runnable> ends = new ArrayList<>();
    for (int i = 0; i < repeats.size(); i++) {
      RunRequest request = request(agent, "r" + i, Optional.of(id));
      AgentRun run =
          switch (i % 3) {
            case 0 -> completed("r" + i, i);
            case 1 -> failed("r" + i);
            default -> AgentRun.cancelled(new RunId("r" + i), "not needed", stats(i));
          };
      expected = expected.admitted();
      for (int times = 0; times < repeats.get(i); times++) {
        admissions.add(() -> insist(() -> recorder.admit(agent, request)));
        ends.add(() -> insist(() -> recorder.ended(agent, request, run)));
      }
      if (repeats.get(i) == 0) {
        insist(() -> recorder.admit(agent, request));
      } else {
        expected = expected.ended(run);
      }
    }
    inAnyOrder(admissions, dice);
    inAnyOrder(ends, dice);
    assertThat(join(sessions().get(id)).orElseThrow().totals())
        .as("seed " + seed)
        .isEqualTo(expected);
  }

  private static void inAnyOrder(List<Runnable> calls, Random dice) {
    Collections.shuffle(calls, dice);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<CompletableFuture<Void>> all =
          calls.stream().map(call -> CompletableFuture.runAsync(call, threads)).toList();
      all.forEach(CompletableFuture::join);
    }
  }

  private static void insist(Supplier<CompletionStage<?>> call) {
    while (true) {
      try {
        call.get().toCompletableFuture().join();
        return;
      } catch (CompletionException unknown) {
        // Whether it took effect is unknown, so it is repeated.
      }
    }
  }

  private List<String> ids(Optional<Session.State> state) {
    return join(sessions().list(state, 100, Optional.empty())).items().stream()
        .map(session -> session.sessionId().value())
        .toList();
  }

  private static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException known ? known : failed;
    }
  }
}
