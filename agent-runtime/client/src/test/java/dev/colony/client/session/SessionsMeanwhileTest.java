package dev.colony.client.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentException;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Session;
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.Blackboards;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * A session is closed while another caller opens it, lists it or closes it too: between any two of
 * their calls. Afterwards the session is closed, and the colony's list of sessions shows it as
 * closed.
 */
class SessionsMeanwhileTest {

  private static final Instant NOW = Instant.parse("2026-11-22T04:00:00Z");
  private static final SessionId ID = new SessionId("s1");

  @Test
  void aSessionThatIsClosedWhileItIsOpenedIsListedAsClosed() {
    closedMeanwhile(sessions -> sessions.open(ID, "ann"));
  }

  @Test
  void aSessionThatIsClosedByTwoIsListedAsClosed() {
    closedMeanwhile(sessions -> sessions.close(ID, "ann", "done"));
  }

  @Test
  void aSessionThatIsClosedWhileItIsListedIsListedAsClosed() {
    closedMeanwhile(
        sessions -> sessions.list(Optional.of(Session.State.OPEN), 10, Optional.empty()));
  }

  private static void closedMeanwhile(Function<BlackboardSessions, CompletionStage<?>> work) {
    boolean over = false;
    for (int call = 0; !over; call++) {
      try (InMemoryBlackboards memory = new InMemoryBlackboards()) {
        BlackboardSessions others = sessions(memory);
        join(others.open(ID, "bob"));
        BetweenCalls between =
            new BetweenCalls().before(call, () -> join(others.close(ID, "bob", "enough")));
        // A caller that comes too late is told so.
        join(
            work.apply(sessions(between.over(memory)))
                .handle((done, failure) ->
                    failure == null || failure.getCause() instanceof AgentException));
        over = !between.finish();
        // First, for the caller that lists the open ones mends the list.
        assertThat(listed(others, Session.State.CLOSED))
            .as("before call %d", call)
            .containsExactly(ID);
        assertThat(listed(others, Session.State.OPEN)).as("before call %d", call).isEmpty();
      }
    }
  }

  private static List<SessionId> listed(BlackboardSessions sessions, Session.State state) {
    return join(sessions.list(Optional.of(state), 10, Optional.empty())).items().stream()
        .map(Session::sessionId)
        .toList();
  }

  private static BlackboardSessions sessions(Blackboards boards) {
    return new BlackboardSessions(boards, "acme", "races", () -> NOW);
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
