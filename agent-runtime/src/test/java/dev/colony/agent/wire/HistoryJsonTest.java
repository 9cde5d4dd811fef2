package dev.colony.agent.wire;

import static dev.colony.agent.wire.OverTheWire.sent;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.history.ForkReply;
import dev.colony.agent.inspect.HistoryEntry;
import dev.colony.agent.inspect.HistoryPage;
import dev.colony.agent.inspect.HistoryPosition;
import dev.colony.agent.inspect.InspectedAgent;
import dev.colony.agent.inspect.InspectedStep;
import dev.colony.agent.inspect.Moment;
import dev.colony.agent.inspect.Past;
import dev.colony.agent.lifecycle.AgentEvent;
import dev.colony.agent.lifecycle.AgentSnapshot;
import dev.colony.agent.lifecycle.Events;
import dev.colony.agent.lifecycle.Snapshots;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The past travels losslessly. */
class HistoryJsonTest {

  private static final AgentId AGENT = new AgentId("acme", "lab", "a");

  @Provide
  Arbitrary<HistoryPage> pages() {
    Arbitrary<HistoryEntry> entries =
        Combinators.combine(Events.any(), Arbitraries.longs().between(1, 1L << 50), runs())
            .as(HistoryJsonTest::entry);
    return Combinators.combine(entries.list().ofMaxSize(4), positions().optional(), positions())
        .as(HistoryPage::new);
  }

  private static Arbitrary<HistoryPosition> positions() {
    return Combinators.combine(Arbitraries.longs().between(0, 1L << 50), runs())
        .as(HistoryPosition::new);
  }

  private static Arbitrary<Optional<RunId>> runs() {
    return Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(9).map(RunId::new).optional();
  }

  /** Of the end of a step, the step. */
  private static HistoryEntry entry(AgentEvent event, long sequenceNr, Optional<RunId> run) {
    return event instanceof AgentEvent.StepCompleted step
        ? new InspectedStep(
            sequenceNr,
            run,
            step.step(),
            step.at(),
            run.map(some -> Duration.ofNanos(sequenceNr)),
            step.call(),
            3,
            new Usage(1, 2, 3),
            step.cost().orElse(BigDecimal.ZERO),
            step.parked(),
            step.error())
        : new Moment(sequenceNr, event);
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void aPageComesBack(@ForAll("pages") HistoryPage page) {
    assertThat(HistoryJson.read(sent(HistoryJson.write(page)))).isEqualTo(page);
  }

  @Provide
  Arbitrary<AgentSnapshot> states() {
    return Snapshots.any();
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  void aStateComesBack(@ForAll("states") AgentSnapshot state) {
    Past past = new Past.Known(new InspectedAgent(AGENT, state, 7));
    assertThat(PastJson.read(sent(PastJson.write(past)))).isEqualTo(past);
  }

  @Example
  void whatIsNotKnownComesBack() {
    for (Past past :
        List.of(
            new Past.Unknown(AGENT),
            new Past.NotYet(AGENT, 9, 7),
            new Past.Forgotten(AGENT, 1, 3))) {
      assertThat(PastJson.read(sent(PastJson.write(past)))).isEqualTo(past);
      ForkReply none = new ForkReply.NoSuchPast(past);
      assertThat(PastJson.readFork(sent(PastJson.write(none)))).isEqualTo(none);
    }
  }

  @Example
  void everyReplyToAForkComesBack() {
    AgentId fork = new AgentId("acme", "lab", "b");
    for (ForkReply reply :
        List.of(
            new ForkReply.Forked(fork, AGENT, 12),
            new ForkReply.OtherColony(fork, AGENT),
            new ForkReply.Taken(fork))) {
      assertThat(PastJson.readFork(sent(PastJson.write(reply)))).isEqualTo(reply);
    }
  }

  @Example
  void whatANewerServerAddsIsPassedOver() {
    HistoryPage page =
        new HistoryPage(List.of(), Optional.empty(), new HistoryPosition(4, Optional.empty()));
    ObjectNode json = HistoryJson.write(page).put("unheardOf", 1);
    assertThat(HistoryJson.read(json)).isEqualTo(page);
  }

  @Example
  void noOtherClassIsEverNamed() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("newer", "1");
    json.putArray("entries")
        .addObject()
        .put("type", "moment")
        .put("sequenceNr", 1)
        .put("event", "java.lang.Runtime")
        .putObject("data");
    assertThatThrownBy(() -> HistoryJson.read(json))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("no event of a journal: java.lang.Runtime");
    assertThatThrownBy(() -> PastJson.read(JsonNodeFactory.instance.objectNode()))
        .isInstanceOf(AgentException.class);
  }
}
