package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.Usage;
import java.math.BigDecimal;

/**
 * What a run took, counted from its journaled steps.
 *
 * @param steps completed steps
 * @param modelCalls answered model calls, those within actions excluded; of a run whose tokens or
 *     money are bounded those that have begun, so that one that was cut off and begun again counts
 *     twice
 * @param usage tokens of the policy's and the actions' calls; of a bounded run, a call of the
 *     policy's that was not answered counts as its prompt, estimated
 * @param placementHits 1 if the pages of the run's first call that had any were resident in the
 *     replica of the agent's node, else 0
 * @param placementMisses 1 if they were not, else 0
 * @param cost of those tokens, in the unit of the node's prices; without trailing zeros
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunStats(
    int steps,
    int modelCalls,
    Usage usage,
    int placementHits,
    int placementMisses,
    BigDecimal cost) {

  public static final RunStats NONE = new RunStats(0, 0, Usage.NONE, 0, 0, BigDecimal.ZERO);

  public RunStats {
    cost = cost == null || cost.signum() == 0 ? BigDecimal.ZERO : cost.stripTrailingZeros();
  }

  public RunStats plus(RunStats other) {
    return new RunStats(
        steps + other.steps,
        modelCalls + other.modelCalls,
        usage.plus(other.usage),
        placementHits + other.placementHits,
        placementMisses + other.placementMisses,
        cost.add(other.cost));
  }

  /** The numbers under stable names; {@link #fromJson} reads them back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("steps", steps);
    json.put("modelCalls", modelCalls);
    json.putObject("usage")
        .put("promptTokens", usage.promptTokens())
        .put("cachedTokens", usage.cachedTokens())
        .put("completionTokens", usage.completionTokens())
        .put("reasoningTokens", usage.reasoningTokens());
    json.put("placementHits", placementHits);
    json.put("placementMisses", placementMisses);
    json.put("cost", cost.toPlainString());
    return json;
  }

  /** Reads {@link #toJson} back; what is absent counts as 0. */
  public static RunStats fromJson(JsonNode json) {
    JsonNode usage = json.path("usage");
    return new RunStats(
        json.path("steps").asInt(),
        json.path("modelCalls").asInt(),
        new Usage(
            usage.path("promptTokens").asLong(),
            usage.path("cachedTokens").asLong(),
            usage.path("completionTokens").asLong(),
            usage.path("reasoningTokens").asLong()),
        json.path("placementHits").asInt(),
        json.path("placementMisses").asInt(),
        new BigDecimal(json.path("cost").asText("0")));
  }
}
