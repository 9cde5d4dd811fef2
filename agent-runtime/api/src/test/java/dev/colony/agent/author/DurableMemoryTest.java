package dev.colony.agent.author;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.author.StepDelta.StreamAppend;
import dev.colony.agent.stream.StreamEntry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a step leaves in what an agent keeps. */
class DurableMemoryTest {

  private static final JsonNode NONE = JsonNodeFactory.instance.nullNode();

  @Test
  void aStepThatChangesNothingLeavesTheSameMind() {
    DurableMemory memory = DurableMemory.EMPTY.after(kept("a", text("1")));
    assertThat(memory.after(StepDelta.NONE)).isSameAs(memory);
  }

  @Test
  void aStreamHoldsAsManyEntriesAsItsLastAppendSays() {
    DurableMemory memory = DurableMemory.EMPTY;
    for (int i = 0; i < 4; i++) {
      memory = memory.after(appended(append("talk", 3, i)));
    }
    assertThat(memory.streams().get("talk")).containsExactly(entry(1), entry(2), entry(3));
    assertThat(memory.after(appended(append("talk", 1, 4))).streams().get("talk"))
        .containsExactly(entry(4));
  }

  @Test
  void entriesOfOneStepKeepTheirOrder() {
    DurableMemory memory =
        DurableMemory.EMPTY.after(
            appended(append("talk", 9, 0), append("work", 9, 1), append("talk", 9, 2)));
    assertThat(memory.streams())
        .isEqualTo(Map.of("talk", List.of(entry(0), entry(2)), "work", List.of(entry(1))));
  }

  @Test
  void aSnapshotReplacesTheOneBeforeAndNullTakesItAway() {
    DurableMemory memory =
        DurableMemory.EMPTY.after(kept("a", text("1"))).after(kept("b", text("2")));
    assertThat(memory.after(kept("a", text("3"))).capabilities())
        .isEqualTo(Map.of("a", text("3"), "b", text("2")));
    assertThat(memory.after(kept("a", NONE)).capabilities()).isEqualTo(Map.of("b", text("2")));
  }

  @Test
  void capabilitiesStayPutAwayUntilAStepSaysOtherwise() {
    DurableMemory memory = DurableMemory.EMPTY.after(disabled(Optional.of(Set.of("a"))));
    assertThat(memory.after(kept("b", text("1"))).disabled()).containsExactly("a");
    assertThat(memory.after(disabled(Optional.of(Set.of()))).disabled()).isEmpty();
  }

  private static StepDelta appended(StreamAppend... appends) {
    return new StepDelta(null, List.of(appends), Map.of(), Optional.empty(), Optional.empty());
  }

  private static StepDelta kept(String capability, JsonNode snapshot) {
    return new StepDelta(
        null, List.of(), Map.of(capability, snapshot), Optional.empty(), Optional.empty());
  }

  private static StepDelta disabled(Optional<Set<String>> capabilities) {
    return new StepDelta(null, List.of(), Map.of(), capabilities, Optional.empty());
  }

  private static StreamAppend append(String stream, int keep, int number) {
    return new StreamAppend(stream, keep, entry(number));
  }

  private static StreamEntry entry(int number) {
    return new StreamEntry(StreamEntry.ACTION, Instant.EPOCH, text("entry " + number));
  }

  private static JsonNode text(String text) {
    return JsonNodeFactory.instance.textNode(text);
  }
}
