package dev.colony.library.plan;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.library.plan.PlanRules.Trigger;
import dev.colony.library.policy.PlannerArgs;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How an agent plans.
 *
 * @param planner role, goals, input, output and model
 * @param rules how plans are made and carried out
 * @param cacheTokens what the cache of a model server holds; absent where that is not known, with
 *     which actions stay in the plan's order
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PlanArgs(
    Optional<PlannerArgs> planner, Optional<Rules> rules, Optional<Long> cacheTokens) {

  /**
   * As {@link PlanRules}; what is absent is as {@link PlanRules#DEFAULTS} has it.
   *
   * @param horizon {@code mpc}, {@code top-down} or {@code bottom-up}
   * @param triggers words of the {@link Trigger.Kind}s that are heeded, besides those that have to
   *     be
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Rules(
      Optional<String> horizon,
      Optional<Integer> ahead,
      Optional<Integer> depth,
      Optional<Integer> parallel,
      Optional<Integer> maxReplanCycles,
      Optional<List<String>> triggers,
      Optional<Double> budgetLow) {

    public static final Rules DEFAULTS =
        new Rules(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public Rules horizon(String word) {
      return new Rules(
          Optional.of(word), ahead, depth, parallel, maxReplanCycles, triggers, budgetLow);
    }

    public Rules maxReplanCycles(int most) {
      return new Rules(horizon, ahead, depth, parallel, Optional.of(most), triggers, budgetLow);
    }

    private PlanRules made() {
      PlanRules standing = PlanRules.DEFAULTS;
      EnumSet<Trigger.Kind> heeded = EnumSet.noneOf(Trigger.Kind.class);
      triggers.ifPresent(all -> all.forEach(word -> heeded.add(word(Trigger.Kind.class, word))));
      return new PlanRules(
          horizon.map(word -> word(PlanRules.Horizon.class, word)).orElse(standing.horizon()),
          ahead.orElse(standing.ahead()),
          depth.orElse(standing.depth()),
          parallel.orElse(standing.parallel()),
          maxReplanCycles.orElse(standing.maxReplanCycles()),
          triggers.isPresent() ? heeded : standing.triggers(),
          budgetLow.orElse(standing.budgetLow()));
    }

    private static <E extends Enum<E>> E word(Class<E> kind, String word) {
      List<String> words =
          EnumSet.allOf(kind).stream()
              .map(one -> one.name().toLowerCase(Locale.ROOT).replace('_', '-'))
              .toList();
      int at = words.indexOf(word);
      if (at < 0) {
        throw new IllegalArgumentException(word + " is none of " + String.join(", ", words));
      }
      return kind.getEnumConstants()[at];
    }
  }

  public static final PlanArgs NONE =
      new PlanArgs(Optional.empty(), Optional.empty(), Optional.empty());

  public PlanArgs {
    rules.ifPresent(Rules::made);
    cacheTokens
        .filter(tokens -> tokens < 1)
        .ifPresent(tokens -> {
          throw new IllegalArgumentException("cacheTokens is 1 or more, not " + tokens);
        });
  }

  PlanRules planRules() {
    return rules.orElse(Rules.DEFAULTS).made();
  }

  public PlanArgs planner(PlannerArgs other) {
    return new PlanArgs(Optional.of(other), rules, cacheTokens);
  }

  public PlanArgs rules(Rules other) {
    return new PlanArgs(planner, Optional.of(other), cacheTokens);
  }

  public PlanArgs cacheTokens(long tokens) {
    return new PlanArgs(planner, rules, Optional.of(tokens));
  }
}
