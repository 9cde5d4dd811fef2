package dev.colony.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.server.node.RedisLease.LeaseOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.CoordinatedShutdown;
import org.apache.pekko.actor.CoordinatedShutdown.Reason;
import org.junit.jupiter.api.Test;

/** What a node says of its end. */
class NodeEndTest {

  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final LeaseOutcome UNASKED = new LeaseOutcome.Won();

  @Test
  void oneThatWasToldToEndSaysNothing() {
    for (Reason told :
        new Reason[] {
          CoordinatedShutdown.jvmExitReason(),
          CoordinatedShutdown.unknownReason(),
          CoordinatedShutdown.clusterLeavingReason()
        }) {
      assertThat(NodeEnd.why(Optional.of(told), UNASKED)).isEmpty();
    }
  }

  @Test
  void oneThatWasDownedNamesWhatTheLeaseSaid() {
    assertThat(downed(new LeaseOutcome.Denied("colony@h:1#2")))
        .contains("the side of colony@h:1#2 goes on", "see the network");
    assertThat(downed(new LeaseOutcome.Unanswered(Duration.ofSeconds(30))))
        .contains("Redis did not answer for 30 s", "see Redis");
    assertThat(downed(new LeaseOutcome.Lost("colony@h:1#2")))
        .contains("stood still", "that of colony@h:1#2");
    assertThat(downed(new LeaseOutcome.Lost("")))
        .contains("another side has got its lease; see why");
    assertThat(downed(UNASKED)).contains("taken out of the cluster");
  }

  @Test
  void oneThatIsNotLetInOrFailsSaysWhereToLook() {
    assertThat(
            NodeEnd.why(
                Optional.of(CoordinatedShutdown.incompatibleConfigurationDetectedReason()),
                UNASKED))
        .hasValueSatisfying(why -> assertThat(why).contains("does not let it in"));
    assertThat(NodeEnd.why(Optional.of(CoordinatedShutdown.actorSystemTerminateReason()), UNASKED))
        .hasValueSatisfying(why -> assertThat(why).contains("actor system has stopped"));
  }

  /** What another side has decided meanwhile must not be decided here too. */
  @Test
  void oneThatHasLostTheLeaseEnds() {
    Config config =
        ConfigFactory.parseString(
                """
                pekko.cluster.split-brain-resolver.active-strategy = keep-majority
                pekko.cluster.jmx.enabled = off
                """)
            .withFallback(NodeConfig.base(Optional.empty()));
    NodeOptions options =
        NodeOptions.alone(
            "n",
            LoopbackPorts.free(1).getFirst(),
            "redis://127.0.0.1:1",
            Optional.empty(),
            Optional.empty());
    Membership node = new Membership(options, NodeConfig.of(options, config), List.of());
    NodeEnd end = new NodeEnd();
    try {
      end.watch(node.system());
      node.seek();
      node.await();
      assertThat(end.byItself()).isFalse();
      end.heard(new LeaseOutcome.Lost("another"));
      node.system()
          .getWhenTerminated()
          .toCompletableFuture()
          .orTimeout(LONGEST.toSeconds(), TimeUnit.SECONDS)
          .join();
      assertThat(end.byItself()).isTrue();
    } finally {
      node.system().terminate();
    }
  }

  private static String downed(LeaseOutcome lease) {
    return NodeEnd.why(Optional.of(CoordinatedShutdown.clusterDowningReason()), lease)
        .orElseThrow();
  }
}
