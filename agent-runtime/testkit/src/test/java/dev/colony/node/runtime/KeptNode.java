package dev.colony.node.runtime;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Sessions;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.agent.fixture.TestTypes;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.directory.ChildRegistry;
import dev.colony.client.directory.ChildService.ChildrenSettings;
import dev.colony.client.directory.HomeResolver;
import dev.colony.client.session.BlackboardRunRecorder.SessionSettings;
import dev.colony.journal.JournalRemoval;
import dev.colony.journal.pekko.JournalExtension;
import dev.colony.node.AgentListener;
import dev.colony.node.NodeBounds;
import dev.colony.node.entity.AgentSettings;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/** A node with all of its state on a Redis of its own, and a look at what lies there. */
final class KeptNode implements AutoCloseable {

  final TestRedis redis = TestRedis.start(Fsync.NO);
  final RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
  final RedisBlackboards boards;
  final LocalNode node;

  /** One that looks for what has had its time only when it is told to. */
  KeptNode(String settings) {
    this(settings, Bounds.keeping(Duration.ofDays(1), 50, Duration.ofMillis(20)));
  }

  KeptNode(String settings, NodeBounds bounds) {
    boards =
        new RedisBlackboards(
            connections, BlackboardSettings.DEFAULTS.withExpiryInterval(Duration.ofMillis(50)));
    node =
        LocalNode.of(boards, new TestTypes())
            .journal(redis.uri())
            .settings(settings)
            .bounds(bounds)
            .start();
  }

  /** Looks at all that is stored once, as the node's keeper does. */
  void look(BiConsumer<AgentListener.Remains, Integer> removed) {
    Config config = node.system().settings().config();
    Keeping keeping =
        new Keeping(
            boards,
            ended(boards, journals()),
            (after, now) -> JournalExtension.journal(node.system()).removal().sweep(after, now),
            Settings.read(AgentSettings.class, config).retention(),
            50,
            Settings.read(SessionSettings.class, config),
            InstantSource.system(),
            new AgentListener() {
              @Override
              public void removed(Remains what, int count) {
                removed.accept(what, count);
              }
            });
    Optional<Keeping.Place> place = Optional.of(Keeping.Place.BEGINNING);
    while (place.isPresent()) {
      place = get(keeping.look(place.get()));
    }
  }

  /** The key that holds an agent's name while it has work left. */
  String outstanding(String name) {
    int slot =
        JournalExtension.journal(node.system()).outstanding().slotOf(id(name).persistenceId());
    return "colony:{j-%d}:outstanding".formatted(slot);
  }

  EndedAgents.PurgeReply purge(String name, boolean dryRun) {
    return get(ended(boards, journals()).purge(id(name), Instant.MAX, dryRun));
  }

  /**
   * A purge whose process dies behind so many operations on Redis.
   *
   * @return whether it has come to its end before
   */
  boolean purgeKilledBehind(int operations, String name) {
    AtomicInteger left = new AtomicInteger(operations);
    Blackboards dying = dying(Blackboards.class, boards, left);
    EndedAgents.Journals journals =
        new EndedAgents.Journals(
            agent -> alive(left).thenCompose(yes -> journals().outstanding().apply(agent)),
            agent -> alive(left).thenCompose(yes -> journals().remove().apply(agent)));
    return get(
        ended(dying, journals)
            .purge(id(name), Instant.MAX, false)
            .handle((done, killed) -> killed == null));
  }

  /** A page of all agents, of which one has a journal that cannot be removed. */
  List<EndedAgents.PurgeReply> purgeAllBut(String damaged) {
    EndedAgents.Journals journals =
        new EndedAgents.Journals(
            journals().outstanding(),
            agent ->
                agent.equals(id(damaged).persistenceId())
                    ? CompletableFuture.failedStage(new IllegalStateException("its log is damaged"))
                    : journals().remove().apply(agent));
    return get(ended(boards, journals)
            .purge("acme", "kept", 10, Optional.empty(), Instant.MAX, false))
        .agents();
  }

  private static CompletionStage<Void> alive(AtomicInteger left) {
    return left.getAndDecrement() > 0
        ? CompletableFuture.completedStage(null)
        : CompletableFuture.failedStage(new IllegalStateException("killed"));
  }

  /** Of whose operations that give a stage so many are done, and no more. */
  private static <T> T dying(Class<T> type, T live, AtomicInteger left) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getReturnType() == CompletionStage.class) {
                return alive(left).thenCompose(yes -> call(method, live, arguments));
              }
              Object result = method.invoke(live, arguments);
              return result instanceof Blackboard board
                  ? dying(Blackboard.class, board, left)
                  : result;
            }));
  }

  private static CompletionStage<?> call(Method method, Object live, Object[] arguments) {
    try {
      return (CompletionStage<?>) method.invoke(live, arguments);
    } catch (ReflectiveOperationException failure) {
      return CompletableFuture.failedStage(failure);
    }
  }

  private EndedAgents ended(Blackboards blackboards, EndedAgents.Journals journals) {
    return new EndedAgents(
        blackboards,
        new ChildRegistry(
            blackboards,
            HomeResolver.byHash(8),
            Settings.read(ChildrenSettings.class, ConfigFactory.load())),
        journals);
  }

  private EndedAgents.Journals journals() {
    JournalRemoval removal = JournalExtension.journal(node.system()).removal();
    return new EndedAgents.Journals(removal::outstanding, removal::remove);
  }

  private static AgentId id(String name) {
    return new AgentId("acme", "kept", name);
  }

  Sessions sessions() {
    return node.colony().sessions("acme", "kept");
  }

  AgentHandle spawn(String name) {
    return get(node.colony().spawn(id(name), TestTypes.BLUEPRINT));
  }

  CompletionStage<AgentRun> run(AgentHandle agent) {
    return agent.run(TestTypes.input(1, "internal"), RunOptions.namespace("kept")).result();
  }

  CompletionStage<AgentRun> run(AgentHandle agent, String session) {
    return agent
        .run(
            TestTypes.input(1, "internal"),
            RunOptions.namespace("kept").session(new SessionId(session)))
        .result();
  }

  /**
   * All keys but those by which repeated calls are known, which Redis lets go of by itself, and the
   * streams of the inbox, of which each bucket has one for good.
   */
  Set<String> keys() {
    Set<String> keys = allKeys();
    keys.removeIf(
        key -> key.contains(":lanes/") || key.endsWith(":inbox") || remembersRemoval(key));
    return keys;
  }

  private boolean remembersRemoval(String key) {
    return key.contains("}:m:") && get(connections.commands().pttl(key)) > 0;
  }

  Set<String> allKeys() {
    Set<String> keys = new TreeSet<>();
    ScanCursor cursor = ScanCursor.INITIAL;
    do {
      KeyScanCursor<String> page =
          get(connections.commands().scan(cursor, ScanArgs.Builder.limit(10_000)));
      keys.addAll(page.getKeys());
      cursor = page;
    } while (!cursor.isFinished());
    return keys;
  }

  long usedMemory() {
    String info = get(connections.commands().info("memory"));
    return info.lines()
        .filter(line -> line.startsWith("used_memory:"))
        .mapToLong(line -> Long.parseLong(line.substring("used_memory:".length()).strip()))
        .findFirst()
        .orElseThrow();
  }

  static <T> T get(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    node.close();
    boards.close();
    connections.close();
    redis.close();
  }
}
