package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.author.ActionPolicyIO;
import dev.colony.library.prompt.PromptLayers;
import dev.colony.library.prompt.PromptLayers.Placed;
import java.util.List;
import java.util.Optional;
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

  /** Nothing in common. */
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

  /** Another model, or the same asked differently. */
  public PlannerArgs model(PlannerModel asked) {
    return new PlannerArgs(
        role, goals, constraints, io, Optional.of(asked), prompt, include, exclude, calls);
  }

  /** Other layers of the prompt. */
  public PlannerArgs prompt(PromptLayers layers) {
    return new PlannerArgs(
        role, goals, constraints, io, model, Optional.of(layers.layers()), include, exclude, calls);
  }

  /** Only actions with one of these tags. */
  public PlannerArgs include(String... tags) {
    return new PlannerArgs(
        role, goals, constraints, io, model, prompt, Optional.of(List.of(tags)), exclude, calls);
  }

  /** No actions with one of these tags. */
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
}
