package dev.colony.agent.author;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.author.EventStream.Subscriptions;
import dev.colony.agent.fixture.BetweenCalls;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A capability awaits what is written while it begins to. */
class FirstWriteTest {

  private static final Scope SCOPE = Scope.colony("acme", "races");

  /** It subscribes, and reads once it hears. */
  @ParameterizedTest(name = "before call {0}")
  @ValueSource(ints = {0, 1, 2})
  void whatIsWrittenWhileItBeginsToBeAwaitedIsNotMissed(int call) throws Exception {
    try (InMemoryBlackboards memory = new InMemoryBlackboards()) {
      Blackboard outside = memory.open(SCOPE, "someone");
      BetweenCalls between =
          new BetweenCalls()
              .before(
                  call,
                  () -> outside.write(Write.value("answer", 42)).toCompletableFuture().join());
      Blackboard board = between.over(memory).open(SCOPE, "capability");
      CompletableFuture<Integer> first =
          new Subscriptions(board)
              .first(
                  EventFilter.keys("answer"),
                  written -> written.value().asInt(),
                  () ->
                      board
                          .read("answer")
                          .thenApply(found -> found.map(Entry::value).map(value -> value.asInt())));
      between.finish();
      assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo(42);
    }
  }
}
