package dev.colony.agent.author;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunStats;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a run gives.
 *
 * @param success whether the goals were reached
 * @param finalResult what was produced; held against the outputs that the policy declares
 * @param exportedResults for other agents, by name
 * @param learnedPatterns discovered on the way, a line each
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ActionPolicyOutput(
    boolean success,
    @JsonInclude JsonNode finalResult,
    Map<String, JsonNode> exportedResults,
    List<String> learnedPatterns) {

  public ActionPolicyOutput {
    finalResult = finalResult == null ? JsonNodeFactory.instance.nullNode() : finalResult;
    exportedResults = exportedResults == null ? Map.of() : Map.copyOf(exportedResults);
    learnedPatterns = learnedPatterns == null ? List.of() : List.copyOf(learnedPatterns);
  }

  /** A success with a result and nothing else. */
  public static ActionPolicyOutput of(JsonNode finalResult) {
    return new ActionPolicyOutput(true, finalResult, Map.of(), List.of());
  }

  /** The run that ends with it; failed where the policy says that it fell short of its goals. */
  public AgentRun endOf(RunId run, RunStats stats) {
    return new AgentRun(
        run,
        success ? AgentRun.Status.COMPLETED : AgentRun.Status.FAILED,
        finalResult,
        success ? Optional.empty() : Optional.of("the run fell short of its goals"),
        stats,
        Optional.empty(),
        exportedResults,
        learnedPatterns,
        false);
  }
}
