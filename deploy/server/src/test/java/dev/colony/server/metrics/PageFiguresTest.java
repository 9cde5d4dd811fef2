package dev.colony.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Usage;
import dev.colony.inference.replicas.Replica;
import dev.colony.server.metrics.ModelFigures.PageFigures;
import dev.colony.server.node.NodeConfig;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.TableSettings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
    InferenceRequest request =
        InferenceRequest.of(
            "c",
            Prompt.of(
                "You read.",
                List.of(new PromptPage(P.value(), "p", 100), new PromptPage(Q.value(), "q", 100)),
                "What?"),
            ReplyForm.text(1),
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

  @Test
  void locksAndFaultsAreThoseThatHold() {
    try (InMemoryBlackboards boards = new InMemoryBlackboards();
        BlackboardPageTable table =
            new BlackboardPageTable(
                boards, "test", TableSettings.fromConfig(NodeConfig.base(Optional.empty())))) {
      table.loaded().toCompletableFuture().join();
      Instant now = boards.clock().instant();
      figures.follow(table, new NodeAddress("127.0.0.1:1"), () -> now.plusSeconds(30));
      table.leases().lock("h", List.of(P), Duration.ofSeconds(60));
      table.leases().lock("i", List.of(P), Duration.ofSeconds(10));
      table.leases().request("h", List.of(Q), 1, Duration.ofSeconds(60));
      assertThat(registry.get("colony.pages.locks").gauge().value()).isEqualTo(1);
      assertThat(registry.get("colony.pages.faults").gauge().value()).isEqualTo(1);
      assertThat(registry.get("colony.pages.faults.oldest").gauge().value()).isBetween(25.0, 30.0);
    }
  }
}
