package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.inference.ToolCall;
import dev.colony.library.policy.MinimalActionPolicy.PlannerNotes;
import dev.colony.library.policy.ModelPlanner.Proposal;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.ReplyFields.Misread;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Reads the calls of a model that plans. The action that a call names is looked up first; then its
 * parameters are held against that action's schema alone, with the references in them resolved.
 *
 * @param result JSON schema of what a run gives
 * @param resolve puts values in the place of references
 * @param first number of the first action of the reply; a reference to an action that stands before
 *     another one in the same reply is checked when that is done
 */
record ProposalReading(
    ActionTools actions, JsonNode result, UnaryOperator<JsonNode> resolve, int first) {

  private static final int ERROR_CHARS = 600;
  private static final int SIMILAR = 4;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The call of an action whose parameters the model has not been shown. */
  private static final class Unfilled extends Exception {

    private static final long serialVersionUID = 1L;
    private final transient Read.Chosen chosen;

    Unfilled(ActionDescription action, Optional<String> wrong) {
      super(action.key(), null, false, false);
      this.chosen = new Read.Chosen(action, wrong);
    }
  }

  sealed interface Read {

    record Steps(List<Proposal.Step> actions, Optional<Proposal.End> end) implements Read {}

    /** Groups whose actions the model has to be shown. */
    record Asked(Set<String> groups) implements Read {}

    /**
     * An action of which the model has to be shown what it takes.
     *
     * @param wrong what does not fit of the parameters that it gave; empty where it gave none
     */
    record Chosen(ActionDescription action, Optional<String> wrong) implements Read {}
  }

  /**
   * What the calls say.
   *
   * @param shown the action whose parameters the model has been shown, where there are many
   */
  Reading<Read> read(List<ToolCall> calls, Optional<ActionDescription> shown) {
    List<Proposal.Step> steps = new ArrayList<>();
    Optional<Proposal.End> end = Optional.empty();
    try {
      for (ToolCall call : calls) {
        Optional<String> wrong = actions.wrong(call.name(), call.arguments());
        if (wrong.isPresent()) {
          throw new Misread(wrong.get());
        }
      }
      if (actions.grouped() && calls.getFirst().name().equals(ActionTools.SHOW)) {
        return new Reading.Good<>(new Read.Asked(groups(calls.getFirst())));
      }
      for (ToolCall call : calls) {
        if (end.isPresent()) {
          throw new Misread("nothing may stand behind a call that ends: " + call.name());
        }
        switch (call.name()) {
          case ActionTools.COMPLETE -> end = Optional.of(complete(call.arguments(), steps.size()));
          case ActionTools.IDLE -> end = Optional.of(new Proposal.End.Idle());
          case ActionTools.FAIL ->
              end =
                  Optional.of(
                      new Proposal.End.GiveUp(
                          JsonPreview.cut(
                              call.arguments().path("reason").asText("no reason given"),
                              ERROR_CHARS)));
          default -> steps.add(step(call, shown, steps.size()));
        }
      }
    } catch (Unfilled many) {
      return new Reading.Good<>(many.chosen);
    } catch (Misread misread) {
      return new Reading.Wrong<>(JsonPreview.cut(misread.getMessage(), ERROR_CHARS));
    }
    return new Reading.Good<>(new Read.Steps(steps, end));
  }

  private Set<String> groups(ToolCall call) throws Misread {
    Set<String> groups = new LinkedHashSet<>();
    call.arguments().path("groups").forEach(one -> groups.add(one.asText()));
    for (String group : groups) {
      if (!actions.groups().contains(group)) {
        throw new Misread(
            "there is no group `%s`, only %s"
                .formatted(JsonPreview.cut(group, 100), String.join(", ", actions.groups())));
      }
    }
    if (groups.isEmpty()) {
      throw new Misread("`" + ActionTools.SHOW + "` needs `groups`, at least one");
    }
    return groups;
  }

  private Proposal.Step step(ToolCall call, Optional<ActionDescription> shown, int before)
      throws Misread, Unfilled {
    boolean take = actions.many() && call.name().equals(ActionTools.TAKE);
    String name = take ? call.arguments().path("action").asText("") : call.name();
    JsonNode given = take ? call.arguments().path("parameters") : call.arguments();
    ActionDescription action = actions.action(name).orElseThrow(() -> new Misread(unknown(name)));
    JsonNode params = given.isMissingNode() || given.isNull() ? JSON.objectNode() : given;
    Optional<String> wrong = wrong(actions.name(action.key()), action.parameters(), params, before);
    if (wrong.isEmpty()) {
      return new Proposal.Step(action.key(), (ObjectNode) params);
    }
    boolean seen = shown.filter(one -> one.key().equals(action.key())).isPresent();
    if (take && !seen) {
      throw new Unfilled(action, params.isEmpty() ? Optional.empty() : wrong);
    }
    throw new Misread(wrong.get());
  }

  private Proposal.End complete(JsonNode arguments, int before) throws Misread {
    ObjectNode schema = JSON.objectNode().put("type", "object");
    schema.putObject("properties").set("result", JSON.objectNode());
    schema.putArray("required").add("result");
    Optional<String> wrong = wrong(ActionTools.COMPLETE, schema, arguments, before);
    if (wrong.isEmpty()) {
      wrong = resultWrong(arguments.get("result"), before);
    }
    if (wrong.isPresent()) {
      throw new Misread(wrong.get());
    }
    List<String> learned =
        arguments
            .path("learned")
            .valueStream()
            .filter(JsonNode::isTextual)
            .map(JsonNode::textValue)
            .toList();
    return new Proposal.End.Complete(
        arguments.get("result"), ReplyFields.map(arguments.path("exports")), learned);
  }

  private Optional<String> resultWrong(JsonNode given, int before) throws Misread {
    if (pending(given, before)) {
      return Optional.empty();
    }
    JsonNode value = resolved(ActionTools.COMPLETE, given);
    List<String> lines =
        result.isEmpty() ? List.of() : JsonSchemaCheck.of(result).violations(value);
    return lines.isEmpty()
        ? Optional.empty()
        : Optional.of("the result of `complete` does not fit: " + String.join("; ", lines));
  }

  /** What is wrong with parameters, in words that say how they have to be; empty if nothing is. */
  private Optional<String> wrong(String name, JsonNode schema, JsonNode params, int before)
      throws Misread {
    if (!params.isObject()) {
      return Optional.of("the arguments of `" + name + "` must be an object");
    }
    List<String> wrong = new ArrayList<>();
    for (String required : SchemaWords.required(schema)) {
      if (!params.has(required)) {
        wrong.add(
            "`%s` needs `%s` (%s), which is missing"
                .formatted(name, required, SchemaWords.type(schema, required)));
      }
    }
    JsonNode properties = schema.path("properties");
    if (SchemaWords.closed(schema)) {
      List<String> names = properties.properties().stream().map(Map.Entry::getKey).toList();
      params
          .properties()
          .forEach(one -> {
            if (!names.contains(one.getKey())) {
              wrong.add(
                  "`%s` has no `%s`%s"
                      .formatted(
                          name,
                          one.getKey(),
                          names.isEmpty()
                              ? ", it takes nothing"
                              : ", only " + String.join(", ", names)));
            }
          });
    }
    if (!wrong.isEmpty() || pending(params, before) || !schema.isObject()) {
      return wrong.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", wrong));
    }
    List<String> lines = JsonSchemaCheck.of(schema).violations(resolved(name, params));
    return lines.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the arguments of `%s` do not fit: %s. It takes %s"
                .formatted(name, String.join("; ", lines), SchemaWords.parameters(schema)));
  }

  private JsonNode resolved(String name, JsonNode value) throws Misread {
    try {
      return resolve.apply(value);
    } catch (AgentException missing) {
      throw new Misread("in the arguments of `" + name + "`: " + missing.getMessage());
    }
  }

  /**
   * Whether a value refers to what one of the actions before it in the same reply gives, or to what
   * a child exports that one of them may spawn or await.
   */
  private boolean pending(JsonNode value, int before) {
    if (!value.isTextual()) {
      return value.valueStream().anyMatch(one -> pending(one, before));
    }
    Optional<Ref> ref = Ref.parse(value.textValue());
    if (ref.isPresent() && ref.get().kind() == Ref.Kind.CHILDREN) {
      return before > 0;
    }
    return ref.isPresent()
        && ref.get().kind() == Ref.Kind.RESULTS
        && IntStream.range(first, first + before)
            .mapToObj(PlannerNotes::actionId)
            .anyMatch(id -> ref.get().name().equals(id) || ref.get().name().startsWith(id + "."));
  }

  private String unknown(String name) {
    List<String> names = actions.names();
    List<String> alike = actions.alike(name);
    List<String> similar =
        alike.isEmpty()
            ? names.stream().filter(one -> similar(one, name)).limit(SIMILAR).toList()
            : alike;
    return "there is no action `%s`; %s"
        .formatted(
            JsonPreview.cut(name, 100),
            similar.isEmpty()
                ? "there are: " + String.join(", ", names)
                : "did you mean " + String.join(" or ", similar) + "?");
  }

  private static boolean similar(String one, String other) {
    for (String word : other.toLowerCase(Locale.ROOT).split("[^a-z0-9]+")) {
      if (word.length() > 3 && one.toLowerCase(Locale.ROOT).contains(word)) {
        return true;
      }
    }
    return false;
  }
}
