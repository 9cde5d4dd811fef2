package dev.colony.bench.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a benchmark of plans found. The same load always gives the same figures.
 *
 * @param order what the order of a plan's actions saves
 * @param sharing how much of a prompt is the beginning of the one before
 * @param calls what a plan saves of model calls
 */
public record PlanReport(
    PlanLoad load, OrderFigures order, SharingFigures sharing, CallFigures calls) {

  /** Measures all three. */
  public static PlanReport measure(PlanLoad load) {
    return new PlanReport(
        load, OrderFigures.measure(load), SharingFigures.measure(load), CallFigures.measure(load));
  }

  /** One object on one line. */
  public String toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("parts", load.parts())
            .put("rounds", load.rounds())
            .put("steps", load.steps())
            .put("tasks", load.tasks());
    json.set("order", order.toJson());
    json.set("sharing", sharing.toJson());
    json.set("calls", calls.toJson());
    return json.toString();
  }

  /** The figures, one a line. */
  public String toText() {
    return String.join("\n", order.toText(), sharing.toText(), calls.toText());
  }
}
