package dev.colony.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.EventBatch;
import dev.colony.agent.RunRequest;
import dev.colony.blackboard.BlackboardEvent;
import dev.colony.blackboard.Position;
import dev.colony.core.lifecycle.EventSubscription.Watch;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of the writes that were found. */
class EventReadingTest {

  private static final EventReading READING = new EventReading(3, 1000);

  /** Writes up to ordinal 2 are taken, 3 is due, 6 has been noticed. */
  private static final Watch WATCH =
      Watch.begun(Life.SCOPE, Life.GLOBS, at(2), Optional.of(at(3))).noticed(at(6));

  @Test
  void allThatWasFoundIsTakenUpToWhatWasNoticed() {
    AgentCommand.TakeEvents take = take(written(3, 1), written(5, 1));
    assertThat(positions(take)).containsExactly(at(3), at(5));
    assertThat(take.upTo()).isEqualTo(at(6));
    assertThat(take.next()).isEmpty();
  }

  @Test
  void whatWasWrittenLaterIsTakenToo() {
    assertThat(take(written(3, 1), written(8, 1)).upTo()).isEqualTo(at(8));
  }

  @Test
  void moreThanARunTakesIsLeftForTheNext() {
    AgentCommand.TakeEvents take = take(written(3, 1), written(4, 1), written(5, 1), written(6, 1));
    assertThat(positions(take)).containsExactly(at(3), at(4), at(5));
    assertThat(take.upTo()).isEqualTo(at(5));
    assertThat(take.next()).contains(at(6));
  }

  @Test
  void moreBytesThanARunTakesAreLeftForTheNext() {
    AgentCommand.TakeEvents take = take(written(3, 600), written(4, 600), written(5, 1));
    assertThat(positions(take)).containsExactly(at(3));
    assertThat(take.next()).contains(at(4));
  }

  @Test
  void aValueThatIsTooLargeByItselfIsLeftOut() {
    AgentCommand.TakeEvents take = take(written(3, 1001), written(4, 900));
    assertThat(batch(take).events())
        .extracting(event -> event.value().isPresent())
        .containsExactly(false, true);
  }

  @Test
  void nothingFoundIsNoRunUnlessSomethingIsLost() {
    assertThat(take().run()).isEmpty();
    assertThat(take().upTo()).isEqualTo(at(6));
    AgentCommand.TakeEvents lost = READING.take(Life.AGENT, WATCH, List.of(), true, false, Life.AT);
    assertThat(batch(lost)).isEqualTo(new EventBatch(Life.SCOPE, List.of(), true));
    assertThat(lost.upTo()).isEqualTo(at(6));
  }

  @Test
  void theRunIsTheSameHoweverManyHaveComeSince() {
    assertThat(take(written(3, 1)).run().orElseThrow().runId())
        .isEqualTo(take(written(3, 1), written(7, 1)).run().orElseThrow().runId())
        .isNotEqualTo(take(written(4, 1)).run().orElseThrow().runId());
  }

  @Test
  void aBatchComesBackFromTheInputOfItsRun() {
    RunRequest run = take(written(3, 1), written(5, 1001)).run().orElseThrow();
    assertThat(EventBatch.of(run))
        .contains(
            new EventBatch(
                Life.SCOPE,
                List.of(event(3, Optional.of(text(1))), event(5, Optional.empty())),
                false));
    assertThat(EventBatch.of(Life.request("r1"))).isEmpty();
  }

  @Test
  void whatIsForTheOpenRunIsDeliveredAndStartsNone() {
    AgentCommand.TakeEvents take =
        READING.take(Life.AGENT, WATCH, List.of(written(3, 1)), false, true, Life.AT);
    assertThat(take.run()).isEmpty();
    assertThat(take.delivered().orElseThrow().events())
        .extracting(EventBatch.Event::position)
        .containsExactly(at(3));
    assertThat(take.upTo()).isEqualTo(at(6));
  }

  private static AgentCommand.TakeEvents take(BlackboardEvent.Written... found) {
    return READING.take(Life.AGENT, WATCH, List.of(found), false, false, Life.AT);
  }

  private static EventBatch batch(AgentCommand.TakeEvents take) {
    return EventBatch.of(take.run().orElseThrow()).orElseThrow();
  }

  private static List<Position> positions(AgentCommand.TakeEvents take) {
    return batch(take).events().stream().map(EventBatch.Event::position).toList();
  }

  private static BlackboardEvent.Written written(long ordinal, int bytes) {
    return new BlackboardEvent.Written(
        Life.SCOPE,
        "alarm:" + ordinal,
        at(ordinal),
        Life.AT,
        "someone",
        text(bytes),
        ordinal,
        ordinal + 1,
        Set.of("a", "b"));
  }

  private static EventBatch.Event event(long ordinal, Optional<JsonNode> value) {
    return new EventBatch.Event(
        "alarm:" + ordinal,
        at(ordinal),
        Life.AT,
        "someone",
        ordinal,
        ordinal + 1,
        Set.of("a", "b"),
        value);
  }

  private static JsonNode text(int bytes) {
    return JsonNodeFactory.instance.textNode("x".repeat(bytes));
  }

  private static Position at(long ordinal) {
    return new Position(1000 + ordinal / 2, ordinal);
  }
}
