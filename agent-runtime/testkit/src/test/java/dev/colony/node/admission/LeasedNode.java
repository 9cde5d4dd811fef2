package dev.colony.node.admission;

import dev.colony.agent.fixture.Bounds;
import dev.colony.agent.fixture.ClusterNode;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import dev.colony.node.AgentListener;
import dev.colony.node.NodeBounds;
import dev.colony.vcm.schedule.lease.LeaseCounts;
import dev.colony.vcm.schedule.lease.LeaseHolder.LeaseTimes;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A {@link ClusterNode} whose agents need leases at two replicas. Says "begin AGENT REPLICA" and
 * "end AGENT" of each call that goes to a replica by a lease, and "leases COUNT REBUILDING" where
 * it keeps all leases, when that has changed. Told "lose REPLICA", its gateway uses that one no
 * longer.
 */
final class LeasedNode {

  private static final String SETTINGS =
      """
      colony.vcm.leases { enabled = true, bound = 5s }
      """;

  private static final NodeBounds.Leases LEASES =
      new NodeBounds.Leases(
          new LeaseTimes(4, 0.5, 4, 8, 86_400), Duration.ofMillis(20), Duration.ofMillis(300));

  private LeasedNode() {}

  /** Tells of each call by a lease, which takes a while. */
  private record Told(InferenceGateway model, Duration takes) implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      String agent = request.context().agent().orElse("");
      Optional<String> replica = request.context().replica();
      replica.ifPresent(name -> System.out.println("begin " + agent + " " + name));
      return CompletableFuture.supplyAsync(
              () -> request,
              CompletableFuture.delayedExecutor(takes.toMillis(), TimeUnit.MILLISECONDS))
          .thenCompose(asked -> model.complete(asked, parts))
          .whenComplete((reply, failure) -> {
            if (replica.isPresent()) {
              System.out.println("end " + agent);
            }
          });
    }

    @Override
    public Optional<PromptCaches> promptCaches() {
      return model.promptCaches();
    }

    @Override
    public void close() {}
  }

  public static void main(String[] args) {
    AtomicReference<String> said = new AtomicReference<>("");
    AgentListener listener =
        new AgentListener() {
          @Override
          public void leases(LeaseCounts counts) {
            String line = "leases " + counts.leases() + " " + counts.rebuilding();
            if (!line.equals(said.getAndSet(line))) {
              System.out.println(line);
            }
          }
        };
    CachedModel model = new CachedModel(60, "r0", "r1");
    ClusterNode.start(
        args,
        SETTINGS,
        node -> node.bounds(Bounds.leases(LEASES)),
        new Told(model, Duration.ofMillis(50)),
        new TurnTypes(),
        listener,
        Map.of("lose", model::kill));
  }
}
