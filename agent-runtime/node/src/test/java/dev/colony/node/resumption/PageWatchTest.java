package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.NodeReport.ReplicaResidency;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import dev.colony.vcm.table.TableSettings;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PageWatchTest {

  private static final NodeAddress HERE = new NodeAddress("127.0.0.1:7000");
  private static final NodeAddress THERE = new NodeAddress("127.0.0.1:7001");
  private static final PageId P1 = new PageId("a".repeat(26));
  private static final PageId P2 = new PageId("b".repeat(26));
  private static final PageId OTHER = new PageId("c".repeat(26));
  private static final PageGroup GROUP =
      new PageGroup(new PageGroupId("g".repeat(26)), "dir", List.of(P1, P2), 20);
  private static final Duration STAY = Duration.ofSeconds(5);

  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final BlackboardPageTable table =
      new BlackboardPageTable(
          boards,
          "test",
          TableSettings.fromConfig(
              ConfigFactory.parseString("colony.vcm.table.debounce = 1 ms")
                  .withFallback(ConfigFactory.load())));
  private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
  private final List<List<PageId>> gone = new CopyOnWriteArrayList<>();
  private volatile Instant now = Instant.EPOCH;
  private long version;
  private PageWatch watch;

  @BeforeEach
  void start() {
    table.loaded().toCompletableFuture().join();
    watch = new PageWatch(table, HERE, STAY, (delay, task) -> later.add(task), () -> now);
  }

  @AfterEach
  void stop() {
    watch.close();
    table.close();
    boards.close();
  }

  @Test
  void anAgentHearsOfPagesThatGoFromTheLastCache() {
    assign();
    watch.bind(GROUP.id(), gone::add);
    now = now.plus(STAY);
    holds(HERE, P1, P2, OTHER);
    holds(THERE, P1);
    holds(HERE, P2, OTHER);
    holds(HERE, P2);
    assertThat(gone).isEmpty();
    holds(THERE);
    assertThat(gone).containsExactly(List.of(P1, P2));
  }

  @Test
  void whatWasInNoCacheIsNotMissed() {
    assign();
    assertThat(watch.missing(GROUP.id())).contains(List.of(P1, P2));
    watch.bind(GROUP.id(), gone::add);
    now = now.plus(STAY);
    holds(HERE, P1, OTHER);
    holds(HERE, P1);
    assertThat(gone).isEmpty();
    holds(HERE, P1, P2);
    assertThat(watch.missing(GROUP.id())).isEmpty();
  }

  @Test
  void anAgentThatHasJustComeIsLeftAloneForAWhile() {
    assign();
    holds(HERE, P1, P2);
    watch.bind(GROUP.id(), gone::add);
    holds(HERE, P1);
    holds(HERE);
    assertThat(gone).isEmpty();
    assertThat(later).hasSize(1);
    holds(HERE, P1, P2);
    later.remove().run();
    assertThat(gone).isEmpty();

    holds(HERE, P1);
    later.remove().run();
    assertThat(gone).hasSize(1);
    assertThat(later).isEmpty();
  }

  @Test
  void whoHasLeftHearsNothing() {
    assign();
    holds(HERE, P1, P2);
    BoundPages.Binding left = watch.bind(GROUP.id(), gone::add);
    holds(HERE, P1);
    left.close();
    left.close();
    later.remove().run();
    holds(HERE, P1, P2);
    now = now.plus(STAY);
    holds(HERE);
    assertThat(gone).isEmpty();
  }

  @Test
  void eachOfSeveralAgentsHears() {
    assign();
    holds(HERE, P1, P2);
    watch.bind(GROUP.id(), gone::add);
    BoundPages.Binding second = watch.bind(GROUP.id(), gone::add);
    watch.bind(GROUP.id(), gone::add);
    second.close();
    now = now.plus(STAY);
    holds(HERE);
    assertThat(gone).hasSize(2);
  }

  @Test
  void aGroupMayBeAssignedAfterItsAgentHasCome() {
    watch.bind(GROUP.id(), gone::add);
    now = now.plus(STAY);
    assertThat(watch.missing(GROUP.id())).isEmpty();
    holds(HERE, P1, P2);
    assign();
    holds(HERE, P1);
    assertThat(gone).hasSize(1);
  }

  @Test
  void arrivalsInTheOwnReplicaAreTold() {
    List<Set<PageId>> came = new CopyOnWriteArrayList<>();
    BoundPages.Binding binding = watch.onArrival(came::add);
    holds(HERE, P1, P2);
    holds(THERE, P1, OTHER);
    holds(HERE, P1);
    holds(HERE, P1, P2);
    assertThat(came).containsExactly(Set.of(P1, P2), Set.of(P2));
    binding.close();
    holds(HERE);
    holds(HERE, P1, P2);
    assertThat(came).hasSize(2);
  }

  @Test
  void nobodyHearsOfAnythingWhenItIsClosed() {
    assign();
    holds(HERE, P1, P2);
    watch.bind(GROUP.id(), gone::add);
    now = now.plus(STAY);
    List<Set<PageId>> came = new CopyOnWriteArrayList<>();
    watch.onArrival(came::add);
    watch.close();
    holds(HERE);
    holds(HERE, P1, P2);
    assertThat(gone).isEmpty();
    assertThat(came).isEmpty();
  }

  private void assign() {
    table.assign(
        List.of(GROUP), (groups, known) -> new TreeMap<>(Collections.singletonMap(GROUP.id(), 1)));
  }

  /** Waits until the watch has heard, which it has when a later listener hears of later news. */
  private void holds(NodeAddress node, PageId... pages) {
    report(node, Arrays.stream(pages).collect(Collectors.toMap(page -> page, page -> 10)));
    PageId marker = marker();
    Set<PageId> heard = ConcurrentHashMap.newKeySet();
    PageTable.Listening listening = table.onChange(change -> heard.addAll(change.came()));
    report(new NodeAddress("127.0.0.1:7099"), Map.of(marker, 1));
    await().until(() -> heard.contains(marker));
    listening.close();
  }

  /** Another one each time. */
  private PageId marker() {
    String digits = Long.toString(version, 8).replace('0', 'x').replace('1', 'y');
    return new PageId("z".repeat(26 - digits.length()) + digits);
  }

  private void report(NodeAddress node, Map<PageId, Integer> pages) {
    ReplicaId replica = new ReplicaId(node.value().replace(':', '-'));
    long reported = ++version;
    table.report(
        new ReplicaResidency(replica, node, URI.create("http://" + node), 1, reported, pages));
    await()
        .until(() ->
            table
                .snapshot()
                .replica(replica)
                .filter(known -> known.version() == reported)
                .isPresent());
  }
}
