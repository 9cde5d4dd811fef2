package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.schedule.ClusterState.Backlog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Join;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What gateways tell each other, over the cluster that they are in. */
class GatewayReportsTest {

  private static final Config CONFIG =
      ConfigFactory.parseString(
              """
              pekko {
                actor.provider = cluster
                remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
                cluster.jmx.multi-mbeans-in-same-jvm = on
                coordinated-shutdown.exit-jvm = off
              }
              """)
          .withFallback(ConfigFactory.load());

  private final List<ActorSystem<Void>> systems = new ArrayList<>();
  private final Map<String, List<Backlog>> heard = new ConcurrentHashMap<>();

  private GatewayReports member(String name) {
    ActorSystem<Void> system = ActorSystem.create(Behaviors.empty(), "reports", CONFIG);
    systems.add(system);
    Cluster cluster = Cluster.get(system);
    Cluster first = Cluster.get(systems.getFirst());
    cluster.manager().tell(Join.create(first.selfMember().address()));
    GatewayReports reports = new GatewayReports(name);
    reports.listen((gateway, backlogs) -> heard.put(name + " of " + gateway, backlogs));
    reports.publish(List.of(new Backlog("early", 1, 1, 1)));
    reports.follow(system);
    return reports;
  }

  @AfterEach
  void stop() {
    systems.forEach(ActorSystem::terminate);
    systems.forEach(system -> system.getWhenTerminated().toCompletableFuture().join());
  }

  @Test
  void eachHearsOfTheOthersAndNotOfItself() {
    GatewayReports one = member("one");
    member("two");
    List<Backlog> backlogs = List.of(new Backlog("r1", 2.5, 3, 4), new Backlog("r2", 0, 0, 1));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> {
          one.publish(backlogs);
          assertThat(heard).containsEntry("two of one", backlogs);
        });
    assertThat(heard).containsOnlyKeys("two of one");
  }
}
