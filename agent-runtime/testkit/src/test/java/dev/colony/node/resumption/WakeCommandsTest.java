package dev.colony.node.resumption;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.Blueprint;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.action.Action;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.fixture.LiveFixture;
import dev.colony.agent.fixture.LocalNode;
import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.redis.RedisBlackboards;
import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.blackboard.server.TestRedis;
import dev.colony.node.NodeBounds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The commands that Redis carries out, in scripts too, from a caller's resume command or signal
 * until a node that never held the suspended agent runs it, the directory says that it runs, and
 * the command or signal is out of the inbox.
 */
class WakeCommandsTest {

  private static final int STEPS = 50;
  private static final String SIGNAL = "go";

  /** Of a node that looks at nothing by time. */
  private static final NodeBounds QUIET = quiet();

  private final TestRedis redis = TestRedis.start(Fsync.NO);
  private final AgentId id = new AgentId("acme", "wakes", "w-" + UUID.randomUUID());

  private static NodeBounds quiet() {
    NodeBounds usual = NodeBounds.USUAL;
    Duration never = Duration.ofHours(1);
    NodeBounds.Inbox inbox = usual.inbox();
    NodeBounds.Resumption resumption = usual.resumption();
    return new NodeBounds(
        usual.journal(),
        usual.blackboard(),
        new NodeBounds.Inbox(
            inbox.workers(), never, inbox.acceptTimeout(), inbox.afterLoss(), inbox.lanes()),
        usual.waker(),
        usual.keeping(),
        new NodeBounds.Resumption(
            never,
            never,
            resumption.batch(),
            resumption.pause(),
            resumption.atOnce(),
            resumption.keepSignals(),
            resumption.repeatAfter()),
        usual.leases());
  }

  @BeforeEach
  void putToSleep() {
    Sleeper.awake = new CountDownLatch(1);
    try (Node node = new Node()) {
      AgentHandle agent = LiveFixture.now(node.local.colony().spawn(id, Sleeper.BLUEPRINT));
      agent.run(JsonNodeFactory.instance.objectNode(), LiveFixture.options("night"));
      LiveFixture.await()
          .until(
              () -> LiveFixture.now(agent.state()).orElseThrow().state() == AgentState.SUSPENDED);
      LiveFixture.await().until(() -> !node.local.holds(id));
    }
  }

  @AfterEach
  void stop() {
    Sleeper.awake.countDown();
    redis.close();
  }

  @Test
  void aResumeCommand() {
    assertThat(commands(agent -> LiveFixture.now(agent.resume("")))).hasSizeLessThanOrEqualTo(49);
  }

  @Test
  void theSignalThatItWaitsFor() {
    assertThat(commands(agent -> LiveFixture.now(agent.signal(SIGNAL, ""))))
        .hasSizeLessThanOrEqualTo(51);
  }

  @Test
  void whatToldOfItsWaitGoesWhenItRests() {
    try (Node node = new Node()) {
      WaitIndex index = new WaitIndex(node.boards, Duration.ofHours(1));
      assertThat(LiveFixture.now(index.find(id))).isPresent();
      LiveFixture.now(node.local.colony().agent(id).resume(""));
      Sleeper.awake.countDown();
      LiveFixture.await().until(() -> LiveFixture.now(index.find(id)).isEmpty());
    }
  }

  private List<String> commands(Consumer<AgentHandle> wake) {
    Monitor monitor = new Monitor(redis.port());
    try (Node node = new Node()) {
      AgentHandle agent = node.local.colony().agent(id);
      // The node has looked once at all there is: at each inbox, and at whose times have come.
      monitor.await(line -> line.contains("\"XRANGE\"") && line.contains(":{inbox-31}:inbox\""));
      monitor.await(line -> line.contains("/entry/agent:" + id));
      int before = monitor.until(node.connections).size();
      wake.accept(agent);
      LiveFixture.await().until(() -> Sleeper.woken(id));
      monitor.await(line -> line.contains("RUNNING") && line.contains("state:" + id.name()));
      monitor.await(line -> line.contains("\"XDEL\""));
      List<String> lines = monitor.until(node.connections);
      Sleeper.awake.countDown();
      return of(lines.subList(before, lines.size()));
    }
  }

