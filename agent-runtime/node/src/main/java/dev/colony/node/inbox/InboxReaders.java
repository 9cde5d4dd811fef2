package dev.colony.node.inbox;

import dev.colony.blackboard.Blackboards;
import dev.colony.client.directory.AgentDirectory;
import dev.colony.core.retry.Backoff;
import dev.colony.node.entity.AgentSettings;
import dev.colony.node.entity.AgentShards;
import dev.colony.node.entity.EntityClient;
import dev.colony.node.entity.RestartBackoff;
import dev.colony.node.home.Rehoming;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.typed.ShardedDaemonProcessSettings;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;

/** The readers of the inbox, spread over the nodes of the cluster. */
public final class InboxReaders {

  private InboxReaders() {}

  private static InboxDelivery delivery(
      Blackboards blackboards, AgentShards shards, Rehoming rehoming, int maxDeliveries) {
    AgentDirectory directory = new AgentDirectory(blackboards);
    EntityClient entities = shards.entities();
    ResumeService resumption =
        new ResumeService(directory, shards.resumptions(), rehoming, entities);
    return new InboxDelivery(
        blackboards,
        directory,
        shards.results(),
        shards.recorder(),
        new WakeDelivery(directory, shards.events(), resumption, entities),
        new SignalDelivery(blackboards, directory, resumption, entities, rehoming),
        entities,
        maxDeliveries);
  }

  /**
   * Has this node be there to run some of them.
   *
   * @param restarts the pauses before a reader that has failed begins again
   * @param shards where what they read goes
   * @return how many messages this node has on their way to agents
   */
  public static IntSupplier start(
      ActorSystem<?> system,
      AgentSettings.Inbox settings,
      Backoff restarts,
      Blackboards blackboards,
      AgentShards shards,
      Rehoming rehoming) {
    InboxDelivery delivery = delivery(blackboards, shards, rehoming, settings.maxDeliveries());
    int workers = Math.min(settings.workers(), blackboards.inbox().buckets());
    ShardedDaemonProcess.get(system)
        .init(
            InboxReader.Message.class,
            "agent-inbox",
            workers,
            worker ->
                RestartBackoff.of(
                    InboxReader.create(worker, workers, settings, blackboards, delivery), restarts),
            ShardedDaemonProcessSettings.create(system),
            Optional.empty());
    return delivery::underWay;
  }
}
