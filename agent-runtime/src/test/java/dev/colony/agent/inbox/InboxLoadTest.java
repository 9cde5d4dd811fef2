package dev.colony.agent.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.Blueprint;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.bench.FakeModel;
import dev.colony.agent.client.BlackboardColony;
import dev.colony.agent.client.ClientSettings;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.DeadLetter;
import dev.colony.blackboard.inbox.InboxBucket;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.vcm.work.InFlight;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;

/** Ten thousand requests at once, over a real Redis: of one tenant in vain, and to one agent. */
@Tag("faults")
@Timeout(900)
class InboxLoadTest {

  private static final int REQUESTS = 10_000;
  private static final int AT_ONCE = 128;

  /** By the client whose requests wait in vain, so that it does not take the processors itself. */
  private static final int POISON_AT_ONCE = 4;

  private static final String POISON = "poison";
  private static final int ROUNDS = 3;

  /** What is asked of other tenants' agents in one phase, and by how many callers at once. */
  private static final int MEASURED = 1_000;

  private static final int CALLERS = 4;

  private static final RunOptions OPTIONS = RunOptions.namespace("test");

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final RedisConnections connections =
      new RedisConnections(redis.uri(), Duration.ofSeconds(60));
  private final Blackboards boards = new RedisBlackboards(connections, BlackboardSettings.DEFAULTS);

  /** That of the client whose requests wait in vain. */
  private final RedisConnections poisonConnections =
      new RedisConnections(redis.uri(), Duration.ofSeconds(60));

  private final Blackboards poisonBoards =
      new RedisBlackboards(poisonConnections, BlackboardSettings.DEFAULTS);
  private final int buckets = boards.inbox().buckets();
  private final TestTypes types = new TestTypes();
  private LocalNode node;
  private BlackboardColony outside;

  private void start(String settings) {
    ActorTestKit kit = ActorTestKit.create(LocalNode.config(settings));
    node =
        new LocalNode(
            kit,
            boards,
            new FakeModel(),
            types,
            () -> CompletableFuture.completedStage(Set.of()),
            (agent, took) -> {});
    outside = client(boards);
  }

  @AfterEach
  void stop() {
    types.releaseAll();
    node.close();
    poisonBoards.close();
    boards.close();
    poisonConnections.close();
    connections.close();
    redis.close();
  }

  /**
   * Keeps events in memory, but takes none from some agents of one tenant, and gives others none
   * back.
   */
  public static final class PoisonedJournal extends AsyncWriteJournal {

    static final String CONFIG =
        """
        pekko.persistence.journal.plugin = test.poisoned
        test.poisoned {
          class = "%s"
          plugin-dispatcher = "pekko.actor.default-dispatcher"
          replay-filter.mode = off
          # What fails here is not the journal, which would fail for all agents at once.
          circuit-breaker { max-failures = 1000000000, call-timeout = 10s, reset-timeout = 1s }
        }
        """
            .formatted(PoisonedJournal.class.getName());

    private final Map<String, NavigableMap<Long, PersistentRepr>> logs = new ConcurrentHashMap<>();

    private NavigableMap<Long, PersistentRepr> log(String agent) {
      return logs.computeIfAbsent(agent, any -> new ConcurrentSkipListMap<>());
    }

    private static void fail(String agent, Ailment ailment) {
      if (agent.startsWith(POISON + "/tests/" + ailment)) {
        throw new IllegalStateException("the disk is full");
      }
    }

    @Override
    public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(
        Iterable<AtomicWrite> writes) {
      for (AtomicWrite write : writes) {
        fail(write.persistenceId(), Ailment.SILENT);
        for (PersistentRepr event : CollectionConverters.asJava(write.payload())) {
          Object said =
              event.payload() instanceof Tagged tagged ? tagged.payload() : event.payload();
          log(event.persistenceId()).put(event.sequenceNr(), event.withPayload(said));
        }
      }
      return Future.successful(List.of());
    }

    @Override
    public Future<Void> doAsyncDeleteMessagesTo(String agent, long to) {
      log(agent).headMap(to, true).clear();
      return Future.successful(null);
    }

