package dev.colony.library.plan;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.author.JsonSchemaCheck;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * One action of a plan, as a planner wrote it.
 *
 * @param name 1 to 20 characters of {@code [A-Za-z0-9_-]}; another action of the same level may
 *     take it again once this one failed, was dropped or was undone
 * @param expects what is expected of the output
 * @param pages ids of the pages that it reads, in any order
 * @param costTokens what the planner thinks that it costs; 0 for unknown
 * @param undo what takes its effect back; empty if nothing does
 * @param after names of actions of the same level that have to be done before; those whose results
 *     the parameters refer to need not be named
 * @param aggregates whether it sums up the other actions of its level
 */
public record PlanAction(
    String name,
    Work work,
    Expectation expects,
    List<String> pages,
    long costTokens,
    Optional<Call> undo,
    List<String> after,
    boolean aggregates) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,20}");

  /** What an action does. */
  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Call.class, name = "call"),
    @JsonSubTypes.Type(value = SubPlan.class, name = "sub-plan")
  })
  public sealed interface Work {}

  /**
   * An action that a capability executes.
   *
   * @param params may hold references to results and variables of this level and those above
   */
  public record Call(String key, JsonNode params) implements Work {
    public Call {
      Objects.requireNonNull(key, "key");
      params = params == null ? JsonNodeFactory.instance.objectNode() : params;
    }
  }

  /**
   * A goal for which a plan is made when its turn comes.
   *
   * @param input what it starts from, which may hold references; JSON null for nothing
   * @param delegate the kind of child agent that is to reach it; empty for the agent itself
   */
  public record SubPlan(String goal, JsonNode input, Optional<String> delegate) implements Work {
    public SubPlan {
      Objects.requireNonNull(goal, "goal");
      input = input == null ? JsonNodeFactory.instance.nullNode() : input;
      Objects.requireNonNull(delegate, "delegate");
    }
  }

  public PlanAction {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "an action's name is 1 to 20 characters of A-Z a-z 0-9 _ -, not: " + name);
    }
    Objects.requireNonNull(work, "work");
    Objects.requireNonNull(expects, "expects");
    Objects.requireNonNull(undo, "undo");
    pages = pages.stream().distinct().toList();
    after = List.copyOf(after);
    if (costTokens < 0) {
      throw new IllegalArgumentException("a cost is 0 or more tokens, not " + costTokens);
    }
  }

  /** A call that expects nothing, needs no pages and waits for nothing but what it refers to. */
  public static PlanAction call(String name, String key, JsonNode params) {
    return of(name, new Call(key, params));
  }

  /** A goal that the agent reaches by a plan of its own. */
  public static PlanAction subPlan(String name, String goal) {
    return of(name, new SubPlan(goal, null, Optional.empty()));
  }

  private static PlanAction of(String name, Work work) {
    return new PlanAction(
        name, work, Expectation.NONE, List.of(), 0, Optional.empty(), List.of(), false);
  }

  public PlanAction expects(Expectation what) {
    return new PlanAction(name, work, what, pages, costTokens, undo, after, aggregates);
  }

  public PlanAction pages(List<String> ids) {
    return new PlanAction(name, work, expects, ids, costTokens, undo, after, aggregates);
  }

  public PlanAction undo(Call call) {
    return new PlanAction(
        name, work, expects, pages, costTokens, Optional.of(call), after, aggregates);
  }

  public PlanAction after(String... names) {
    return new PlanAction(name, work, expects, pages, costTokens, undo, List.of(names), aggregates);
  }

  public PlanAction aggregating() {
    return new PlanAction(name, work, expects, pages, costTokens, undo, after, true);
  }

  /** Whether a plan of its own is made for it by the agent or by a child of it. */
  boolean composite() {
    return work instanceof SubPlan;
  }

  /**
   * What a planner expects of an action's output. The words are for the planner itself, which is
   * shown them beside what came when it revises; the rest is held without asking a model.
   *
   * @param words a sentence; empty for none
   * @param schema JSON schema that the output satisfies
   * @param equal values by where they stand in the output, fields and element numbers joined by
   *     dots
   */
  public record Expectation(String words, Optional<JsonNode> schema, Map<String, JsonNode> equal) {

    public static final Expectation NONE = new Expectation("", Optional.empty(), Map.of());

    public Expectation {
      Objects.requireNonNull(words, "words");
      // What is absent is read as JSON null.
      schema = schema.filter(json -> !json.isNull());
      equal = Map.copyOf(equal);
    }

    /**
     * What of an output is not as expected, on one line; empty if nothing is, or nothing was said
     * that can be held.
     *
     * @throws IllegalArgumentException if the schema is none
     */
    public Optional<String> deviation(JsonNode output) {
      if (schema.isPresent()) {
        List<String> wrong = JsonSchemaCheck.of(schema.get()).violations(output);
        if (!wrong.isEmpty()) {
          return Optional.of(String.join("; ", wrong));
        }
      }
      for (Map.Entry<String, JsonNode> one : new TreeMap<>(equal).entrySet()) {
        JsonNode found = at(output, one.getKey());
        if (!same(found, one.getValue())) {
          return Optional.of(
              "%s is %s, not %s"
                  .formatted(
                      one.getKey().isEmpty() ? "the output" : one.getKey(),
                      found.isMissingNode() ? "missing" : found,
                      one.getValue()));
        }
      }
      return Optional.empty();
    }

    /** Whether anything can be held without asking a model. */
    public boolean checkable() {
      return schema.isPresent() || !equal.isEmpty();
    }

    /** Numbers by their value: models write 3 for 3.0. */
    private static boolean same(JsonNode left, JsonNode right) {
      return left.isNumber() && right.isNumber()
          ? left.decimalValue().compareTo(right.decimalValue()) == 0
          : left.equals(right);
    }

    private static JsonNode at(JsonNode value, String path) {
      JsonNode at = value;
      if (path.isEmpty()) {
        return at;
      }
      for (String step : path.split("\\.", -1)) {
        at =
            at.isArray() && step.matches("\\d{1,9}")
                ? at.path(Integer.parseInt(step))
                : at.path(step);
      }
      return at;
    }
  }
}
