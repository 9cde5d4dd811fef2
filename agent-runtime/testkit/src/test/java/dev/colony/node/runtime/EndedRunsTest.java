package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.node.runtime.EndedAgents.EndedRuns;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class EndedRunsTest {

  private static final AgentRunProtocol PROTOCOL = new AgentRunProtocol();
  private static final Scope SCOPE = Scope.agent("acme", "kept", "asked").namespace("kept");

  /** A refused run's key may be used again, also while it is being purged. */
  @Test
  void runThatIsAskedForAnewMeanwhileStays() {
    try (InMemoryBlackboards boards = new InMemoryBlackboards()) {
      Blackboard board = boards.open(SCOPE, "test");
      String request = PROTOCOL.requestKey("asked", "r1");
      for (String run : new String[] {"r1", "r2"}) {
        get(board.write(Write.value(PROTOCOL.requestKey("asked", run), "first")));
        get(board.write(Write.value(PROTOCOL.resultKey(run), "refused")));
      }
      Blackboards raced =
          raced(
              boards,
              () -> {
                get(board.delete(PROTOCOL.resultKey("r1")));
                get(board.write(Write.value(request, "anew")));
              });
      EndedRuns.Page page =
          get(new EndedRuns(raced).purge("acme", "kept", Optional.empty(), 10, Instant.MAX, false));
      assertThat(page.runs()).isEqualTo(1);
      assertThat(get(board.read(request)).orElseThrow().value().asText()).isEqualTo("anew");
      assertThat(get(board.read(PROTOCOL.requestKey("asked", "r2")))).isEmpty();
    }
  }

  /** Between the first reading of results and all that follows. */
  private static Blackboards raced(Blackboards live, Runnable meanwhile) {
    boolean[] done = new boolean[1];
    return proxy(
        Blackboards.class,
        (method, arguments) -> {
          Object result = method.invoke(live, arguments);
          return result instanceof Blackboard board
              ? proxy(
                  Blackboard.class,
                  (called, given) -> {
                    Object answer = called.invoke(board, given);
                    if (given != null && given.length == 1 && given[0] instanceof Query) {
                      ((CompletionStage<?>) answer).toCompletableFuture().join();
                      if (!done[0]) {
                        done[0] = true;
                        meanwhile.run();
                      }
                    }
                    return answer;
                  })
              : result;
        });
  }

  private interface Called {
    Object with(java.lang.reflect.Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Called called) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> called.with(method, arguments)));
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }
}