  /** Those of the agent: what the node asks for from time to time does not count. */
  private List<String> of(List<String> lines) {
    Pattern asked = Pattern.compile(Pattern.quote(id.name()) + "|\"XRANGE\" \"[^\"]*:inbox\"");
    List<String> own = new ArrayList<>();
    boolean counts = false;
    for (String line : lines) {
      if (!line.contains(" lua] ")) {
        counts = asked.matcher(line).find();
      }
      if (counts) {
        own.add(line);
      }
    }
    return own;
  }

  private final class Node implements AutoCloseable {

    final RedisConnections connections = new RedisConnections(redis.uri(), Duration.ofSeconds(20));
    final RedisBlackboards boards =
        new RedisBlackboards(
            connections,
            BlackboardSettings.DEFAULTS
                .withSweepInterval(Duration.ofHours(1))
                .withExpiryInterval(Duration.ofHours(1)));
    final LocalNode local =
        LocalNode.of(boards, new Types())
            .journal(redis.uri())
            .settings("colony.agent.passivate-after = 1h")
            .outstanding(() -> CompletableFuture.completedStage(Set.of()))
            .bounds(QUIET)
            .start();

    @Override
    public void close() {
      local.close();
      boards.close();
      connections.close();
    }
  }

  /** Hears all that a server is asked. */
  private static final class Monitor {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    Monitor(int port) {
      CountDownLatch on = new CountDownLatch(1);
      Thread.ofVirtual()
          .start(() -> {
            try (Socket socket = new Socket("127.0.0.1", port)) {
              socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
              BufferedReader in =
                  new BufferedReader(
                      new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
              in.readLine();
              on.countDown();
              in.lines().forEach(lines::add);
            } catch (IOException gone) {
              on.countDown();
            }
          });
      try {
        on.await();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
    }

    void await(Predicate<String> line) {
      LiveFixture.await().until(() -> lines.stream().anyMatch(line));
    }

    /** What was asked before this call. */
    List<String> until(RedisConnections connections) {
      String mark = UUID.randomUUID().toString();
      LiveFixture.now(connections.commands().get(mark));
      await(line -> line.contains(mark));
      return lines.stream().takeWhile(line -> !line.contains(mark)).toList();
    }
  }

  /** What its agents are made of. */
  private static final class Types implements TypeProvider {

    @Override
    public void register(TypeProvider.Types types) {
      types.add(Sleeper.class);
      types.add(Diary.class);
    }
  }

  /** Takes its steps, waits, and is busy from when it has gone on. */
  @Registered(Sleeper.TYPE)
  static final class Sleeper extends BaseActionPolicy {

    static final String TYPE = "test.sleeper";
    static final AgentBlueprint BLUEPRINT =
        AgentBlueprint.of(Blueprint.of(TYPE), Blueprint.of(Diary.TYPE));
    private static volatile CountDownLatch awake = new CountDownLatch(1);
    private static final List<AgentId> WOKEN = new CopyOnWriteArrayList<>();

    Sleeper(PolicyContext context) {
      super(context);
    }

    static boolean woken(AgentId id) {
      return WOKEN.contains(id);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      int step = state.iterationNum();
      if (step < STEPS) {
        return new Decision.Act(
            Action.of(
                "s" + step,
                Diary.TYPE + ".note",
                JsonNodeFactory.instance.objectNode().put("step", step)));
      }
      if (step == STEPS) {
        return Decision.blocked("sleeps", new ResumptionCondition.Custom(SIGNAL));
      }
      WOKEN.add(agent().id());
      try {
        awake.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return Decision.Complete.with(JsonNodeFactory.instance.numberNode(state.history().size()));
    }
  }

  /** Its one action returns a sentence, so that the history has some size. */
  @Registered(Diary.TYPE)
  static final class Diary extends AgentCapability {

    static final String TYPE = "test.sleepers-diary";

    Diary(CapabilityContext context) {
      super(context);
    }

    @ActionExecutor(summary = "Notes a step.")
    String note(int step) {
      return "Step " + step + " was taken, and there is nothing more to be said about it.";
    }
  }
}
