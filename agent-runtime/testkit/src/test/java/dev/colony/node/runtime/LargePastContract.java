package dev.colony.node.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.fixture.ClusterNodes;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.payload.PayloadStore;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadVault;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.history.AgentHistory;
import dev.colony.core.lifecycle.Lifecycle;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.lifecycle.StoredTypes;
import dev.colony.journal.Journal;
import dev.colony.node.runtime.EndedAgents.PurgeReply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An agent has read 50 MB. They lie in a folder and leave Redis as it was; the agent is recovered
 * on another node after a kill, forked and purged like any other, and then the folder is empty.
 */
abstract class LargePastContract {

  private static final int NODES = 3;
  private static final int DOCUMENTS = 25;
  private static final String NAMESPACE = "test";
  private static final HomeResolver HOMES = HomeResolver.byHash(8);

  /** An empty store. */
  abstract PayloadSettings store();

  @Test
  @Timeout(400)
  void itLeavesRedisFlat() throws Exception {
    PayloadSettings settings = store();
    Config config = LocalNode.config(ArchiveNode.settings(settings.store(), settings.endpoint()));
    List<String> options = new ArrayList<>(ArchiveNode.options(settings));
    options.addAll(credentials());
    try (PayloadStore store = PayloadStore.open(settings).orElseThrow();
        ClusterNodes nodes =
            new ClusterNodes(ArchiveNode.class, NODES, (node, line) -> {}, options);
        RedisConnections redis = new RedisConnections(nodes.redisUri(), Duration.ofSeconds(20));
        RedisBlackboards boards =
            new RedisBlackboards(redis, BlackboardSettings.fromConfig(config));
        Journal journal = Journal.open(nodes.redisUri(), config)) {
      BlackboardColony colony =
          new BlackboardColony(
              boards,
              HOMES,
              Settings.read(ClientSettings.class, config),
              () ->
                  new AgentHistory(
                      journal.reader(StoredTypes::read),
                      new Lifecycle(RunLimits.fromConfig(config))));
      AgentHandle reader = get(colony.spawn(id("reader"), ArchiveNode.READER));
      run(reader, "warm", 1);
      long before = dataset(redis);
      run(reader, "r1", DOCUMENTS);
      run(reader, "r2", DOCUMENTS);
      long grown = dataset(redis) - before;
      long outside = bytes(store);
      System.out.printf(
          "Redis has grown by %d KB, outside lie %d MB%n", grown >> 10, outside >> 20);
      assertThat(outside).isGreaterThan(50_000_000);
      assertThat(grown).isLessThan(1 << 20);

      for (int node = 0; node < NODES; node++) {
        nodes.kill(node);
        run(reader, "after-" + node, 1);
        nodes.startAgain(node);
      }
      for (String run : List.of("r1", "r2")) {
        for (int i = 0; i < DOCUMENTS; i++) {
          assertThat(result(boards, run, i)).contains(ArchiveNode.document(run + "-" + i));
        }
      }

      long last = get(reader.history(Optional.empty(), 1)).entries().getFirst().sequenceNr();
      assertThat(get(reader.fork(last, "fork"))).isInstanceOf(ForkReply.Forked.class);
      AgentHandle fork = colony.agent(id("fork"));
      run(fork, "f1", 2);
      purge(boards, journal, config, reader);
      nodes.kill(0);
      run(fork, "f2", 2);
      nodes.startAgain(0);
      purge(boards, journal, config, fork);
      assertThat(names(store, name -> name.contains("/j/"))).as("payloads of journals").isEmpty();

      clean(boards);
      age(store);
      clean(boards);
      assertThat(names(store, name -> !name.endsWith(".vault"))).isEmpty();
    }
  }

  /** Options of the nodes' JVMs. */
  List<String> credentials() {
    return List.of();
  }

  private static AgentId id(String name) {
    return new AgentId("acme", "archive", name);
  }

  private static void run(AgentHandle agent, String run, int documents) {
    AgentRun ended =
        get(
            agent
                .run(
                    JsonNodeFactory.instance.objectNode().put("documents", documents),
                    RunOptions.namespace(NAMESPACE).runId(new RunId(run)))
                .result());
    assertThat(ended.status()).as("%s", ended.error()).isEqualTo(AgentRun.Status.COMPLETED);
    assertThat(ended.output().asText())
        .isEqualTo(ArchiveNode.document(run + "-" + (documents - 1)));
  }

  private static Optional<String> result(RedisBlackboards boards, String run, int document) {
    return get(boards
            .open(id("reader").scope().namespace("results"), "test")
            .read(run + ":a" + document))
        .map(Entry::value)
        .map(value -> value.asText());
  }

  private static void purge(
      RedisBlackboards boards, Journal journal, Config config, AgentHandle agent) {
    get(agent.stop("over"));
    EndedAgents ended =
        new EndedAgents(
            boards,
            new ChildRegistry(boards, HOMES, Settings.read(ChildrenSettings.class, config)),
            new EndedAgents.Journals(journal.removal()::outstanding, journal.removal()::remove));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> get(ended.purge(agent.id(), Instant.MAX, false)) instanceof PurgeReply.Purged);
  }

  /** What retention does when the events' time is over. */
  private static void clean(RedisBlackboards boards) {
    for (int bucket = 0; bucket < boards.inbox().buckets(); bucket++) {
      get(boards.trim(bucket, Optional.empty(), 1_000, Duration.ZERO));
    }
    Optional<String> place = Optional.empty();
    do {
      place = get(boards.sweepPayloads(place)).next();
    } while (place.isPresent());
  }

  /** Has the marks of what was found unused be as old as they have to be. */
  private static void age(PayloadStore store) throws IOException {
    for (String mark : names(store, name -> name.contains(".unused-"))) {
      int at = mark.lastIndexOf('-') + 1;
      long since = Long.parseLong(mark.substring(at)) - PayloadVault.KEPT.toSeconds() - 1;
      store.put(mark.replaceAll("\\d+$", Long.toString(since)), new byte[0]);
      store.delete(mark);
    }
  }

  private static long bytes(PayloadStore store) throws IOException {
    long bytes = 0;
    for (String name : names(store, any -> !any.endsWith(".vault"))) {
      bytes += store.get(name, Integer.MAX_VALUE).orElseThrow().length;
    }
    return bytes;
  }

  private static List<String> names(PayloadStore store, Predicate<String> which)
      throws IOException {
    List<String> all = new ArrayList<>();
    List<String> page;
    do {
      page = store.list("", all.isEmpty() ? "" : all.getLast(), 1_000);
      all.addAll(page);
    } while (page.size() == 1_000);
    return all.stream().filter(which).toList();
  }

  private static long dataset(RedisConnections redis) {
    return get(redis.commands().info("memory"))
        .lines()
        .filter(line -> line.startsWith("used_memory_dataset:"))
        .mapToLong(line -> Long.parseLong(line.substring("used_memory_dataset:".length()).strip()))
        .findFirst()
        .orElseThrow();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(120, TimeUnit.SECONDS).join();
  }
}
