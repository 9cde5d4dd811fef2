package dev.colony.node.entity;

import java.util.function.Supplier;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Subscribe;

/** Nodes that are gone from the cluster, and with them what they were sent. */
public final class MemberLosses {

  private MemberLosses() {}

  /** Has an actor told of each one, for as long as it lives; to be called by the actor itself. */
  public static <M> void tell(ActorContext<M> context, Supplier<M> lost) {
    var losses = context.messageAdapter(ClusterEvent.MemberRemoved.class, removed -> lost.get());
    Cluster.get(context.getSystem())
        .subscriptions()
        .tell(Subscribe.create(losses, ClusterEvent.MemberRemoved.class));
  }
}
