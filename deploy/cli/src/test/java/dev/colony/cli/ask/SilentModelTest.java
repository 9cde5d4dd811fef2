package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.RunId;
import dev.colony.agent.RunProgress;
import dev.colony.agent.author.JsonValues;
import dev.colony.cli.ask.Asking.SilentModel;
import dev.colony.library.research.Answer;
import dev.colony.library.research.ResearchTypes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a person is shown of a run whose model is slow, or never replies. */
class SilentModelTest {

  private final Map<Duration, Runnable> due = new TreeMap<>();
  private final List<String> shown = new ArrayList<>();
  private boolean silent = true;
  private final SilentModel model = new SilentModel(() -> silent, shown::add, due::put);

  private void take(String name, String file) {
    JsonNode hits = JsonValues.toJson(List.of(new Answer.Hit(file, 7, 9, "Ledger.transfer", 1)));
    JsonNode data = JsonNodeFactory.instance.objectNode().put("places", 1).set("hits", hits);
    model.take(new RunProgress(new RunId("r"), name, data, Instant.EPOCH, "t", Optional.empty()));
  }

  private void pass(Duration time) {
    due.entrySet()
        .removeIf(one -> {
          boolean now = one.getKey().compareTo(time) <= 0;
          if (now) {
            one.getValue().run();
          }
          return now;
        });
  }

  @Test
  void aRunWhoseModelNeverRepliesHasShownItsHitsAfterTwentySeconds() {
    take(ResearchTypes.SEARCHED, "bank/Ledger.java");
    pass(Duration.ofMillis(19_999));
    assertThat(shown).isEmpty();
    pass(Duration.ofSeconds(20));
    assertThat(shown)
        .containsExactly(
            "the model goes on; the search has found:\n1   bank/Ledger.java:7   Ledger.transfer");
  }

  @Test
  void aModelThatHasBegunItsAnswerIsNotInterrupted() {
    take(ResearchTypes.SEARCHED, "bank/Ledger.java");
    silent = false;
    pass(Duration.ofSeconds(20));
    assertThat(shown).isEmpty();
  }

  @Test
  void theHitsAreShownOnceHoweverOftenTheRunSearches() {
    take(ResearchTypes.LOOKS, "none");
    assertThat(due).isEmpty();
    take(ResearchTypes.SEARCHED, "a/First.java");
    pass(Duration.ofSeconds(20));
    take(ResearchTypes.SEARCHED, "a/Second.java");
    pass(Duration.ofSeconds(20));
    assertThat(shown).singleElement().asString().contains("First.java");
  }
}
