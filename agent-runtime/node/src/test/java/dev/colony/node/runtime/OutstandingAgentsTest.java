package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.node.runtime.AgentRuntime.OutstandingAgents;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class OutstandingAgentsTest {

  private final AtomicReference<Set<String>> index =
      new AtomicReference<>(Set.of("acme/lab/old", "acme/lab/ours"));
  private final OutstandingAgents all = () -> CompletableFuture.completedStage(index.get());

  private static Set<String> of(OutstandingAgents some) {
    return some.outstanding().toCompletableFuture().join();
  }

  private static Set<AgentId> named(Set<AgentId> some, String name) {
    return some.stream().filter(one -> one.name().equals(name)).collect(Collectors.toSet());
  }

  @Test
  void whatIsLeftGoesOnAsSoonAsItNeedNotWait() {
    Set<String> waiting = new HashSet<>(Set.of("ours"));
    OutstandingAgents some =
        all.withoutLeft(left ->
            left.stream().filter(one -> waiting.contains(one.name())).collect(Collectors.toSet()));
    assertThat(of(some)).containsExactly("acme/lab/old");
    waiting.clear();
    assertThat(of(some)).isEqualTo(index.get());
  }

  @Test
  void whatIsLeftWaitsUntilItsWorkIsDone() {
    OutstandingAgents some = all.withoutLeft(left -> named(left, "old"));
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
    OutstandingAgents some = ((OutstandingAgents) next::get).withoutLeft(left -> left);
    next.set(CompletableFuture.completedFuture(index.get()));
    assertThat(of(some)).isEqualTo(index.get());
  }
}
