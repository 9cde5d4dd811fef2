package dev.colony.client.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryEntry;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.StepView;
import dev.colony.client.history.AgentHistory.Replayed;
import dev.colony.client.wire.WireJson;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.AgentSnapshot;
import dev.colony.core.lifecycle.Events;
import dev.colony.core.lifecycle.Snapshots;
import dev.colony.journal.JournalReader.Stored;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
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
import net.jqwik.api.Tag;

/** What callers see of the journal travels losslessly. */
class ViewsTest {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final AgentId AGENT = new AgentId("acme", "lab", "a");

  @Provide
  Arbitrary<HistoryPage> pages() {
    return Combinators.combine(Events.any().list().ofMaxSize(4), runs(), positions())
        .as((events, run, newer) ->
            new HistoryPage(entries(events, run), run.map(one -> newer), newer));
  }

  private static Arbitrary<HistoryPosition> positions() {
    return Combinators.combine(Arbitraries.longs().between(0, 1L << 50), runs())
        .as(HistoryPosition::new);
  }

  private static Arbitrary<Optional<RunId>> runs() {
    return Arbitraries.strings().alpha().ofMinLength(1).ofMaxLength(9).map(RunId::new).optional();
  }

  private static List<HistoryEntry> entries(List<AgentEvent> events, Optional<RunId> run) {
    List<Stored> stored = new ArrayList<>();
    events.forEach(event -> stored.add(new Stored(stored.size() + 1, "node", event)));
    return HistoryReading.of(stored, true).entries().stream()
        .map(HistoryReading.Placed::entry)
        .map(entry -> entry instanceof StepView step ? step.run(run) : entry)
        .toList();
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void aPageComesBack(@ForAll("pages") HistoryPage page) {
    assertThat(back(page, HistoryPage.class)).isEqualTo(page);
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void soDoManyPages(@ForAll("pages") HistoryPage page) {
    aPageComesBack(page);
  }

  @Provide
  Arbitrary<AgentSnapshot> states() {
    return Snapshots.any().filter(state -> state.blueprint().isPresent());
  }

  @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
  void aStateComesBack(@ForAll("states") AgentSnapshot state) {
    StateAt known = new Replayed.State(AGENT, state, 7, Optional.empty()).view();
    assertThat(back(known, StateAt.class)).isEqualTo(known);
    assertThat(((StateAt.Known) known).agent()).extracting(AgentView::sequenceNr).isEqualTo(7L);
  }

  @Property(tries = 1_000, edgeCases = EdgeCasesMode.NONE)
  @Tag("faults")
  void soDoManyStates(@ForAll("states") AgentSnapshot state) {
    aStateComesBack(state);
  }

  @Example
  void whatIsNotKnownComesBack() {
    for (StateAt.Missing missing :
        List.of(
            new StateAt.Unknown(AGENT),
            new StateAt.NotYet(AGENT, 9, 7),
            new StateAt.Forgotten(AGENT, 1, 3))) {
      assertThat(back(missing, StateAt.class)).isEqualTo(missing);
      ForkReply none = new ForkReply.NoSuchPast(missing);
      assertThat(back(none, ForkReply.class)).isEqualTo(none);
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
      assertThat(back(reply, ForkReply.class)).isEqualTo(reply);
    }
  }

  @Example
  void whatANewerServerAddsIsPassedOver() {
    HistoryPage page =
        new HistoryPage(List.of(), Optional.empty(), new HistoryPosition(4, Optional.empty()));
    ObjectNode json = WireJson.write(page).put("unheardOf", 1);
    assertThat(WireJson.answer("page", json, HistoryPage.class)).isEqualTo(page);
  }

  @Example
  void noOtherClassIsEverNamed() {
    ObjectNode json = JsonNodeFactory.instance.objectNode().put("newer", "1");
    json.putArray("entries").addObject().put("type", "java.lang.Runtime").put("sequenceNr", 1);
    assertThatThrownBy(() -> WireJson.answer("page", json, HistoryPage.class))
        .isInstanceOf(AgentException.class)
        .hasMessageContaining("java.lang.Runtime");
    JsonNode empty = JsonNodeFactory.instance.objectNode();
    assertThatThrownBy(() -> WireJson.answer("state", empty, StateAt.class))
        .isInstanceOf(AgentException.class);
  }

  /** Written, sent as text and read at the other end. */
  private static <T> T back(Object view, Class<T> type) {
    try {
      byte[] sent = MAPPER.writeValueAsBytes(WireJson.write(view));
      return WireJson.answer(type.getSimpleName(), MAPPER.readTree(sent), type);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
