package dev.colony.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.blackboard.server.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client is killed in the middle of a stream, and another one goes on where it stopped. */
class KilledClientTest {

  private static final int EVENTS = 600;
  private static final int HAD = 100;

  private final AgentId id = new AgentId("acme", "handles", "killed-" + UUID.randomUUID());
  private final ColonyClient client = ColonyClient.connect(TestRedis.shared().uri());

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  @Timeout(180)
  void theNextClientGetsEveryEventFromThereOn() throws Exception {
    AgentHandle agent = client.colony().agent(id);
    PlayedAgent played = new PlayedAgent(id, client.blackboards());
    RunOptions options = RunOptions.namespace(PlayedAgent.NAMESPACE);
    RunHandle run = agent.run(NullNode.getInstance(), options);
    run.stored().toCompletableFuture().join();
    AtomicInteger emitted = new AtomicInteger();
    Process follower = follower(run);
    List<String> had = new ArrayList<>();
    Thread worker =
        Thread.startVirtualThread(() -> {
          while (emitted.get() < EVENTS) {
            played.emit(run.runId(), "step", emitted.getAndIncrement());
          }
          played.complete(run.runId(), NullNode.getInstance());
        });
    try (BufferedReader lines = follower.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("had ")) {
          had.add(line);
        }
        if (had.size() == HAD) {
          // SIGKILL, in the middle of its stream; what it had printed by then, it had. By its
          // handle, so that this end of its output stays open.
          follower.toHandle().destroyForcibly();
        }
      }
    }
    assertThat(follower.waitFor()).as("%s", had).isNotZero();
    worker.join();
    String token = had.getLast().split(" ")[2];
    List<RunProgress> rest =
        Follower.of(client.colony().agent(id).attach(run.runId(), options).events(token))
            .ended()
            .seen;
    List<Integer> values = new ArrayList<>();
    had.forEach(line -> values.add(Integer.valueOf(line.split(" ")[1])));
    rest.stream()
        .filter(event -> event.end().isEmpty())
        .forEach(event -> values.add(event.data().asInt()));
    assertThat(values).isEqualTo(IntStream.range(0, EVENTS).boxed().toList());
    assertThat(rest.getLast().end()).isPresent();
  }

  private Process follower(RunHandle run) throws IOException {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            FollowingClient.class.getName(),
            TestRedis.shared().uri(),
            id.persistenceId(),
            run.runId().value())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
