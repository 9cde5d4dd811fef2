package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.Sampling;
import dev.colony.inference.Sampling.ReasoningEffort;
import dev.colony.library.policy.PromptLayers.Placed;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * What all runs of an agent that a model plans for have in common.
 *
 * @param role who the agent is and how it works, in the second person: it is told so
 * @param goals that stand before those of a run; what an agent lives by that events wake
 * @param constraints likewise
 * @param io what runs are given and give
 * @param model that plans; empty for the agent's own
 * @param prompt the layers of its prompts, see {@link PromptLayers}; empty for the stock ones
 * @param include only actions with one of these tags are shown; empty for all
 * @param exclude actions with one of these tags are not shown
 * @param calls that are made in another way than {@code model} says
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PlannerArgs(
    Optional<String> role,
    Optional<List<String>> goals,
    Optional<List<String>> constraints,
    Optional<ActionPolicyIO> io,
    Optional<PlannerModel> model,
    Optional<List<Placed>> prompt,
    Optional<List<String>> include,
    Optional<List<String>> exclude,
    Optional<PlannerCalls> calls) {

  public static final PlannerArgs NONE =
      new PlannerArgs(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public PlannerArgs {
    prompt.ifPresent(PromptLayers::new);
  }

  public PlannerArgs role(String text) {
    return new PlannerArgs(
        Optional.of(text), goals, constraints, io, model, prompt, include, exclude, calls);
  }

  public PlannerArgs goals(String... texts) {
    return new PlannerArgs(
        role, Optional.of(List.of(texts)), constraints, io, model, prompt, include, exclude, calls);
  }

  public PlannerArgs constraints(String... texts) {
    return new PlannerArgs(
        role, goals, Optional.of(List.of(texts)), io, model, prompt, include, exclude, calls);
  }

  /** What runs are given and give. */
  public PlannerArgs io(ActionPolicyIO declared) {
    return new PlannerArgs(
        role, goals, constraints, Optional.of(declared), model, prompt, include, exclude, calls);
  }

  public PlannerArgs model(PlannerModel asked) {
    return new PlannerArgs(
        role, goals, constraints, io, Optional.of(asked), prompt, include, exclude, calls);
  }

  public PlannerArgs prompt(PromptLayers layers) {
    return new PlannerArgs(
        role, goals, constraints, io, model, Optional.of(layers.layers()), include, exclude, calls);
  }

  public PlannerArgs include(String... tags) {
    return new PlannerArgs(
        role, goals, constraints, io, model, prompt, Optional.of(List.of(tags)), exclude, calls);
  }

  public PlannerArgs exclude(String... tags) {
    return new PlannerArgs(
        role, goals, constraints, io, model, prompt, include, Optional.of(List.of(tags)), calls);
  }

  /** Some calls made in another way than the others. */
  public PlannerArgs calls(PlannerCalls some) {
    return new PlannerArgs(
        role, goals, constraints, io, model, prompt, include, exclude, Optional.of(some));
  }

  /** How one of the calls is made. */
  public PlannerModel asked(Function<PlannerCalls, Optional<PlannerModel>> call) {
    PlannerModel usual = model.orElse(PlannerModel.OF_AGENT);
    return calls.flatMap(call).map(one -> one.or(usual)).orElse(usual);
  }

  /** How a reply to one of the calls is repaired; empty for by the model that gave it. */
  public Optional<PlannerModel> repair() {
    PlannerModel usual = model.orElse(PlannerModel.OF_AGENT);
    return calls.flatMap(PlannerCalls::repair).map(one -> one.or(usual));
  }

  /**
   * The calls of a planner that are made in another way than its calls are as a rule: by another
   * model, at another temperature, with another bound or effort. What one of them leaves open is as
   * {@link PlannerArgs#model} has it.
   *
   * @param plan what is to be done next
   * @param group which groups of actions are looked at, where the actions do not fit into a prompt
   * @param parameters what the chosen action, or those of the chosen groups, are given
   * @param repair of a reply that cannot be used; by the model that gave it, if empty
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record PlannerCalls(
      Optional<PlannerModel> plan,
      Optional<PlannerModel> group,
      Optional<PlannerModel> parameters,
      Optional<PlannerModel> repair) {

    /** All calls are made alike. */
    public static final PlannerCalls ALIKE =
        new PlannerCalls(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public PlannerCalls plan(PlannerModel how) {
      return new PlannerCalls(Optional.of(how), group, parameters, repair);
    }

    public PlannerCalls group(PlannerModel how) {
      return new PlannerCalls(plan, Optional.of(how), parameters, repair);
    }

    public PlannerCalls parameters(PlannerModel how) {
      return new PlannerCalls(plan, group, Optional.of(how), repair);
    }

    public PlannerCalls repair(PlannerModel how) {
      return new PlannerCalls(plan, group, parameters, Optional.of(how));
    }
  }

  /**
   * Which model plans, and how it is asked.
   *
   * @param model its name in {@code colony.inference.models}; empty for that of the agent's
   *     blueprint
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
}
