package dev.colony.library.planning;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.JsonSchemaProvider;
import dev.colony.library.plan.PlanRules;
import dev.colony.library.plan.PlanSettings;
import dev.colony.library.plan.Trigger;
import dev.colony.library.policy.PlannerArgs;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How an agent plans.
 *
 * @param planner role, goals, input, output and model
 * @param rules how plans are made and carried out
 * @param cacheTokens what the cache of a model server holds; absent where that is not known, with
 *     which actions stay in the plan's order
 * @param completion what a proposed completion is held against, besides the declared output
 * @param guardrails registered {@link Guardrail}s that stand before each action
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PlanArgs(
    Optional<PlannerArgs> planner,
    Optional<Rules> rules,
    Optional<Long> cacheTokens,
    Optional<Completion> completion,
    Optional<List<Blueprint>> guardrails) {

  /**
   * As {@link PlanRules}; what is absent is as {@link PlanRules#DEFAULTS} has it.
   *
   * @param horizon {@code mpc}, {@code top-down} or {@code bottom-up}
   * @param triggers words of the {@link Trigger.Kind}s that are heeded, besides those that have to
   *     be
   * @param byRule what is done about a trigger without asking the model, by the trigger's word:
   *     {@code go-on}, {@code backtrack}, {@code escalate}, {@code start-anew} or {@code give-up}
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Rules(
      Optional<String> horizon,
      Optional<Integer> ahead,
      Optional<Integer> depth,
      Optional<Integer> parallel,
      Optional<Integer> maxReplanCycles,
      Optional<List<String>> triggers,
      Optional<Map<String, String>> byRule,
      Optional<Integer> everySteps,
      Optional<Double> budgetLow) {

    public static final Rules DEFAULTS =
        new Rules(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    public Rules horizon(String word) {
      return new Rules(
          Optional.of(word),
          ahead,
          depth,
          parallel,
          maxReplanCycles,
          triggers,
          byRule,
          everySteps,
          budgetLow);
    }

    public Rules maxReplanCycles(int most) {
      return new Rules(
          horizon,
          ahead,
          depth,
          parallel,
          Optional.of(most),
          triggers,
          byRule,
          everySteps,
          budgetLow);
    }

    public Rules byRule(Map<String, String> rules) {
      return new Rules(
          horizon,
          ahead,
          depth,
          parallel,
          maxReplanCycles,
          triggers,
          Optional.of(rules),
          everySteps,
          budgetLow);
    }

    private PlanRules made() {
      PlanRules standing = PlanRules.DEFAULTS;
      EnumSet<Trigger.Kind> heeded = EnumSet.noneOf(Trigger.Kind.class);
      triggers.ifPresent(all -> all.forEach(word -> heeded.add(word(Trigger.Kind.class, word))));
      EnumMap<Trigger.Kind, PlanRules.Rule> rules = new EnumMap<>(Trigger.Kind.class);
      byRule.ifPresent(all ->
          all.forEach((kind, rule) ->
              rules.put(word(Trigger.Kind.class, kind), word(PlanRules.Rule.class, rule))));
      return PlanSettings.installed()
          .checked(
              new PlanRules(
                  horizon
                      .map(word -> word(PlanRules.Horizon.class, word))
                      .orElse(standing.horizon()),
                  ahead.orElse(standing.ahead()),
                  depth.orElse(standing.depth()),
                  parallel.orElse(standing.parallel()),
                  maxReplanCycles.orElse(standing.maxReplanCycles()),
                  triggers.isPresent() ? heeded : standing.triggers(),
                  rules,
                  everySteps.orElse(standing.everySteps()),
                  budgetLow.orElse(standing.budgetLow())));
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

  /**
   * What a completion is held against. A refusal goes back to the planner with its reason.
   *
   * @param schema JSON schema of the result
   * @param criteria what has to be true of it, which a second model call is asked about
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  public record Completion(Optional<JsonNode> schema, Optional<String> criteria) {

    public Completion {
      // What is absent is read as JSON null.
      schema = schema.filter(json -> !json.isNull());
      schema.ifPresent(json -> JsonSchemaProvider.installed().check(json));
    }

    public static Completion schema(JsonNode schema) {
      return new Completion(Optional.of(schema), Optional.empty());
    }

    public static Completion criteria(String text) {
      return new Completion(Optional.empty(), Optional.of(text));
    }

    /** What of a result does not satisfy the schema, on one line; empty if nothing. */
    Optional<String> wrong(JsonNode result) {
      return schema
          .map(json -> JsonSchemaProvider.installed().violations(json, result))
          .filter(lines -> !lines.isEmpty())
          .map(lines -> "the result does not fit: " + String.join("; ", lines));
    }
  }

  /** The defaults. */
  public static final PlanArgs NONE =
      new PlanArgs(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

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
    return new PlanArgs(Optional.of(other), rules, cacheTokens, completion, guardrails);
  }

  public PlanArgs rules(Rules other) {
    return new PlanArgs(planner, Optional.of(other), cacheTokens, completion, guardrails);
  }

  public PlanArgs cacheTokens(long tokens) {
    return new PlanArgs(planner, rules, Optional.of(tokens), completion, guardrails);
  }

  public PlanArgs completion(Completion other) {
    return new PlanArgs(planner, rules, cacheTokens, Optional.of(other), guardrails);
  }

  public PlanArgs guardrails(Blueprint... all) {
    return new PlanArgs(planner, rules, cacheTokens, completion, Optional.of(List.of(all)));
  }
}
