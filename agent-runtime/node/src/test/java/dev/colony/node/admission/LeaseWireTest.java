package dev.colony.node.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.schedule.lease.Lease;
import dev.colony.vcm.schedule.lease.LeaseOrder;
import dev.colony.vcm.schedule.lease.Report;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.apache.pekko.serialization.SerializerWithStringManifest;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What nodes and the authority tell each other comes back as it was, in a frame between nodes. */
class LeaseWireTest {

  /** What a frame between nodes holds. */
  private static final int FRAME = 256 * 1024;

  private static final ActorTestKit KIT =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private static final TestProbe<LeaseMessage.LeaseOrders> REPLIES =
      KIT.createTestProbe(LeaseMessage.LeaseOrders.class);
  private static final Lease LEASE = new Lease("t/c/a", "model@host:1", Long.MAX_VALUE / 3);

  @AfterAll
  static void stop() {
    KIT.shutdownTestKit();
  }

  private static byte[] bytes(Object message) {
    return serialization().serialize(message).get();
  }

  private static Serialization serialization() {
    return SerializationExtension.get(KIT.system());
  }

  private static <T> T back(T message) {
    SerializerWithStringManifest serializer =
        (SerializerWithStringManifest) serialization().findSerializerFor(message);
    @SuppressWarnings("unchecked")
    T again =
        (T)
            serialization()
                .deserialize(bytes(message), serializer.identifier(), serializer.manifest(message))
                .get();
    return again;
  }

  private static LeaseMessage.Reports reports(List<Report> reports) {
    return new LeaseMessage.Reports(
        "host:1#a",
        reports.stream().map(LeaseMessage.Line::of).toList(),
        List.of(new NodeLeases.FirstTokens("t/c/a", 5, 6)),
        List.of(
            new LeaseMessage.CacheLine(
                "r", 850, "127.0.0.1:2551", 5_000, Double.POSITIVE_INFINITY)),
        REPLIES.getRef());
  }

  @Test
  void ofWhatSeveralNodesSayOfAReplicaTheSlowerSpeedCountsAndTheLargerCache() {
    var quick = new LeaseMessage.CacheLine("r", 850, "n", 5_000, 50_000);
    var slow = new LeaseMessage.CacheLine("r", 400, "n", 3_000, 50_000);
    // As fast for short prompts, and slower for long ones.
    var attentive = new LeaseMessage.CacheLine("r", 850, "n", 5_000, 500);
    var both = new LeaseMessage.CacheLine("r", 850, "n", 3_000, 50_000);
    assertThat(quick.and(slow)).isEqualTo(both);
    assertThat(slow.and(quick)).isEqualTo(both);
    assertThat(quick.and(attentive)).isEqualTo(attentive);
  }

  private static Report report(Report.Status status) {
    return new Report("host:1#a", "t/c/a", (7L << 40) + 3, 1.25, status);
  }

  private static long[] blocks(int count) {
    long[] blocks = new long[count];
    for (int i = 0; i < count; i++) {
      blocks[i] = Long.MIN_VALUE + i * 0x9E3779B97F4A7C15L;
    }
    return blocks;
  }

  @Test
  void reportsComeBack() {
    var prompt =
        NodeLeases.ExpectedPrompts.even(new long[] {1, -2, Long.MIN_VALUE}, 48)
            .excluding(Set.of("other"));
    List<Report.Status> all =
        List.of(
            new Report.Asking(4, prompt, 2.5, true),
            new Report.Running(LEASE, 3, Optional.empty()),
            new Report.Running(LEASE, 3, Optional.of(prompt)),
            new Report.Idle(LEASE, 3, Optional.empty(), OptionalDouble.of(4), OptionalInt.of(2)),
            new Report.Idle(
                LEASE, 3, Optional.empty(), OptionalDouble.empty(), OptionalInt.empty()),
            new Report.Released(true));
    LeaseMessage.Reports sent = reports(all.stream().map(LeaseWireTest::report).toList());
    LeaseMessage.Reports came = back(sent);
    assertThat(came.replyTo()).isEqualTo(sent.replyTo());
    assertThat(came.caches()).isEqualTo(sent.caches());
    assertThat(came.firstTokens()).isEqualTo(sent.firstTokens());
    assertThat(came.lines().stream().map(line -> line.report("host:1#a")))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyElementsOf(all.stream().map(LeaseWireTest::report).toList());
  }

  @Test
  void ordersComeBack() {
    List<LeaseOrder.ToHolder> all =
        List.of(
            new LeaseOrder.Granted("h", LEASE, 3, 1.5),
            new LeaseOrder.Held("h", "t/c/a", 3, LeaseOrder.Reason.NO_ROOM),
            new LeaseOrder.Renewed("h", LEASE, 9, 2.5),
            new LeaseOrder.Recalled("h", LEASE, 3),
            new LeaseOrder.Ended("h", LEASE),
            new LeaseOrder.Tell("h", "t/c/a"));
    LeaseMessage.LeaseOrders came =
        back(
            new LeaseMessage.LeaseOrders(
                all.stream().map(LeaseMessage.LeaseOrders.Line::of).toList(),
                List.of(new LeaseMessage.LeaseOrders.Blocks("r", blocks(3))),
                List.of()));
    assertThat(came.lines().stream().map(line -> line.order("h"))).containsExactlyElementsOf(all);
    assertThat(came.evictions().getFirst().blocks()).containsExactly(blocks(3));
  }

  @Test
  void aFullBatchFitsIntoAFrame() {
    int each = LeaseMessage.BATCH_BLOCKS / LeaseMessage.BATCH;
    List<Report> many =
        java.util.Collections.nCopies(
            LeaseMessage.BATCH,
            report(
                new Report.Asking(
                    1, NodeLeases.ExpectedPrompts.even(blocks(each), 1000), 3, false)));
    assertThat(bytes(reports(many)).length).isLessThan(FRAME);
    assertThat(
            bytes(
                    reports(
                        List.of(
                            report(
                                new Report.Asking(
                                    1,
                                    NodeLeases.ExpectedPrompts.even(
                                        blocks(LeaseMessage.BATCH_BLOCKS), 1000),
                                    3,
                                    false)))))
                .length)
        .isLessThan(FRAME);
  }
}
