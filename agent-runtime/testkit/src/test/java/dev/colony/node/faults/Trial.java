package dev.colony.node.faults;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.client.Colony;
import dev.colony.agent.fixture.Waiting;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.EventFilter;
import dev.colony.blackboard.Position;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.WriteResult;
import dev.colony.blackboard.protocol.AgentRunProtocol;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony;
import dev.colony.client.ClientSettings;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.client.directory.HomeResolver;
import dev.colony.core.registry.AgentTypes;
import dev.colony.inference.InferenceGateway;
import dev.colony.node.AgentListener;
import dev.colony.node.NodePorts;
import dev.colony.node.entity.LoneAgent;
import dev.colony.node.resumption.Resumptions;
import dev.colony.testkit.KillPoint;
import dev.colony.testkit.board.InMemoryBlackboards;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.persistence.testkit.PersistenceTestKitSnapshotPlugin;
import org.awaitility.Awaitility;

/**
 * One run of the walking agent, through as many processes as it takes. The driver does what the
 * inbox does: it delivers again what was not acknowledged.
 */
final class Trial implements AutoCloseable {

  private static final AgentTypes TYPES = AgentTypes.of(List.of(new WalkTypes()));

  private static final Config QUICK =
      ConfigFactory.parseString(
              """
              pekko.actor.provider = local
              pekko.loglevel = WARNING
              pekko.coordinated-shutdown.exit-jvm = off
              pekko.coordinated-shutdown.run-by-jvm-shutdown-hook = off
              colony.agent.passivate-after = 1h
              """)
          .withFallback(PersistenceTestKitSnapshotPlugin.config())
          .withFallback(ConfigFactory.load());

  final AgentId agent = new AgentId("acme", "faults", "walker");
  final JournalStore store = new JournalStore();
  final Outside outside = new Outside(store);
  private final InMemoryBlackboards boards = new InMemoryBlackboards();
  private final RunRequest request =
      new RunRequest(
          ExecutionContext.of(agent, new RunId("r1")),
          "test",
          JsonNodeFactory.instance.objectNode(),
          "the trial",
          Instant.now());
  private final AtomicInteger askedAgain = new AtomicInteger();
  private final AgentListener listener =
      new AgentListener() {
        @Override
        public void modelAskedAgain() {
          askedAgain.incrementAndGet();
        }
      };
  private final Colony colony =
      new BlackboardColony(
          boards, HomeResolver.byHash(1), Settings.read(ClientSettings.class, QUICK));
  private Optional<Position> event = Optional.empty();

  Trial() {
    this(WalkTypes.BLUEPRINT);
  }

  Trial(AgentBlueprint blueprint) {
    got(new AgentDirectory(boards).enter(agent, 0, blueprint));
  }

  /** How many model calls were counted as repetitions. */
  int askedAgain() {
    return askedAgain.get();
  }

  /** Lives until the result is published, or the fault comes; true if it came. */
  boolean live(KillPoint fault) {
    try (Process process = new Process(fault)) {
      Life life = process.life;
      process.accepts();
      until(() -> life.dead() || store.blocked() || store.published());
      if (!store.published()) {
        process.hears();
      }
      until(() -> life.dead() || store.published());
      return life.dead();
    }
  }

  /** A process that has the agent in memory. */
  final class Process implements AutoCloseable {

    final Life life;
    final LoneAgent alive;
    private final String name = UUID.randomUUID().toString();
    private final Map<Integer, LoneAgent> homes = new ConcurrentHashMap<>();

    Process(KillPoint fault) {
      this(fault, life -> {});
      recovers();
    }

    /**
     * One that reads its journal only when it is told to.
     *
     * @param begin makes ready for what is to happen
     */
    Process(KillPoint fault, Consumer<Life> begin) {
      life = Life.begin(name, store, fault);
      begin.accept(life);
      alive = at(unit());
    }

    /** The agent's actor in a placement unit. */
    LoneAgent at(int unit) {
      return homes.computeIfAbsent(unit, this::start);
    }

