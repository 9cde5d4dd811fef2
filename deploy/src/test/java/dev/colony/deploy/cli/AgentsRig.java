package dev.colony.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.child.Children.OnParentStop;
import dev.colony.agent.child.ChildrenSettings;
import dev.colony.agent.client.BlackboardColony;
import dev.colony.agent.client.ClientSettings;
import dev.colony.agent.directory.Nursery;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.LifecycleCommand;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.cli.ColonyProcess.Finished;
import dev.colony.deploy.local.BlackboardClient;
import dev.colony.deploy.node.NodeConfig;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.zip.CRC32;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.persistence.typed.PersistenceId;
import org.apache.pekko.persistence.typed.javadsl.CommandHandler;
import org.apache.pekko.persistence.typed.javadsl.EventHandler;
import org.apache.pekko.persistence.typed.javadsl.EventSourcedBehavior;

/**
 * A Redis server that holds agents as a cluster leaves them, in the directory and in the journal,
 * and the agents commands on it.
 */
public final class AgentsRig implements AutoCloseable {

  public static final Instant START = Instant.parse("2026-11-22T04:00:00Z");

  /** Some events to journal in an agent's name; answered once they are durable. */
  private record Journal(AgentId agent, List<AgentEvent> events, ActorRef<Done> replyTo) {}

  private final BoardRig redis = new BoardRig();
  private final Config config = NodeConfig.base(Optional.empty());
  private final BlackboardClient client =
      BlackboardClient.connect(redis.redis().uri(), config, notice -> {});
  private final ActorSystem<Journal> journal =
      ActorSystem.create(
          scribe(),
          "scribe",
          ConfigFactory.parseMap(
                  Map.of(
                      "pekko.actor.provider",
                      "local",
                      "colony.agent.journal.redis-uri",
                      redis.redis().uri()))
              .withFallback(config));

  public String redisUri() {
    return redis.redis().uri();
  }

  public Blackboards blackboards() {
    return client.blackboards();
  }

  public void spawn(AgentId agent, AgentBlueprint blueprint) {
    new BlackboardColony(
            client.blackboards(), HomeResolver.byHash(1), ClientSettings.fromConfig(config))
        .spawn(agent, blueprint)
        .toCompletableFuture()
        .join();
  }

  void spawn(AgentId parent, String name, AgentBlueprint blueprint) {
    new Nursery(client.blackboards(), HomeResolver.byHash(1), ChildrenSettings.fromConfig(config))
        .enter(parent, Map.of(name, blueprint), OnParentStop.STOP)
        .toCompletableFuture()
        .join();
  }

  public void journal(AgentId agent, AgentEvent... events) {
    AskPattern.<Journal, Done>ask(
            journal,
            replyTo -> new Journal(agent, List.of(events), replyTo),
            ColonyProcess.LONGEST,
            journal.scheduler())
        .toCompletableFuture()
        .join();
  }

  /** An agent that has started and has nothing to do. */
  public void born(AgentId agent, AgentBlueprint blueprint) {
    journal(
        agent,
        new AgentEvent.Spawned(blueprint, START),
        new AgentEvent.Claimed(1, "node-1", START),
        new AgentEvent.Transitioned(
            LifecycleCommand.START,
            AgentState.INITIALIZED,
            AgentState.IDLE,
            "",
            Optional.empty(),
            0,
            START));
  }

  /** Has an agent's log as the journal leaves it where the store lacks what it acknowledged. */
  public static void lose(String redisUri, AgentId agent, long acknowledged) {
    byte[] id = agent.persistenceId().getBytes(StandardCharsets.UTF_8);
    CRC32 crc = new CRC32();
    crc.update(id);
    String slot = "colony:{j-" + crc.getValue() % 64 + "}:";
    try (RedisConnections redis = new RedisConnections(redisUri, ColonyProcess.LONGEST)) {
      byte[] number = Long.toString(acknowledged).getBytes(StandardCharsets.UTF_8);
      redis
          .commands()
          .hset(slot + "m:" + agent.persistenceId(), "lost", number)
          .toCompletableFuture()
          .join();
      redis.commands().sadd(slot + "lost", id).toCompletableFuture().join();
    }
  }

  /** As if a node had noticed that the store went back; empty takes that away. */
  public static void rollBack(String redisUri, Optional<Instant> since) {
    String ticks = "colony:{j-0}:ticks";
    String field = "rollback:last";
    try (RedisConnections redis = new RedisConnections(redisUri, ColonyProcess.LONGEST)) {
      CompletionStage<?> done =
          since.isPresent()
              ? redis
                  .commands()
                  .hset(ticks, field, (START + " " + since.get()).getBytes(StandardCharsets.UTF_8))
              : redis.commands().hdel(ticks, field);
      done.toCompletableFuture().join();
    }
  }

  public static RunRequest request(AgentId agent, String run) {
    return new RunRequest(
        ExecutionContext.of(agent, new RunId(run)),
        "work",
        JsonNodeFactory.instance.nullNode(),
        "tester",
        START);
  }

  /** {@code colony agents}, in this JVM. */
  Finished agents(String... arguments) {
    List<String> line = new ArrayList<>(List.of("agents"));
    line.addAll(List.of(arguments));
    return colony(line.toArray(String[]::new));
  }

  /** {@code colony}, in this JVM. */
  Finished colony(String... arguments) {
    List<String> line = new ArrayList<>(List.of(arguments));
    line.addAll(List.of("--redis-url", redis.redis().uri(), "--state", redis.state().toString()));
    return CommandLineRun.of(line.toArray(String[]::new));
  }

  /** {@code colony}, which does it. */
  Finished ok(String... arguments) {
    return ended(ExitCode.OK, arguments);
  }

  /** {@code colony}, which does not do it; what it says of that. */
  String refused(String... arguments) {
    return ended(ExitCode.UNSUCCESSFUL, arguments).err();
  }

  /** {@code colony}, which cannot use what it is given; what it says of that. */
  String bad(String... arguments) {
    return ended(ExitCode.BAD_INPUT, arguments).err();
  }

  private Finished ended(ExitCode status, String... arguments) {
    Finished run = colony(arguments);
    assertThat(run.status()).as(run.err()).isEqualTo(status.status());
    return run;
  }

  private static Behavior<Journal> scribe() {
    return Behaviors.receive((context, told) -> {
      context.spawnAnonymous(new Page(told)).tell(told);
      return Behaviors.same();
    });
  }

  /** Journals once and ends. */
  private static final class Page extends EventSourcedBehavior<Journal, AgentEvent, Done> {

    private final Journal told;

    Page(Journal told) {
      super(PersistenceId.ofUniqueId(told.agent().persistenceId()));
      this.told = told;
    }

    @Override
    public Done emptyState() {
      return Done.done();
    }

    @Override
    public CommandHandler<Journal, AgentEvent, Done> commandHandler() {
      return (state, self) ->
          Effect()
              .persist(told.events())
              .thenRun(done -> told.replyTo().tell(Done.done()))
              .thenStop();
    }

    @Override
    public EventHandler<Done, AgentEvent> eventHandler() {
      return (state, event) -> state;
    }
  }

  @Override
  public void close() {
    journal.terminate();
    journal.getWhenTerminated().toCompletableFuture().join();
    client.close();
    redis.close();
  }
}
