package dev.colony.node.admission;

import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint.AgentKind;
import dev.colony.agent.AgentId;
import dev.colony.core.capacity.CapacityUse.CapacityReport;
import dev.colony.core.capacity.SlotScheduler.SlotRequest;
import dev.colony.core.capacity.SlotScheduler.SlotRequest.AdmittedAgent;
import dev.colony.vcm.table.NodeAddress;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.lifecycle.AfterContainer;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;

/** What nodes and the admission scheduler tell each other comes back as it was. */
class SchedulerWireTest {

  private static final ActorTestKit KIT =
      ActorTestKit.create(
          ConfigFactory.parseString("pekko.actor.provider = local")
              .withFallback(ConfigFactory.load()));
  private static final TestProbe<AdmissionScheduler.CapacityReportReply> REPLIES =
      KIT.createTestProbe(AdmissionScheduler.CapacityReportReply.class);

  @AfterContainer
  static void stop() {
    KIT.shutdownTestKit();
  }

  @Property(tries = 200)
  void aReportComesBack(
      @ForAll @LongRange(max = 4_000_000_000_000L) long millis,
      @ForAll int some,
      @ForAll boolean lowest) {
    Instant at = Instant.ofEpochMilli(millis);
    SlotRequest request =
        new SlotRequest(new AgentId("acme", "lab", "low"), AgentKind.UNBOUND, 7, some, at);
    CapacityReport room =
        new CapacityReport(
            new NodeAddress("127.0.0.1:2551"),
            millis,
            some,
            Long.MAX_VALUE,
            some,
            some,
            some,
            Map.of("acme", some),
            lowest ? Optional.of(new AdmittedAgent(request, at)) : Optional.empty());
    comesBack(new AdmissionScheduler.SchedulerMessage.Report(room, REPLIES.getRef()));
  }

  @Property(tries = 10)
  void aReplyComesBack(@ForAll boolean agentsWait) {
    comesBack(new AdmissionScheduler.CapacityReportReply(agentsWait));
  }

  private static void comesBack(Object message) {
    KIT.serializationTestKit().verifySerialization(message, true);
  }
}
