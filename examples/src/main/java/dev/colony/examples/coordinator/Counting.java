package dev.colony.examples.coordinator;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.CapabilityBlueprint;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.agent.stream.ConsciousnessStream;
import dev.colony.library.policy.JSONStreamFormatter;
import dev.colony.library.policy.StreamFilters.ActionKeySubstringFilter;
import dev.colony.library.policy.StreamFilters.EventContextKeyFilter;
import dev.colony.library.policy.StreamFilters.SuccessfulActionFilter;
import java.time.Duration;
import java.util.List;

/** Has a coordinator count the words of texts. */
public final class Counting {

  private static final String NAMESPACE = "count";
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private Counting() {}

  /** Worker results as a compact list, and the synthesis apart from it. */
  public static AgentBlueprint blueprint() {
    return AgentBlueprint.of(CoordinatorPolicy.class)
        .capability(CapabilityBlueprint.of(TextsCapability.class).namespace("texts"))
        .stream(
            ConsciousnessStream.bind(
                    "worker_results", JSONStreamFormatter.bind("## Worker Results"))
                .events(EventContextKeyFilter.bind("worker_result", "worker_failed"))
                .maxEntries(50))
        .stream(
            ConsciousnessStream.bind("synthesis", JSONStreamFormatter.bind("## Synthesis Progress"))
                .actions(
                    SuccessfulActionFilter.bind(
                        ActionKeySubstringFilter.bind("synthesize", "finalize")))
                .maxEntries(20));
  }

  /** Runs it to its end; blocks. */
  public static AgentRun count(Colony colony, AgentId coordinator, List<String> texts) {
    ObjectNode input = JsonNodeFactory.instance.objectNode();
    texts.forEach(input.putArray("texts")::add);
    return colony
        .spawn(coordinator, blueprint())
        .toCompletableFuture()
        .join()
        .run(input, RunOptions.namespace(NAMESPACE).timeout(PATIENCE))
        .result()
        .toCompletableFuture()
        .join();
  }
}
