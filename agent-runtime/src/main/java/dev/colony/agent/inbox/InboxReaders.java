package dev.colony.agent.inbox;

import dev.colony.agent.directory.AgentDirectory;
import dev.colony.agent.entity.AgentSettings;
import dev.colony.agent.entity.EntityClient;
import dev.colony.agent.entity.ScopeEvents;
import dev.colony.agent.home.Rehoming;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.retry.Backoff;
import dev.colony.agent.retry.Restarts;
import dev.colony.agent.session.ResultPublisher;
import dev.colony.agent.session.RunRecorder;
import dev.colony.blackboard.Blackboards;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.sharding.typed.ShardedDaemonProcessSettings;
import org.apache.pekko.cluster.sharding.typed.javadsl.ShardedDaemonProcess;

/** The readers of the inbox, spread over the nodes of the cluster. */
public final class InboxReaders {

  private InboxReaders() {}

  /** Where what they read goes, and what it takes to know. */
  public record Ways(
      Blackboards blackboards,
      AgentDirectory directory,
      RunRecorder recorder,
      ResultPublisher results,
      ScopeEvents events,
      Resumptions resumptions,
      EntityClient entities,
      Rehoming rehoming) {

    private InboxDelivery delivery(int maxDeliveries) {
      ResumeService resumption = new ResumeService(directory, resumptions, rehoming, entities);
      return new InboxDelivery(
          blackboards,
          directory,
          results,
          recorder,
          new WakeDelivery(directory, events, resumption, entities),
          new SignalDelivery(blackboards, directory, resumption, entities, rehoming),
          entities,
          maxDeliveries);
    }
  }

  /**
   * Has this node be there to run some of them.
   *
   * @param restarts the pauses before a reader that has failed begins again
   * @return how many messages this node has on their way to agents
   */
  public static IntSupplier start(
      ActorSystem<?> system, AgentSettings.Inbox settings, Backoff restarts, Ways ways) {
    InboxDelivery delivery = ways.delivery(settings.maxDeliveries());
    int workers = Math.min(settings.workers(), ways.blackboards().inbox().buckets());
    ShardedDaemonProcess.get(system)
        .init(
            InboxReader.Message.class,
            "agent-inbox",
            workers,
            worker ->
                Restarts.of(
                    InboxReader.create(worker, workers, settings, ways.blackboards(), delivery),
                    restarts),
            ShardedDaemonProcessSettings.create(system),
            Optional.empty());
    return delivery::underWay;
  }
}
