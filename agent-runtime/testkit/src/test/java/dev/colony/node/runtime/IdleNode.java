package dev.colony.node.runtime;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunRequest;
import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.capacity.CapacitySettings;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.EntityClient.AcceptReply;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;

/**
 * A process of its own that has a number of idle agents in memory and says what they take.
 * Arguments: Redis URI, how many, how many classes to list.
 */
final class IdleNode {

  private static final String CONFIG =
      """
      pekko.actor.serialize-messages = off
      colony.agent.placement-units = 150
      colony.agent { passivate-after = 1d, client.poll = 200ms }
      # One that was sent away would have to be recovered with a life of its own.
      colony.agent.capacity.agents = 1000000
      """;

  private static final int AT_ONCE = 400;

  /** An agent that was sent away would have to be recovered with a life of its own. */
  private static final CapacitySettings ROOM =
      room(CapacitySettings.fromConfig(ConfigFactory.load()));

  private static CapacitySettings room(CapacitySettings usual) {
    return new CapacitySettings(
        new CapacitySettings.NodeCapacity(usual.node().agents(), 100, Long.MAX_VALUE),
        usual.shares(),
        usual.strictEvery(),
        usual.preemption(),
        usual.mostYielding(),
        new CapacitySettings.Waiting(1_000_000, Duration.ofDays(1), 16, 200),
        usual.reports());
  }

  private static final Scope SHARED = Scope.colony("idle", "one");

  private final ActorSystem<?> system;
  private final int agents;
  private final HomeResolver homes;
  private final LocalNode node;
  private final EntityClient entities;

  private IdleNode(Blackboards blackboards, int agents) {
    this.agents = agents;
    node =
        LocalNode.of(blackboards, new IdleTypes())
            .settings(CONFIG + OneLifeJournal.CONFIG)
            .bounds(Bounds.inbox(Duration.ofMinutes(2), Duration.ofSeconds(3), 128))
            .service(CapacitySettings.class, ROOM)
            .start();
    system = node.system();
    homes = HomeResolver.byHash(node.settings.placementUnits());
    entities = new EntityClient(ClusterSharding.get(system), Duration.ofMinutes(2));
  }

  /** Starts the node of this process. */
  static IdleNode start(String redisUri, int agents) {
    Blackboards blackboards =
        new RedisBlackboards(
            new RedisConnections(redisUri, Duration.ofSeconds(60)), BlackboardSettings.DEFAULTS);
    return new IdleNode(blackboards, agents);
  }

  /** What a process is there to find out. */
  @FunctionalInterface
  interface Trial {
    void run(IdleNode node) throws Exception;
  }

  /** Lives one life for all, does what is to be done, and ends this process. */
  static void liveAndEnd(IdleNode node, Trial trial) {
    try {
      node.live();
      trial.run(node);
      System.out.println("done");
    } catch (Throwable failure) {
      failure.printStackTrace();
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }

  public static void main(String[] args) {
    liveAndEnd(
        start(args[0], Integer.parseInt(args[1])), node -> node.measure(Integer.parseInt(args[2])));
  }

  EntityClient entities() {
    return entities;
  }

  ActorSystem<?> system() {
    return system;
  }

  /** One agent lives for all of them. */
  private void live() throws Exception {
    node.colony()
        .spawn(AgentId.parse(OneLifeJournal.MODEL), IdleTypes.blueprint(SHARED))
        .toCompletableFuture()
        .get(1, TimeUnit.MINUTES)
        .run(JsonNodeFactory.instance.objectNode(), RunOptions.namespace("messages"))
        .result()
        .toCompletableFuture()
        .get(1, TimeUnit.MINUTES);
    awaitPublished(1);
    OneLifeJournal.close();
  }

  private void measure(int listed) throws Exception {
    int made = IdleTypes.MADE.get();
    HeapByClass before = HeapByClass.alive();
    all((home, agent) -> entities.start(home, agent));
    say("recovered", before, listed);
    if (IdleTypes.MADE.get() != made) {
      throw new AssertionError("recovery has made capabilities");
    }
    int published = OneLifeJournal.published();
    // Far more are accepted at once than may be at work.
    all((home, agent) -> entities.accept(home, agent, message(agent)));
    awaitPublished(published + agents);
    say("answered", before, listed);
    System.out.println("made " + (IdleTypes.MADE.get() - made));
  }

  private static RunRequest message(AgentId agent) {
    return new RunRequest(
        ExecutionContext.of(agent, new RunId("since")),
        "messages",
        JsonNodeFactory.instance.objectNode(),
        "test",
        Instant.now());
  }

  private void say(String what, HeapByClass before, int listed) {
    HeapByClass now = HeapByClass.alive();
    now.grownSince(before, agents, listed).forEach(System.out::println);
    System.out.printf("%s %d%n", what, (now.bytes() - before.bytes()) / agents);
  }

  void all(BiFunction<Integer, AgentId, CompletionStage<AcceptReply>> asked) throws Exception {
    Semaphore free = new Semaphore(AT_ONCE);
    CompletableFuture<Void> failed = new CompletableFuture<>();
    for (int number = 1; number <= agents; number++) {
      AgentId agent = new AgentId("idle", "one", "agent-%06d".formatted(number));
      free.acquire();
      asked
          .apply(homes.homeOf(agent, null), agent)
          .whenComplete((reply, failure) -> {
            free.release();
            if (!(reply instanceof AcceptReply.Accepted)) {
              failed.completeExceptionally(new AssertionError(agent + ": " + reply, failure));
            }
          });
    }
    free.acquire(AT_ONCE);
    if (failed.isDone()) {
      failed.get();
    }
  }

  private static void awaitPublished(int runs) throws InterruptedException {
    while (OneLifeJournal.published() < runs) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }
}
