package dev.colony.server.node;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.vcm.schedule.ClusterState.Backlog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.pubsub.Topic;

/**
 * Gateways tell each other by messages within the cluster what they wait for. Nothing is stored: a
 * report counts for about a second, and a lost one is made up for by the next. Until there is an
 * actor system, nothing is told and nothing heard. Thread-safe.
 */
final class GatewayReports implements BacklogExchange {

  /**
   * What a gateway waits for.
   *
   * @param gateway the address of its node
   */
  @JsonTypeName("gateway-backlogs")
  record GatewayBacklogs(String gateway, List<Backlog> backlogs) {

    GatewayBacklogs {
      backlogs = List.copyOf(backlogs);
    }
  }

  private static final String TOPIC = "gateway-backlogs";

  private final String own;
  private final List<BiConsumer<String, List<Backlog>>> listeners = new CopyOnWriteArrayList<>();
  private volatile ActorRef<Topic.Command<GatewayBacklogs>> topic;

  /**
   * @param own the address of this node
   */
  GatewayReports(String own) {
    this.own = own;
  }

  /** Tells and hears through the cluster of this system from here on. */
  void follow(ActorSystem<?> system) {
    ActorRef<Topic.Command<GatewayBacklogs>> started =
        system.systemActorOf(Topic.create(GatewayBacklogs.class, TOPIC), TOPIC, Props.empty());
    ActorRef<GatewayBacklogs> listener =
        system.systemActorOf(listening(), TOPIC + "-listener", Props.empty());
    started.tell(Topic.subscribe(listener));
    topic = started;
  }

  private Behavior<GatewayBacklogs> listening() {
    return Behaviors.receive(GatewayBacklogs.class)
        .onMessage(
            GatewayBacklogs.class,
            report -> {
              if (!report.gateway().equals(own)) {
                listeners.forEach(one -> one.accept(report.gateway(), report.backlogs()));
              }
              return Behaviors.same();
            })
        .build();
  }

  @Override
  public void publish(List<Backlog> backlogs) {
    ActorRef<Topic.Command<GatewayBacklogs>> known = topic;
    if (known != null) {
      known.tell(Topic.publish(new GatewayBacklogs(own, backlogs)));
    }
  }

  @Override
  public void listen(BiConsumer<String, List<Backlog>> reports) {
    listeners.add(reports);
  }
}
