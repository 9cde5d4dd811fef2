package dev.colony.node.runtime;

import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.Suspension.SuspensionCause;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.Intent;
import dev.colony.node.entity.EntityClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.sharding.ShardRegion.CurrentShardRegionState;
import org.apache.pekko.cluster.sharding.typed.ClusterShardingQuery;
import org.apache.pekko.cluster.sharding.typed.GetShardRegionState;
import org.apache.pekko.cluster.sharding.typed.javadsl.ClusterSharding;

/**
 * A process of its own that has had a number of agents in memory, all of them suspended until a
 * caller gives them a signal, and says what is left of them. Arguments: Redis URI, how many, how
 * many classes to list.
 */
final class SuspendedNode {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private SuspendedNode() {}

  public static void main(String[] args) {
    int agents = Integer.parseInt(args[1]);
    IdleNode.liveAndEnd(
        IdleNode.start(args[0], agents), node -> measure(node, agents, Integer.parseInt(args[2])));
  }

  private static void measure(IdleNode node, int agents, int listed) throws Exception {
    HeapByClass before = HeapByClass.alive();
    Optional<ResumptionCondition> until = Optional.of(new ResumptionCondition.Custom("go"));
    node.all((home, agent) ->
        node.entities()
            .apply(
                home,
                agent,
                new Intent.Suspend(SuspensionCause.EXPLICIT, "for the night", until),
                Optional.of(new Position(1, 1))));
    awaitOnlyTheModel(node);
    HeapByClass now = HeapByClass.alive();
    now.grownSince(before, agents, listed).forEach(System.out::println);
    System.out.printf("suspended %d%n", now.bytes() - before.bytes());
  }

  /** It stays in memory, as it did before. */
  private static void awaitOnlyTheModel(IdleNode node) throws Exception {
    while (inMemory(node) > 1) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private static int inMemory(IdleNode node) throws Exception {
    ActorRef<ClusterShardingQuery> region = ClusterSharding.get(node.system()).shardState();
    CompletionStage<CurrentShardRegionState> state =
        AskPattern.ask(
            region,
            replyTo -> new GetShardRegionState(EntityClient.KEY, replyTo),
            PATIENCE,
            node.system().scheduler());
    return state.toCompletableFuture().get(1, TimeUnit.MINUTES).getShards().stream()
        .mapToInt(shard -> shard.getEntityIds().size())
        .sum();
  }
}
