package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.blackboard.memory.InMemoryBlackboards;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.routing.Replica;
import dev.colony.server.node.NodeConfig;
import dev.colony.vcm.PageId;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.ReplicaResidency;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Hits by chained prefix, and what the page table says of locks and faults. */
class PageFiguresTest {

  private static final PageId P = new PageId("p".repeat(26));
  private static final PageId Q = new PageId("q".repeat(26));

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PageFigures figures = new PageFigures(registry);

  private void answered(OptionalLong cached) {
    answered(cached, 1);
  }

  private void answered(OptionalLong cached, int maxTokens) {
    InferenceRequest request =
        InferenceRequest.of(
            "c",
            Prompt.of(
                "You read.",
                List.of(new PromptPage(P.value(), "p", 100), new PromptPage(Q.value(), "q", 100)),
                "What?"),
            ReplyForm.text(maxTokens),
            CallContext.within(Duration.ofSeconds(1)));
    figures.answered(
        new Replica("r", URI.create("http://127.0.0.1:1/v1"), "127.0.0.1:1"),
        request,
        new Usage(210, cached.orElse(0), 1),
        cached);
  }

  private double counted(String result) {
    return registry.get("colony.pages.prefix").tag("result", result).counter().count();
  }

  @Test
  void aPageIsAHitIfThePromptWasCachedUpToIt() {
    answered(OptionalLong.empty());
    assertThat(counted("hit") + counted("miss")).as("the server does not say").isZero();
    answered(OptionalLong.of(0));
    assertThat(counted("miss")).isEqualTo(2);
    answered(OptionalLong.of(112));
    assertThat(counted("hit")).isEqualTo(1);
    assertThat(counted("miss")).isEqualTo(3);
    answered(OptionalLong.of(208));
    assertThat(counted("hit")).isEqualTo(3);
  }

  private double ahead(String result) {
    return registry.get("colony.pages.ahead").tag("result", result).counter().count();
  }

  @Test
  void aPageThatACallOfOneTokenHasComputedIsUsedByTheNextThatReadsIt() {
    answered(OptionalLong.of(0), 100);
    assertThat(ahead("loaded")).as("a call that is answered loads nothing ahead").isZero();
    answered(OptionalLong.of(112));
    assertThat(ahead("loaded")).as("the second page alone").isEqualTo(1);
    answered(OptionalLong.of(208));
    assertThat(ahead("loaded")).as("it was there").isEqualTo(1);
    assertThat(ahead("used")).isZero();
    answered(OptionalLong.of(208), 100);
    answered(OptionalLong.of(208), 100);
    assertThat(ahead("used")).as("once").isEqualTo(1);
    assertThat(ahead("wasted")).isZero();
  }

  @Test
  void aPageThatGoesBeforeItIsReadWasLoadedInVain() {
    try (InMemoryBlackboards boards = new InMemoryBlackboards();
        BlackboardPageTable table =
            new BlackboardPageTable(
                boards, "test", TableSettings.fromConfig(NodeConfig.base(Optional.empty())))) {
      table.loaded().toCompletableFuture().join();
      NodeAddress self = new NodeAddress("127.0.0.1:1");
      figures.follow(table, self, boards.clock());
      ReplicaId replica = new ReplicaId("r");
      URI uri = URI.create("http://127.0.0.1:1/v1");
      table.report(new ReplicaResidency(replica, self, uri, 1, 1, Map.of(P, 100, Q, 100)));
      await().until(() -> !table.snapshot().replicasWith(Q).isEmpty());
      answered(OptionalLong.of(112));
      table.report(new ReplicaResidency(replica, self, uri, 1, 2, Map.of(P, 100)));
      await().until(() -> ahead("wasted") == 1);
      answered(OptionalLong.of(208), 100);
      assertThat(ahead("used")).isZero();
    }
  }

  @Test
  void locksAndFaultsAreThoseThatHold() {
    try (InMemoryBlackboards boards = new InMemoryBlackboards();
        BlackboardPageTable table =
            new BlackboardPageTable(
                boards, "test", TableSettings.fromConfig(NodeConfig.base(Optional.empty())))) {
      table.loaded().toCompletableFuture().join();
      Instant now = boards.clock().instant();
      figures.follow(table, new NodeAddress("127.0.0.1:1"), () -> now.plusSeconds(30));
      table.leases().lock("h", List.of(P), Duration.ofSeconds(60)).toCompletableFuture().join();
      table.leases().lock("i", List.of(P), Duration.ofSeconds(10)).toCompletableFuture().join();
      table
          .leases()
          .request("h", List.of(Q), 1, Duration.ofSeconds(60))
          .toCompletableFuture()
          .join();
      assertThat(registry.get("colony.pages.locks").gauge().value()).isEqualTo(1);
      assertThat(registry.get("colony.pages.faults").gauge().value()).isEqualTo(1);
      assertThat(registry.get("colony.pages.faults.oldest").gauge().value()).isBetween(25.0, 30.0);
    }
  }
}