    private LoneAgent start(int unit) {
      return LoneAgent.start(
          agent,
          unit,
          this::at,
          ConfigFactory.parseString(MortalJournal.config(name)).withFallback(QUICK),
          NodePorts.none()
              .with(Blackboards.class, MortalBoards.of(life, boards))
              .with(InferenceGateway.class, outside.model(life))
              .with(Outside.Door.class, outside.door(life))
              .with(Colony.class, colony)
              .with(AgentListener.class, listener),
          TYPES);
    }

    /** A node has the agent live in another unit. */
    void rehomes(int unit) {
      answered(life, alive.rehome(unit), "Accepted");
    }

    /** The journal may be read. */
    void recovers() {
      life.mayRead();
    }

    /** The request is delivered. */
    void accepts() {
      answered(life, alive.accept(request), "Accepted");
    }

    /** What the run waits for is written, and the agent told so. */
    void hears() {
      if (!life.dead()) {
        answered(life, alive.notice(agent.scope(), event()), "Noticed");
      }
    }

    /** A caller suspends the agent. */
    void isSuspended(Optional<ResumptionCondition> until) {
      answered(life, alive.suspend(until), "Accepted");
    }

    /** The end of a suspension is delivered, or a signal. */
    void resumes(OptionalLong suspension) {
      answered(life, alive.resume(suspension), "Accepted");
    }

    @Override
    public void close() {
      life.end();
      homes.values().forEach(LoneAgent::drop);
    }
  }

  /** The placement unit in which the directory says that the agent lives. */
  int unit() {
    return got(new AgentDirectory(boards).find(agent)).orElseThrow().unit();
  }

  /** Where suspended agents wait. */
  Resumptions resumptions() {
    return Waiting.on(boards, QUICK);
  }

  /** Written once, when the run waits for it. */
  private Position event() {
    if (event.isEmpty()) {
      Write write = Write.of("word:1", JsonNodeFactory.instance.textNode("go"));
      WriteResult written = got(boards.open(agent.scope(), "somebody").write(write));
      event = Optional.of(((WriteResult.Written) written).position());
    }
    return event.get();
  }

  /** The result, and how often it was written. */
  AgentRun result() {
    return AgentRun.fromJson(got(board().read(resultKey())).orElseThrow().value());
  }

  List<BlackboardEvent> publications() {
    return got(board().history(EventFilter.keys(resultKey()), Position.BEGINNING, 100));
  }

  /** What was made known of what the run waits for, as name, cause or reason, and time. */
  List<String> notices() {
    return got(board().history(EventFilter.keys("event:run:*"), Position.BEGINNING, 100)).stream()
        .map(BlackboardEvent.Written.class::cast)
        .map(written ->
            written.key().substring(written.key().lastIndexOf(':') + 1)
                + " "
                + written.value().path("cause").asText(written.value().path("reason").asText())
                + " since "
                + written.value().path("since").asText())
        .toList();
  }

  private String resultKey() {
    return new AgentRunProtocol().resultKey(request.runId().value());
  }

  private Blackboard board() {
    return boards.open(agent.scope().namespace(request.namespace()), "the trial");
  }

  private static void answered(Life life, CompletionStage<String> reply, String expected) {
    CompletableFuture<String> asked = reply.toCompletableFuture();
    until(() -> life.dead() || asked.isDone());
    if (!life.dead() && !asked.join().startsWith(expected)) {
      throw new AssertionError("answered " + asked.join());
    }
  }

  static void until(java.util.concurrent.Callable<Boolean> condition) {
    Awaitility.await()
        .pollDelay(1, TimeUnit.MILLISECONDS)
        .pollInterval(2, TimeUnit.MILLISECONDS)
        .atMost(10, TimeUnit.SECONDS)
        .until(condition);
  }

  static <T> T got(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(20, TimeUnit.SECONDS).join();
  }

  @Override
  public void close() {
    boards.close();
  }
}
