package dev.colony.agent;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Usage;
import java.math.BigDecimal;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a run took, counted from its journaled steps.
 *
 * @param steps completed steps
 * @param modelCalls answered model calls, those within actions excluded; of a run whose tokens or
 *     money are bounded those that have begun, so that one that was cut off and begun again counts
 *     twice
 * @param usage tokens of the policy's and the actions' calls, also of those that failed, as far as
 *     they took some; of a bounded run, a call of the policy's that was cut off counts as its
 *     prompt, estimated
 * @param placementHits 1 if the pages of the run's first call that had any were resident in the
 *     replica of the agent's node, else 0
 * @param placementMisses 1 if they were not, else 0
 * @param cost of those tokens, in the unit of the node's prices; without trailing zeros
 * @param models that answered these calls, as {@link InferenceReply#answeredBy} has it, each once
 *     and at most {@value #MOST_MODELS}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunStats(
    int steps,
    int modelCalls,
    Usage usage,
    int placementHits,
    int placementMisses,
    BigDecimal cost,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> models) {

  static final int MOST_MODELS = 16;

  public static final RunStats NONE =
      new RunStats(0, 0, Usage.NONE, 0, 0, BigDecimal.ZERO, List.of());

  public RunStats {
    cost = cost == null || cost.signum() == 0 ? BigDecimal.ZERO : cost.stripTrailingZeros();
    models = models == null ? List.of() : List.copyOf(each(models));
  }

  /** As a rule they are what they are to be: each record of each step adds the same again. */
  private static List<String> each(List<String> models) {
    if (models.size() == 1) {
      return models.getFirst().isEmpty() ? List.of() : models;
    }
    boolean fit = models.size() <= MOST_MODELS;
    for (int i = 0; fit && i < models.size(); i++) {
      fit = !models.get(i).isEmpty() && models.indexOf(models.get(i)) == i;
    }
    return fit
        ? models
        : models.stream().filter(one -> !one.isEmpty()).distinct().limit(MOST_MODELS).toList();
  }

  public RunStats plus(RunStats other) {
    return new RunStats(
        steps + other.steps,
        modelCalls + other.modelCalls,
        usage.plus(other.usage),
        placementHits + other.placementHits,
        placementMisses + other.placementMisses,
        cost.add(other.cost),
        models.containsAll(other.models)
            ? models
            : Stream.concat(models.stream(), other.models.stream()).toList());
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
    models.forEach(json.putArray("models")::add);
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
        new BigDecimal(json.path("cost").asText("0")),
        json.path("models").valueStream().map(JsonNode::asText).toList());
  }
}
