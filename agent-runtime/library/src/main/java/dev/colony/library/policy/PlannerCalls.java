package dev.colony.library.policy;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Optional;

/**
 * The calls of a planner that are made in another way than its calls are as a rule: by another
 * model, at another temperature, with another bound or effort. What one of them leaves open is as
 * {@link PlannerArgs#model} has it.
 *
 * @param plan what is to be done next
 * @param group which groups of actions are looked at, where the actions do not fit into a prompt
 * @param parameters what the chosen action, or those of the chosen groups, are given
 * @param repair of a reply that cannot be used; by the model that gave it, if empty
 * @param completion whether a proposed result is what was asked for
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PlannerCalls(
    Optional<PlannerModel> plan,
    Optional<PlannerModel> group,
    Optional<PlannerModel> parameters,
    Optional<PlannerModel> repair,
    Optional<PlannerModel> completion) {

  /** All calls are made alike. */
  public static final PlannerCalls ALIKE =
      new PlannerCalls(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public PlannerCalls plan(PlannerModel how) {
    return new PlannerCalls(Optional.of(how), group, parameters, repair, completion);
  }

  public PlannerCalls group(PlannerModel how) {
    return new PlannerCalls(plan, Optional.of(how), parameters, repair, completion);
  }

  public PlannerCalls parameters(PlannerModel how) {
    return new PlannerCalls(plan, group, Optional.of(how), repair, completion);
  }

  public PlannerCalls repair(PlannerModel how) {
    return new PlannerCalls(plan, group, parameters, Optional.of(how), completion);
  }

  public PlannerCalls completion(PlannerModel how) {
    return new PlannerCalls(plan, group, parameters, repair, Optional.of(how));
  }
}
