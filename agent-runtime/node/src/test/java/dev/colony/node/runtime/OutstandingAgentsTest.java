package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class OutstandingAgentsTest {

  private final AtomicReference<Set<String>> index =
      new AtomicReference<>(Set.of("acme/lab/old", "acme/lab/ours"));
  private final OutstandingAgents all = () -> CompletableFuture.completedStage(index.get());

  private static Set<String> of(OutstandingAgents some) {
    return some.outstanding().toCompletableFuture().join();
  }

  @Test
  void whatIsLeftWaitsUntilItsWorkIsDone() {
    OutstandingAgents some = all.withoutLeft(agent -> agent.name().equals("old"));
    assertThat(of(some)).containsExactly("acme/lab/ours");
    index.set(Set.of("acme/lab/old", "acme/lab/new"));
    assertThat(of(some)).as("begun since").containsExactly("acme/lab/new");
    index.set(Set.of());
    assertThat(of(some)).isEmpty();
    index.set(Set.of("acme/lab/old"));
    assertThat(of(some)).as("it has new work").containsExactly("acme/lab/old");
  }

  @Test
  void indexThatCannotBeReadAtFirstLeavesNothingOut() {
    CompletableFuture<Set<String>> broken =
        CompletableFuture.failedFuture(new IllegalStateException("away"));
    AtomicReference<CompletableFuture<Set<String>>> next = new AtomicReference<>(broken);
    OutstandingAgents some = ((OutstandingAgents) next::get).withoutLeft(agent -> true);
    next.set(CompletableFuture.completedFuture(index.get()));
    assertThat(of(some)).isEqualTo(index.get());
  }
}
