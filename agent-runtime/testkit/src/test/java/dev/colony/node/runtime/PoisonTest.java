package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.node.NodeBounds;
import dev.colony.node.runtime.PoisonedTenant.Ailment;
import dev.colony.node.runtime.PoisonedTenant.Asked;
import dev.colony.vcm.store.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand requests of one tenant in vain, over a real Redis. */
@Tag("faults")
@Timeout(900)
class PoisonTest {

  /** The first of which is to warm up. */
  private static final int ROUNDS = 3;

  /** What the client of the poisoned tenant sends a second, unless -Dpoison.rate says otherwise. */
  private static final int RATE = Integer.getInteger("poison.rate", 250);

  private static final int AT_ONCE = 128;

  /** What is asked of other tenants' agents in one phase, and by how many callers at once. */
  private static final int MEASURED = 1_000;

  private static final int CALLERS = 4;

  private static final RunOptions OPTIONS = RunOptions.namespace("test");

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final RedisConnections connections =
      new RedisConnections(redis.uri(), Duration.ofSeconds(60));
  private final Blackboards boards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);
  private final int buckets = boards.inbox().buckets();
  private final TestTypes types = new TestTypes();
  private final LocalNode node =
      LocalNode.of(boards, types)
          .settings(
              PoisonedTenant.Journal.CONFIG
                  + """
                  pekko.actor.serialize-messages = off
                  colony.agent {
                    max-queued-runs = 4
                    inbox.max-deliveries = 3
                  }
                  """)
          .bounds(
              new NodeBounds(
                  NodeBounds.USUAL.journal(),
                  Bounds.QUICK.blackboard(),
                  Bounds.inbox(
                          Duration.ofSeconds(2),
                          Duration.ofSeconds(3),
                          4,
                          128,
                          Bounds.QUICK.inbox().lanes().retry())
                      .inbox(),
                  Bounds.QUICK.waker(),
                  Bounds.QUICK.keeping(),
                  Bounds.QUICK.resumption(),
                  Bounds.QUICK.leases()))
          .start();
  private final BlackboardColony client =
      new BlackboardColony(
          boards,
          HomeResolver.byHash(node.settings.placementUnits()),
          Settings.read(ClientSettings.class, node.system().settings().config()));
  private final PoisonedTenant poison = new PoisonedTenant(redis.uri(), RATE);

  @AfterEach
  void stop() {
    poison.close();
    types.releaseAll();
    node.close();
    boards.close();
    connections.close();
    redis.close();
  }

  /**
   * One tenant's requests to agents that do not take them wait in all buckets, while agents of
   * other tenants are asked; how long these take before, meanwhile and afterwards is printed.
   */
  @Test
  void whatCannotBeDeliveredOfOneTenantDelaysNoAgentOfAnother() {
    List<AgentHandle> others = new ArrayList<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      others.add(
          spawn(
              PoisonedTenant.inBucket(bucket, buckets, "tenant-" + bucket % 8, "other"),
              TestTypes.BLUEPRINT));
      for (Ailment ailment : Ailment.values()) {
        spawn(ailment.agent(bucket, buckets), ailment.blueprint);
      }
    }
    Latencies quiet = new Latencies();
    Latencies arriving = new Latencies();
    Latencies waiting = new Latencies();
    Latencies after = new Latencies();
    for (int round = 0; round < ROUNDS; round++) {
      boolean warm = round > 0;
      measure(others, warm ? quiet : new Latencies(), asked -> asked < MEASURED);
      CountDownLatch held = types.hold("a1");
      int number = round;
      CompletableFuture<PoisonedTenant.Sent> sending =
          CompletableFuture.supplyAsync(() -> poison.send(number), Thread::startVirtualThread);
      measure(others, warm ? arriving : new Latencies(), asked -> !sending.isDone());
      measure(others, warm ? waiting : new Latencies(), asked -> asked < MEASURED);
      PoisonedTenant.Sent sent = sending.join();
      System.out.printf(
          "%,d requests came in %.1f s, %.0f a second of %,d asked for%n",
          sent.requests(), sent.seconds(), sent.requests() / sent.seconds(), RATE);
      assertThat(waits()).as("what still waits").isPositive();
      held.countDown();
      types.releaseAll();
      await().atMost(Duration.ofMinutes(4)).until(() -> waits() == 0);
      measure(others, warm ? after : new Latencies(), asked -> asked < MEASURED);
      List<Asked> asked = PoisonedTenant.requests(round, buckets);
      assertThat(asked).hasSize(sent.requests()).hasSizeGreaterThan(10_000);
      check(asked);
    }
    quiet.print("before", quiet);
    arriving.print("while the requests come in", quiet);
    waiting.print("while they wait", quiet);
    after.print("after them", quiet);
  }

  /** Requests to silent agents have failed with the reason; those to full agents were run. */
  private void check(List<Asked> all) {
    Set<String> dead = new HashSet<>(deadLetters());
    List<AgentRun> ends =
        join(
            InFlight.map(
                all,
                AT_ONCE,
                asked -> client.agent(asked.agent()).attach(asked.run(), OPTIONS).result()));
    int buried = 0;
    for (int i = 0; i < all.size(); i++) {
      Asked asked = all.get(i);
      AgentRun end = ends.get(i);
      boolean letter = dead.contains(asked.agent() + " request:run:" + asked.run().value());
      buried += letter ? 1 : 0;
      assertThat(end.refused()).as("%s %s", asked, end).isEqualTo(asked.ailment() != Ailment.FULL);
      switch (asked.ailment()) {
        case SILENT -> assertThat(letter).as("%s %s", asked, end).isTrue();
        case UNREADABLE -> assertThat(letter || end.refused()).isTrue();
        case UNKNOWN_TYPE -> assertThat(end.error().orElseThrow()).contains("another-program");
        case FULL -> assertThat(end.status()).isEqualTo(AgentRun.Status.COMPLETED);
      }
    }
    System.out.printf("%,d requests: %,d became dead letters%n", all.size(), buried);
  }

  private List<String> deadLetters() {
    List<String> all = new ArrayList<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      Optional<String> after = Optional.empty();
      List<DeadLetter> page;
      do {
        page = join(boards.inbox().deadLetters(bucket, after, 100));
        page.forEach(letter ->
            all.add(AgentId.parse(letter.request().recipient()) + " " + letter.request().key()));
        after = page.isEmpty() ? after : Optional.of(page.getLast().id());
      } while (page.size() == 100);
    }
    return all;
  }

  /** Asks one agent after the other by several callers, each when its last was answered. */
  private static void measure(List<AgentHandle> agents, Latencies latencies, IntPredicate more) {
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      callers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = caller; more.test(n); n += CALLERS) {
                  AgentHandle agent = agents.get(n % agents.size());
                  long begun = System.nanoTime();
                  AgentRun run =
                      agent
                          .run(TestTypes.input(1, "internal"), OPTIONS)
                          .result()
                          .toCompletableFuture()
                          .orTimeout(60, TimeUnit.SECONDS)
                          .join();
                  assertThat(run.status()).as("%s", run).isEqualTo(AgentRun.Status.COMPLETED);
                  latencies.add(System.nanoTime() - begun);
                }
              },
              Thread::startVirtualThread));
    }
    callers.forEach(CompletableFuture::join);
  }

  private static final class Latencies {

    private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();

    void add(long took) {
      nanos.add(took);
    }

    double millis(double part) {
      long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
      return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * part)] / 1e6;
    }

    void print(String when, Latencies quiet) {
      System.out.printf(
          "%-30s %,6d requests: p50 %7.1f ms, p99 %7.1f ms, longest %7.1f ms; p99 %.2f times that"
              + " before%n",
          when,
          nanos.size(),
          millis(0.5),
          millis(0.99),
          millis(1),
          millis(0.99) / quiet.millis(0.99));
    }
  }

  private AgentHandle spawn(AgentId id, AgentBlueprint blueprint) {
    return join(client.spawn(id, blueprint));
  }

  private long waits() {
    return join(boards.inbox().statistics()).messages();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }
}
