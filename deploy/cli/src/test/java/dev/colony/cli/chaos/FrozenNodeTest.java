package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.RunHandle;
import dev.colony.cli.chaos.DeedServer.Held;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node is frozen in the middle of a payment until the others have taken its agent over. Thawed,
 * it learns how the payment went, is refused when it writes that down, and stops.
 */
@Tag("faults")
class FrozenNodeTest {

  private static final int STEPS = 3;
  private static final Duration LONGEST = Duration.ofMinutes(3);

  /** What the node logs of an agent whose write was refused. */
  private static final String REFUSED = " failed, most likely to write its journal";

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  private Path folder;

  @Test
  void whatItLearnsLateIsNotWritten() {
    AgentId agent = new AgentId("acme", "frozen", "payer");
    RunId id = new RunId("f-1");
    try (DeedServer world = new DeedServer();
        Network network = new Network();
        ChaosCluster cluster = new ChaosCluster(folder, network.addresses())) {
      AgentHandle payer =
          cluster.colony().spawn(agent, Errand.BLUEPRINT).toCompletableFuture().join();
      Held payment = world.hold(Errand.Kind.PAY);
      RunHandle run =
          payer.run(
              Errand.input(id.value(), STEPS, world.port()),
              RunOptions.namespace(Errand.NAMESPACE).runId(id));
      payment.await();
      String owner = owner(cluster, agent);
      Havoc havoc = new Havoc(cluster);

      havoc.signal("STOP", owner);
      network.isolate(cluster.nodes().names().indexOf(owner));
      AgentRun ended =
          run.result()
              .toCompletableFuture()
              .orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS)
              .join();
      payment.release();
      havoc.signal("CONT", owner);

      Awaitility.await()
          .atMost(LONGEST)
          .until(() -> cluster.log(owner).contains("agent " + agent + REFUSED));
      cluster
          .nodes()
          .process(owner)
          .onExit()
          .orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS)
          .join();
      assertThat(ended.output().get(STEPS - 1).asText()).isEqualTo("INTERRUPTED");
      Map<AgentId, List<RunId>> accepted = Map.of(agent, List.of(id));
      Verdict verdict =
          Verdict.of(
              new Evidence(
                  STEPS,
                  accepted,
                  Map.of(id, ended),
                  cluster.published(accepted),
                  cluster.journals(List.of(agent)),
                  world.deeds()));
      assertThat(verdict.violations()).isEmpty();
    }
  }

  /** The node that has claimed the agent last; a claim names it as {@code system@host:port#uid}. */
  private static String owner(ChaosCluster cluster, AgentId agent) {
    String node =
        cluster.journals(List.of(agent)).get(agent).stream()
            .map(Stored::content)
            .filter(AgentEvent.Claimed.class::isInstance)
            .map(event -> ((AgentEvent.Claimed) event).node())
            .reduce((earlier, later) -> later)
            .orElseThrow();
    return cluster.nameOf(node.substring(node.indexOf('@') + 1, node.indexOf('#')));
  }
}