    @Override
    public Future<Void> doAsyncReplayMessages(
        String agent, long from, long to, long max, Consumer<PersistentRepr> replay) {
      log(agent).subMap(from, true, Math.max(from, to), true).values().stream()
          .limit(max)
          .forEach(replay);
      return Future.successful(null);
    }

    @Override
    public Future<Long> doAsyncReadHighestSequenceNr(String agent, long from) {
      fail(agent, Ailment.UNREADABLE);
      return Future.successful(log(agent).isEmpty() ? 0L : log(agent).lastKey());
    }
  }

  /** Why an agent does not take what it is sent. */
  private enum Ailment {
    /** Its journal takes nothing, so that it never answers. */
    SILENT(15, TestTypes.BLUEPRINT),
    /** It cannot be recovered. */
    UNREADABLE(60, TestTypes.BLUEPRINT),
    /** No node knows what it is made of. */
    UNKNOWN_TYPE(120, AgentBlueprint.of(Blueprint.of("test.of-another-program"))),
    /** Its first run does not end, and it has as many as it may. */
    FULL(118, TestTypes.BLUEPRINT);

    final int requests;
    final AgentBlueprint blueprint;

    Ailment(int requests, AgentBlueprint blueprint) {
      this.requests = requests;
      this.blueprint = blueprint;
    }
  }

  private record Asked(Ailment ailment, AgentHandle agent, RunId run) {}

