package dev.colony.agent.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.HomeResolver;
import dev.colony.agent.RunHandle;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.memory.InMemoryBlackboards;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A run that nobody asked for makes an event known and ends while somebody begins to follow it: at
 * each pair of moments between the reads of the follower. It misses nothing.
 */
class ProgressRaceTest {

  private static final RunId RUN = new RunId("woken-1");

  /** More than a follower reads before it waits. */
  private static final int READS = 12;

  /** Where runs are that nobody asks for. */
  private static final String WOKEN = "woken";

  private final InMemoryBlackboards boards =
      new InMemoryBlackboards(HandleContract.SETTINGS, Clock.systemUTC());

  private int agents;

  @AfterEach
  void close() {
    boards.close();
  }

  @ParameterizedTest(name = "something was written before: {0}")
  @ValueSource(booleans = {false, true})
  void whatIsWrittenWhileItIsLookedForIsNotMissed(boolean before) throws Exception {
    for (int event = 0; event <= READS; event++) {
      for (int end = event; end <= READS; end++) {
        assertThat(seen(RunHandle::events, before, event, end))
            .as("the event before read %d, the end before read %d", event, end)
            .containsExactly("one", "completed");
        assertThat(seen(RunHandle::retained, before, event, end))
            .as("retained, the event before read %d, the end before read %d", event, end)
            .containsExactly("one", "completed");
      }
    }
  }

  private List<String> seen(
      Function<RunHandle, Flow.Publisher<RunProgress>> events, boolean before, int event, int end)
      throws Exception {
    AgentId id = new AgentId("acme", "races", "a-" + agents++);
    PlayedAgent played = new PlayedAgent(id, boards, WOKEN);
    if (before) {
      played.stir(1);
    }
    Script script = new Script();
    script.at(event, () -> played.emit(RUN, "one", 1));
    script.at(end, () -> played.complete(RUN, NullNode.getInstance()));
    RunHandle run =
        new BlackboardColony(script.over(boards), HomeResolver.byHash(1), HandleContract.CLIENT)
            .agent(id)
            .attach(RUN, RunOptions.namespace(WOKEN));
    Follower follower = Follower.of(events.apply(run));
    script.finish();
    return follower.ended().names();
  }

  /** Carries out what is to happen before a read, and at last what no read came for. */
  private static final class Script {

    private record Due(int read, Runnable act) {}

    private final Queue<Due> dues = new ArrayDeque<>();
    private int reads;

    /** In the order of the reads. */
    void at(int read, Runnable act) {
      dues.add(new Due(read, act));
    }

    Blackboards over(Blackboards sound) {
      return GuardedBlackboards.of(
          sound,
          (method, arguments, call) -> {
            if (GuardedBlackboards.asks(method) || method.getName().equals("subscribe")) {
              nextRead();
            }
            return call.call();
          });
    }

    private synchronized void nextRead() {
      actUpTo(reads++);
    }

    synchronized void finish() {
      actUpTo(Integer.MAX_VALUE);
    }

    private void actUpTo(int read) {
      while (!dues.isEmpty() && dues.peek().read() <= read) {
        dues.remove().act().run();
      }
    }
  }
}
