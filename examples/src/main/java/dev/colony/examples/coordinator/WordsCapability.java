package dev.colony.examples.coordinator;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Write;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Counts words and reports to another agent: it stands in that agent's scope (remote mode). */
@Registered(value = "example.words", summary = "Counts the words of a text.")
public final class WordsCapability extends AgentCapability {

  public WordsCapability(CapabilityContext context) {
    super(context);
  }

  @ActionExecutor(summary = "Counts the words of a text and reports the counts.")
  Map<String, Long> count(
      @Param("the text") String text, @Param("which of the coordinator's texts it is") int number) {
    Map<String, Long> counts =
        Arrays.stream(text.toLowerCase().split("\\W+"))
            .filter(word -> !word.isEmpty())
            .collect(
                Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
    if (counts.isEmpty()) {
      report(
          TextsCapability.FAILURES + number,
          JsonNodeFactory.instance
              .objectNode()
              .put("number", number)
              .put("reason", "it has no words"));
    } else {
      ObjectNode found = JsonNodeFactory.instance.objectNode().put("number", number);
      ObjectNode words = found.putObject("words");
      counts.forEach(words::put);
      report(TextsCapability.RESULTS + number, found);
    }
    return counts;
  }

  private void report(String key, ObjectNode what) {
    blackboard().write(Write.of(key, what)).toCompletableFuture().join();
  }
}
