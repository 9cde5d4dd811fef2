package dev.colony.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunStats;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each thing that must not happen is seen by the invariant that is named after it. */
class InvariantsTest {

  private static final String RUNS = "every-accepted-run-ends";
  private static final String RESULTS = "result-exactly-once";
  private static final String PAYMENTS = "no-non-retryable-twice";
  private static final String MESSAGES = "retryable-under-one-key";
  private static final String STEPS = "no-step-lost";
  private static final String WRITERS = "one-committing-incarnation";

  @Test
  void aGoodStoryHolds() {
    Verdict verdict = Verdict.of(new Story().evidence());
    assertThat(verdict.violations()).isEmpty();
    assertThat(verdict.findings()).allMatch(finding -> finding.checked() > 0);
    assertThat(verdict.figures())
        .contains("claimed 2 times by 2 processes", "0 messages were sent again");
  }

  static Stream<Arguments> permitted() {
    return Stream.of(
        told("a message is sent again under its key", story -> again(story, Errand.Kind.SEND)),
        told("an interrupted payment was made", story -> story.status(2, "INTERRUPTED")),
        told(
            "an interrupted payment was not made",
            story -> {
              story.status(2, "INTERRUPTED");
              forget(story, Errand.Kind.PAY);
            }));
  }

  @ParameterizedTest
  @MethodSource
  void permitted(String what, Consumer<Story> spoil) {
    assertThat(verdict(spoil).violations()).isEmpty();
  }

  static Stream<Arguments> forbidden() {
    return Stream.of(
        seen("a caller waits for ever", story -> story.answered.remove(Story.FIRST), RUNS),
        seen(
            "a run fails",
            story ->
                story.answered.put(
                    Story.FIRST, AgentRun.failed(Story.FIRST, "lost", RunStats.NONE)),
            RUNS),
        seen(
            "a caller is told something else",
            story ->
                story.answered.put(
                    Story.FIRST,
                    AgentRun.completed(
                        Story.FIRST,
                        story.answered.get(Story.FIRST).output(),
                        new RunStats(9, 0, RunStats.NONE.usage(), 0, 0, null, List.of()))),
            RESULTS),
        seen("no result is on the blackboard", story -> story.published.clear(), RESULTS),
        seen(
            "a result is written twice",
            story ->
                story.published.put(
                    Story.FIRST,
                    new Evidence.Published(story.answered.get(Story.FIRST).toJson(), 2)),
            RESULTS),
        seen(
            "a run ends twice",
            story ->
                story.write("w2", new AgentEvent.RunCompleted(story.answered.get(Story.FIRST), AT)),
            RESULTS),
        seen(
            "a result is published twice",
            story -> story.write("w2", new AgentEvent.ResultPublished(Story.FIRST, 0, AT)),
            RESULTS),
        seen("a payment is made twice", story -> again(story, Errand.Kind.PAY), PAYMENTS),
        seen(
            "a payment is made again under another key",
            story -> story.deeds.add(new Deed(Errand.Kind.PAY, "first", 2, "other")),
            PAYMENTS),
        seen(
            "a payment that succeeded was not made",
            story -> forget(story, Errand.Kind.PAY),
            PAYMENTS),
        seen("a payment fails", story -> story.status(2, "FAILED"), PAYMENTS),
        seen(
            "a message is sent again under another key",
            story -> story.deeds.add(new Deed(Errand.Kind.SEND, "first", 1, "other")),
            MESSAGES),
        seen(
            "two messages have one key",
            story -> {
              forget(story, Errand.Kind.SEND);
              story.deeds.add(new Deed(Errand.Kind.SEND, "first", 1, "second-k1"));
            },
            MESSAGES),
        seen(
            "a message that succeeded was not sent",
            story -> forget(story, Errand.Kind.SEND),
            MESSAGES),
        seen("a message is interrupted", story -> story.status(1, "INTERRUPTED"), MESSAGES),
        seen("a step is missing", story -> dropStep(story, false), STEPS),
        seen(
            "a step comes twice",
            story ->
                story.replace(
                    story.indexOf(AgentEvent.StepCompleted.class) + 1, "w1", Story.step(0)),
            STEPS),
        seen("an event is missing", story -> dropStep(story, true), STEPS, WRITERS),
        seen(
            "a claim does not grow",
            story -> story.write("w3", new AgentEvent.Claimed(2, "c", AT)),
            WRITERS),
        seen(
            "a stale incarnation commits",
            story -> {
              int last = story.journal.size() - 1;
              Stored stored = story.journal.get(last);
              story.replace(last, "w1", (AgentEvent) stored.content());
            },
            WRITERS));
  }

  @ParameterizedTest
  @MethodSource
  void forbidden(String what, Consumer<Story> spoil, String[] invariants) {
    assertThat(verdict(spoil).findings())
        .filteredOn(finding -> !finding.violations().isEmpty())
        .extracting(Finding::invariant)
        .contains(invariants);
  }

  private static final Instant AT = Instant.EPOCH;

  private static Verdict verdict(Consumer<Story> spoil) {
    Story story = new Story();
    spoil.accept(story);
    return Verdict.of(story.evidence());
  }

  private static Arguments told(String what, Consumer<Story> spoil) {
    return Arguments.of(what, spoil);
  }

  private static Arguments seen(String what, Consumer<Story> spoil, String... invariants) {
    return Arguments.of(what, spoil, invariants);
  }

  private static void again(Story story, Errand.Kind kind) {
    story.deeds.add(
        story.deeds.stream().filter(deed -> deed.kind() == kind).findFirst().orElseThrow());
  }

  private static void forget(Story story, Errand.Kind kind) {
    story.deeds.removeIf(deed -> deed.kind() == kind && deed.run().equals(Story.FIRST.value()));
  }

  /** Without a trace, or so that the number is missing too. */
  private static void dropStep(Story story, boolean leavingGap) {
    int index = story.indexOf(AgentEvent.StepCompleted.class);
    story.journal.remove(index);
    if (!leavingGap) {
      for (int i = index; i < story.journal.size(); i++) {
        Stored stored = story.journal.get(i);
        story.journal.set(i, new Stored(i + 1, stored.writer(), stored.content()));
      }
    }
  }
}
