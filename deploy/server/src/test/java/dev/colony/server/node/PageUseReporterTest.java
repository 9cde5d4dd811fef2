package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.replicas.Replica;
import dev.colony.server.node.ResidencyReporter.PageUseReporter;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageEntry.PageState;
import dev.colony.vcm.table.PageUseTracker;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a gateway's calls read stands in the page table while they last. */
class PageUseReporterTest {

  private static final PageId PAGE = new PageId("p".repeat(26));
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Replica OWN =
      new Replica("node-1", URI.create("http://127.0.0.1:8000/v1"), "127.0.0.1:7000");
  private static final Replica LISTED =
      new Replica("http://elsewhere/v1", URI.create("http://elsewhere/v1"), "");

  @Test
  void aPageIsLoadingWhileACallThatReadsItIsUnderWay() {
    try (InMemoryBlackboards boards = new InMemoryBlackboards();
        BlackboardPageTable table =
            new BlackboardPageTable(
                boards, "test", TableSettings.fromConfig(NodeConfig.base(Optional.empty())))) {
      table.loaded().toCompletableFuture().join();
      NodeAddress node = new NodeAddress(OWN.node());
      ReplicaId replica = new ReplicaId(OWN.id());
      PageUseReporter reporter =
          new PageUseReporter(new PageUseTracker(node, 1, 10), table, () -> NOW);
      InferenceRequest call =
          InferenceRequest.of(
              "c",
              Prompt.of("You read.", List.of(new PromptPage(PAGE.value(), "p", 10)), "What?"),
              ReplyForm.text(1),
              CallContext.within(Duration.ofSeconds(1)));
      reporter.sent(LISTED, call);
      reporter.sent(OWN, call);
      table.report(new ReplicaResidency(replica, node, OWN.baseUri(), 1, 1, Map.of()));
      await().until(() -> table.snapshot().replica(replica).isPresent());
      reporter.sent(OWN, call);
      await().until(() -> entry(table, replica).state() == PageState.LOADING);
      assertThat(entry(table, replica).readers()).as("since the replica is known").isEqualTo(1);

      reporter.ended(OWN, call);
      reporter.ended(LISTED, call);
      await().until(() -> entry(table, replica).state() == PageState.ABSENT);
      assertThat(entry(table, replica).lastUse()).contains(NOW);

      reporter.gaveUp(OWN, Set.of(PAGE.value()));
      table.report(new ReplicaResidency(replica, node, OWN.baseUri(), 1, 2, Map.of(PAGE, 10)));
      await().until(() -> entry(table, replica).state() != PageState.ABSENT);
      assertThat(entry(table, replica).state())
          .as("it was not there to be given up")
          .isEqualTo(PageState.RESIDENT);
      reporter.gaveUp(LISTED, Set.of(PAGE.value()));
      reporter.gaveUp(OWN, Set.of(PAGE.value()));
      await().until(() -> entry(table, replica).state() == PageState.EVICTING);
      reporter.sent(OWN, call);
      await().until(() -> entry(table, replica).state() == PageState.RESIDENT);
    }
  }

  private static PageEntry entry(BlackboardPageTable table, ReplicaId replica) {
    return table.snapshot().entry(replica, PAGE, NOW);
  }
}
