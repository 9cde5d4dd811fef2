package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.client.RunPlace.RunTimeout;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** What a caller is told whose time is over. */
class RunTimeoutTest {

  private static final RunPlace PLACE =
      RunPlace.of(
          new AgentId("acme", "tests", "a"),
          new RunId("r1"),
          RunOptions.namespace("work"),
          Optional.empty());

  @Test
  void aRunWhoseRequestIsStoredGoesOn() {
    late(CompletableFuture.completedFuture("stored"), "it goes on: attach to it to come back");
  }

  @Test
  void aRunWhoseRequestIsNotKnownToBeStoredHasToBeAskedForAgain() {
    late(new CompletableFuture<>(), "is not known to be stored: ask again under the same run id");
  }

  private static void late(CompletableFuture<?> found, String what) {
    CompletableFuture<AgentRun> result = new CompletableFuture<>();
    RunTimeout.set(result, PLACE, found, Duration.ofMillis(1));
    assertThatThrownBy(result::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(AgentException.class)
        .hasMessageContainingAll("run r1 in namespace work", what);
  }
}
