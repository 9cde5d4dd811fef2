package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Sampling;
import dev.colony.inference.Sampling.ReasoningEffort;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Which model plans, and how it is asked.
 *
 * @param model its name in {@code colony.inference.models}; empty for that of the agent's blueprint
 * @param temperature 0 to 2; empty for 0, the most likely words
 * @param answerTokens bound on a reply, 16 to 1,000,000; empty for {@code
 *     colony.agent.policy.answer-tokens}
 * @param effort how long a model that can reason may do so; empty for as the server thinks fit
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PlannerModel(
    Optional<String> model,
    Optional<Double> temperature,
    Optional<Integer> answerTokens,
    Optional<ReasoningEffort> effort) {

  /** The agent's own, with its most likely words. */
  public static final PlannerModel OF_AGENT =
      new PlannerModel(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public PlannerModel {
    model.ifPresent(ModelChoice::named);
    temperature
        .filter(value -> !(value >= 0 && value <= 2))
        .ifPresent(value -> {
          throw new IllegalArgumentException("a temperature is 0 to 2, not " + value);
        });
    answerTokens
        .filter(tokens -> tokens < 16 || tokens > 1_000_000)
        .ifPresent(tokens -> {
          throw new IllegalArgumentException("answerTokens is 16 to 1000000, not " + tokens);
        });
  }

  /** Another model. */
  public PlannerModel model(String name) {
    return new PlannerModel(Optional.of(name), temperature, answerTokens, effort);
  }

  public PlannerModel temperature(double value) {
    return new PlannerModel(model, Optional.of(value), answerTokens, effort);
  }

  public PlannerModel answerTokens(int most) {
    return new PlannerModel(model, temperature, Optional.of(most), effort);
  }

  public PlannerModel effort(ReasoningEffort value) {
    return new PlannerModel(model, temperature, answerTokens, Optional.of(value));
  }

  /** The same, and where it leaves something open, as the other has it. */
  PlannerModel or(PlannerModel other) {
    return new PlannerModel(
        model.or(other::model),
        temperature.or(other::temperature),
        answerTokens.or(other::answerTokens),
        effort.or(other::effort));
  }

  /** How its words are chosen. */
  public Sampling sampling() {
    return new Sampling(
        OptionalDouble.of(temperature.orElse(0.0)),
        OptionalDouble.empty(),
        OptionalLong.empty(),
        List.of(),
        effort);
  }

  /** The model; empty for that of the agent's blueprint. */
  public Optional<ModelChoice> choice() {
    return model.map(ModelChoice::named);
  }
}