  /**
   * One tenant's requests to agents that do not take them wait in all buckets, while agents of
   * other tenants are asked; how long these take, with and without, is printed.
   */
  @Test
  void whatCannotBeDeliveredOfOneTenantDelaysNoAgentOfAnother() {
    start(
        PoisonedJournal.CONFIG
            + """
            colony.agent {
              max-queued-runs = 4
              inbox {
                max-deliveries = 3, accept-timeout = 2s, workers = 4, sweep = 3s
                redelivery { shortest = 20ms, longest = 200ms }
              }
            }
            """);
    List<AgentHandle> others = new ArrayList<>();
    for (int bucket = 0; bucket < buckets; bucket++) {
      others.add(spawn(inBucket(bucket, "tenant-" + bucket % 8, "other"), TestTypes.BLUEPRINT));
    }
    List<List<AgentHandle>> poisoned = new ArrayList<>();
    for (Ailment ailment : Ailment.values()) {
      poisoned.add(
          IntStream.range(0, buckets)
              .mapToObj(
                  bucket -> spawn(inBucket(bucket, POISON, ailment.name()), ailment.blueprint))
              .toList());
    }
    BlackboardColony poisoner = client(poisonBoards);
    Latencies quiet = new Latencies();
    Latencies arriving = new Latencies();
    Latencies waiting = new Latencies();
    int sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
      boolean warm = round > 0;
      measure(others, warm ? quiet : new Latencies(), asked -> asked < MEASURED);
      CountDownLatch held = types.hold("a1");
      int number = round;
      CompletableFuture<List<Asked>> poison =
          CompletableFuture.supplyAsync(() -> poison(poisoner, poisoned, number));
      measure(others, warm ? arriving : new Latencies(), asked -> !poison.isDone());
      measure(others, warm ? waiting : new Latencies(), asked -> asked < MEASURED);
      List<Asked> asked = poison.join();
      sum += asked.size();
      assertThat(waits()).as("what still waits").isPositive();
      held.countDown();
      types.releaseAll();
      await().atMost(Duration.ofMinutes(4)).until(() -> waits() == 0);
      check(asked);
      if (warm) {
        quiet.print("quiet", quiet);
        arriving.print("while %,d requests come in".formatted(asked.size()), quiet);
        waiting.print("while they wait", quiet);
      }
    }
    assertThat(sum).isGreaterThanOrEqualTo(ROUNDS * REQUESTS);
  }

  private static List<Asked> poison(
      BlackboardColony poisoner, List<List<AgentHandle>> poisoned, int round) {
    List<Asked> all = new ArrayList<>();
    for (Ailment ailment : Ailment.values()) {
      for (AgentHandle agent : poisoned.get(ailment.ordinal())) {
        for (int i = 0; i < ailment.requests; i++) {
          all.add(new Asked(ailment, agent, new RunId("r-" + round + "-" + i)));
        }
      }
    }
    join(
        InFlight.map(
            all,
            POISON_AT_ONCE,
            asked ->
                poisoner
                    .agent(asked.agent().id())
                    .run(TestTypes.input(2, "internal"), OPTIONS.runId(asked.run()))
                    .stored()));
    return all;
  }

  /** Requests to silent agents have failed with the reason; those to full agents were run. */
  private void check(List<Asked> all) {
    Set<String> dead = new HashSet<>(deadLetters());
    List<AgentRun> ends =
        join(
            InFlight.map(
                all, AT_ONCE, asked -> asked.agent().attach(asked.run(), OPTIONS).result()));
    int buried = 0;
    for (int i = 0; i < all.size(); i++) {
      Asked asked = all.get(i);
      AgentRun end = ends.get(i);
      boolean letter = dead.contains(asked.agent().id() + " request:run:" + asked.run().value());
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

  private interface More {
    boolean than(int asked);
  }

  /** Asks one agent after the other by several callers, each when its last was answered. */
  private void measure(List<AgentHandle> agents, Latencies latencies, More more) {
    List<CompletableFuture<Void>> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      int caller = i;
      callers.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = caller; more.than(n); n += CALLERS) {
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
          "%-40s %,6d requests: p50 %7.1f ms, p99 %7.1f ms, longest %7.1f ms; p99 %.2f times the"
              + " quiet one%n",
          when,
          nanos.size(),
          millis(0.5),
          millis(0.99),
          millis(1),
          millis(0.99) / quiet.millis(0.99));
    }
  }

  @Test
  void allRequestsToOneAgentAreRunOnceAndKeepTheirKeys() {
    start(
        """
        pekko.persistence.journal.plugin = "colony.agent.journal"
        pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
        colony.agent.journal.redis-uri = "%s"
        """
            .formatted(redis.uri()));
    AgentHandle agent = spawn(new AgentId("acme", "tests", "crowded"), TestTypes.BLUEPRINT);
    Function<Integer, RunOptions> keyed = i -> OPTIONS.idempotencyKey("order-" + i);
    List<Integer> numbers = IntStream.range(0, REQUESTS).boxed().toList();
    long begun = System.nanoTime();
    List<RunId> runs =
        join(
            InFlight.map(
                numbers,
                AT_ONCE,
                i -> {
                  var run = agent.run(TestTypes.input(1, "internal"), keyed.apply(i));
                  return run.stored().thenApply(stored -> run.runId());
                }));
    assertThat(Set.copyOf(runs)).hasSize(REQUESTS);
    await().atMost(Duration.ofMinutes(10)).until(() -> waits() == 0);
    List<AgentRun> ends =
        join(InFlight.map(runs, AT_ONCE, run -> agent.attach(run, OPTIONS).result()));
    assertThat(ends)
        .allSatisfy(end -> assertThat(end.status()).isEqualTo(AgentRun.Status.COMPLETED));
    System.out.printf(
        "%,d requests to one agent were run in %.1f s%n",
        REQUESTS, (System.nanoTime() - begun) / 1e9);
    List<AgentRun> again =
        join(
            InFlight.map(
                numbers,
                AT_ONCE,
                i -> agent.run(TestTypes.input(1, "internal"), keyed.apply(i)).result()));
    assertThat(again).isEqualTo(ends);
    assertThat(types.begun).hasSize(REQUESTS).doesNotHaveDuplicates();
    assertThat(deadLetters()).isEmpty();
  }

  private static BlackboardColony client(Blackboards over) {
    return new BlackboardColony(
        over, HomeResolver.byHash(8), ClientSettings.fromConfig(LocalNode.config("")));
  }

  private AgentHandle spawn(AgentId id, AgentBlueprint blueprint) {
    return join(outside.spawn(id, blueprint));
  }

  /** An agent of a tenant whose requests stand in this bucket. */
  private AgentId inBucket(int bucket, String tenant, String name) {
    return IntStream.iterate(0, n -> n + 1)
        .mapToObj(n -> new AgentId(tenant, "tests", name + "-" + n))
        .filter(id -> InboxBucket.of(id.scope(), buckets) == bucket)
        .findFirst()
        .orElseThrow();
  }

  private long waits() {
    return join(boards.inbox().statistics()).messages();
  }

  private static <T> T join(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }
}
