package dev.colony.server.node;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import dev.colony.core.dispatch.Backoff;
import dev.colony.node.entity.AgentShards.RestartBackoff;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.store.FollowedTrees;
import dev.colony.vcm.store.TreeFollowers;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.ClusterSingleton;
import org.apache.pekko.cluster.typed.SingletonActor;

/** Has one node of the cluster, the oldest, follow the directories that were asked about. */
final class TreeFollowing {

  private static final String NAME = "tree-follower";

  private TreeFollowing() {}

  static void start(
      ActorSystem<?> system,
      Config config,
      Blackboards blackboards,
      PageStore store,
      Backoff restarts) {
    FollowedTrees trees = new FollowedTrees(blackboards, Node.PAGES_TENANT, NAME);
    ClusterSingleton.get(system)
        .init(
            SingletonActor.of(RestartBackoff.of(following(config, store, trees), restarts), NAME));
  }

  private static Behavior<Void> following(Config config, PageStore store, FollowedTrees trees) {
    return Behaviors.setup(context -> {
      TreeFollowers followers = TreeFollowers.start(config, store, trees);
      return Behaviors.receive(Void.class)
          .onSignal(
              PostStop.class,
              stopped -> {
                // It waits for what is being mapped.
                Thread.ofVirtual().name(NAME + "-end").start(followers::close);
                return Behaviors.same();
              })
          .build();
    });
  }
}
