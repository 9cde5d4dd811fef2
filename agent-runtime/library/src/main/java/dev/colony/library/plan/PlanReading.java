package dev.colony.library.plan;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.action.ActionDescription;
import dev.colony.agent.action.Ref;
import dev.colony.agent.author.JsonSchemaCheck;
import dev.colony.core.registry.FileProblems.CloseName;
import dev.colony.inference.ToolCall;
import dev.colony.library.plan.PlanAction.Expectation;
import dev.colony.library.plan.PlanQuestion.PlanReply;
import dev.colony.library.policy.JsonPreview;
import dev.colony.library.policy.ModelQuestion.Reading;
import dev.colony.library.policy.ReplyFields;
import dev.colony.library.policy.ReplyFields.Misread;
import dev.colony.library.policy.SchemaWords;
import dev.colony.vcm.PageId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads the calls of a model that plans, and says in the model's own words what is wrong with them.
 * Whatever they hold, nothing is thrown.
 *
 * @param tools that could be called
 * @param allowed those that answer the question
 * @param problems why a draft cannot be carried out
 */
record PlanReading(
    PlanTools tools, Set<String> allowed, Function<PlanDraft, List<String>> problems) {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Drafts besides the first. */
  private static final int MOST_ALTERNATIVES = 8;

  /** Of a goal, and of a question to the supervisor. */
  private static final int GOAL_CHARS = 4_000;

  /** Of what is expected of an action, in words. */
  private static final int WORDS_CHARS = 400;

  /** Of what is wrong with a reply, as the model is told. */
  private static final int ERROR_CHARS = 900;

  Reading<PlanReply> read(List<ToolCall> calls) {
    try {
      PlanReply first = reply(calls.getFirst());
      if (calls.size() == 1) {
        return new Reading.Good<>(first);
      }
      boolean completes =
          calls.size() == 2
              && first instanceof PlanReply.Plan
              && calls.get(1).name().equals(PlanTools.COMPLETE);
      if (!completes) {
        throw new Misread(
            "it calls %d tools; call one, and put all actions into one `plan`"
                .formatted(calls.size()));
      }
      return new Reading.Good<>(
          ending(
              (PlanReply.Plan) first,
              (PlanReply.Complete)
                  complete(fitting(PlanTools.COMPLETE, calls.get(1).arguments()))));
    } catch (Misread misread) {
      return new Reading.Wrong<>(JsonPreview.cut(misread.getMessage(), ERROR_CHARS));
    }
  }

  /** A plan with the completion that stands behind it. */
  private PlanReply ending(PlanReply.Plan plan, PlanReply.Complete complete) throws Misread {
    List<PlanDraft> drafts =
        plan.drafts().stream().map(draft -> draft.result(complete.result())).toList();
    checked(drafts);
    return new PlanReply.Plan(plan.mode(), drafts, plan.keep(), plan.backTo(), complete.closing());
  }

  private PlanReply reply(ToolCall call) throws Misread {
    String name = call.name();
    if (!tools.names().contains(name)) {
      throw new Misread(
          "there is no tool `%s`; actions go into `plan`, and the tools are %s"
              .formatted(JsonPreview.cut(name, 100), String.join(", ", tools.names())));
    }
    if (!allowed.contains(name)) {
      throw new Misread(
          "`%s` is no answer here; call one of %s"
              .formatted(
                  name,
                  String.join(", ", tools.names().stream().filter(allowed::contains).toList())));
    }
    JsonNode arguments = call.arguments();
    if (!arguments.isObject()) {
      throw new Misread("the arguments of `" + name + "` must be an object");
    }
    fitting(name, arguments);
    return switch (name) {
      case PlanTools.PLAN -> plan(arguments);
      case PlanTools.GO_ON -> new PlanReply.GoOn();
      case PlanTools.ESCALATE ->
          new PlanReply.Escalate(JsonPreview.cut(text(arguments, "question", name), GOAL_CHARS));
      case PlanTools.COMPLETE -> complete(arguments);
      case PlanTools.IDLE -> new PlanReply.Idle();
      case PlanTools.SHOW -> show(arguments);
      default ->
          new PlanReply.GiveUp(
              JsonPreview.cut(arguments.path("reason").asText("no reason given"), ERROR_CHARS));
    };
  }

  private JsonNode fitting(String name, JsonNode arguments) throws Misread {
    Optional<String> wrong = ReplyFields.wrong(tools.schema(name), plain(arguments));
    if (wrong.isPresent()) {
      throw new Misread("`%s`: %s".formatted(name, wrong.get()));
    }
    return arguments;
  }

  /** With expectations that are nothing but words as such. */
  private static JsonNode plain(JsonNode arguments) {
    JsonNode plain = arguments.deepCopy();
    List<JsonNode> drafts = new ArrayList<>(plain.path("alternatives").valueStream().toList());
    drafts.add(plain);
    for (JsonNode draft : drafts) {
      for (JsonNode action : draft.path("actions")) {
        if (action instanceof ObjectNode one && one.path("expects").isTextual()) {
          one.remove("expects");
        }
      }
    }
    return plain;
  }

  private PlanReply show(JsonNode arguments) throws Misread {
    Set<String> wanted = new HashSet<>(texts(arguments, "groups", PlanTools.SHOW));
    wanted.retainAll(tools.groupNames());
    if (wanted.isEmpty()) {
      throw new Misread(
          "`groups` must name some of "
              + String.join(", ", tools.groupNames().stream().sorted().toList()));
    }
    return new PlanReply.Show(wanted);
  }

  private PlanReply complete(JsonNode arguments) throws Misread {
    if (!arguments.has("result")) {
      throw new Misread("`complete` needs `result`, which is missing");
    }
    return new PlanReply.Complete(
        arguments.get("result"),
        new PlanReply.Closing(
            ReplyFields.map(arguments.path("exports")),
            texts(arguments, "learned", PlanTools.COMPLETE)));
  }

  private PlanReply plan(JsonNode arguments) throws Misread {
    PlanReply.Mode mode = mode(arguments.path("mode").asText("revise"));
    String backTo = arguments.path("back_to").asText("");
    if (mode == PlanReply.Mode.BACKTRACK && backTo.isEmpty()) {
      throw new Misread("a plan that backtracks needs `back_to`, the name of an action");
    }
    List<PlanDraft> drafts = new ArrayList<>();
    drafts.add(draft(arguments, arguments));
    JsonNode alternatives = arguments.path("alternatives");
    if (alternatives.size() > MOST_ALTERNATIVES) {
      throw new Misread("at most " + MOST_ALTERNATIVES + " alternatives are read");
    }
    for (JsonNode one : alternatives) {
      drafts.add(draft(one, arguments));
    }
    checked(drafts);
    Set<String> keep = new HashSet<>(texts(arguments, "keep", PlanTools.PLAN));
    return new PlanReply.Plan(mode, drafts, keep, backTo, PlanReply.Closing.NONE);
  }

  private void checked(List<PlanDraft> drafts) throws Misread {
    List<String> wrong = new ArrayList<>();
    drafts.forEach(draft -> wrong.addAll(problems.apply(draft)));
    if (!wrong.isEmpty()) {
      throw new Misread("the plan cannot be carried out: " + String.join("; ", wrong));
    }
  }

  private static PlanReply.Mode mode(String word) throws Misread {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "revise" -> PlanReply.Mode.REVISE;
      case "add" -> PlanReply.Mode.ADD;
      case "backtrack" -> PlanReply.Mode.BACKTRACK;
      case "start_anew" -> PlanReply.Mode.START_ANEW;
      default ->
          throw new Misread(
              "`mode` is revise, add, backtrack or start_anew, not " + JsonPreview.cut(word, 60));
    };
  }

  private PlanDraft draft(JsonNode given, JsonNode common) throws Misread {
    if (!given.path("actions").isArray()) {
      throw new Misread("`plan` needs `actions`, a list");
    }
    List<PlanAction> actions = new ArrayList<>();
    for (JsonNode one : given.path("actions")) {
      actions.add(action(one));
    }
    return new PlanDraft(
        actions,
        ReplyFields.map(common.path("variables")),
        texts(common, "assumptions", PlanTools.PLAN),
        Optional.ofNullable(given.get("result")));
  }

  private PlanAction action(JsonNode given) throws Misread {
    if (!given.isObject()) {
      throw new Misread("an action of a plan is an object with `name`");
    }
    String name = given.path("name").asText("");
    boolean calls = given.hasNonNull("action");
    if (calls == given.hasNonNull("goal")) {
      throw new Misread("`%s` needs either `action` or `goal`".formatted(name));
    }
    try {
      return new PlanAction(
          name,
          calls ? call(name, given) : subPlan(name, given),
          expectation(name, given.path("expects")),
          pages(name, given),
          Math.max(0, given.path("cost").asLong(0)),
          given.hasNonNull("undo") ? Optional.of(call(name, given.get("undo"))) : Optional.empty(),
          texts(given, "after", name),
          given.path("aggregates").asBoolean(false));
    } catch (IllegalArgumentException refused) {
      throw new Misread(refused.getMessage());
    }
  }

  private PlanAction.Call call(String name, JsonNode given) throws Misread {
    String key = given.path("action").asText("");
    Optional<ActionDescription> action =
        tools.actions().stream().filter(one -> one.key().equals(key)).findFirst();
    if (action.isEmpty() && alike(key).size() == 1) {
      action = tools.actions().stream().filter(one -> CloseName.alike(one.key(), key)).findFirst();
    }
    if (action.isEmpty()) {
      throw new Misread("`%s`: %s".formatted(name, unknown(key)));
    }
    JsonNode params = given.path("parameters");
    JsonNode whole = params.isMissingNode() || params.isNull() ? JSON.objectNode() : params;
    List<String> wrong = wrong(action.get(), whole);
    if (!wrong.isEmpty()) {
      throw new Misread(
          "`%s`: %s. `%s` takes %s"
              .formatted(
                  name,
                  String.join("; ", wrong),
                  action.get().key(),
                  SchemaWords.parameters(action.get().parameters())));
    }
    return new PlanAction.Call(action.get().key(), whole);
  }

  /** Parameters with references in them are held against their schema when they are resolved. */
  private static List<String> wrong(ActionDescription action, JsonNode params) {
    JsonNode schema = action.parameters();
    if (!params.isObject()) {
      return List.of("`parameters` must be an object");
    }
    List<String> wrong = new ArrayList<>();
    for (String required : SchemaWords.required(schema)) {
      if (!params.has(required)) {
        wrong.add("`%s` (%s) is missing".formatted(required, SchemaWords.type(schema, required)));
      }
    }
    if (!wrong.isEmpty() || !(schema instanceof ObjectNode)) {
      return wrong;
    }
    ObjectNode known = JSON.objectNode();
    ObjectNode held = schema.deepCopy();
    ArrayNode required = JSON.arrayNode();
    params
        .properties()
        .forEach(one -> {
          if (refers(one.getValue())) {
            if (!schema.path("properties").has(one.getKey()) && SchemaWords.closed(schema)) {
              wrong.add("there is no `" + one.getKey() + "`");
            }
          } else {
            known.set(one.getKey(), one.getValue());
          }
        });
    SchemaWords.required(schema).stream().filter(known::has).forEach(required::add);
    held.set("required", required);
    wrong.addAll(JsonSchemaCheck.of(held).violations(known));
    return wrong;
  }

  private static boolean refers(JsonNode value) {
    return value.isTextual()
        ? Ref.parse(value.textValue()).isPresent()
        : value.valueStream().anyMatch(PlanReading::refers);
  }

  /** The keys that differ from one in nothing but how their parts are joined. */
  private List<String> alike(String key) {
    return tools.actions().stream()
        .map(ActionDescription::key)
        .filter(one -> CloseName.alike(one, key))
        .toList();
  }

  private String unknown(String key) {
    List<String> keys = tools.actions().stream().map(ActionDescription::key).toList();
    String last = key.substring(key.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    List<String> similar = new ArrayList<>(alike(key));
    keys.stream()
        .filter(one -> !last.isEmpty() && one.toLowerCase(Locale.ROOT).contains(last))
        .filter(one -> !similar.contains(one))
        .limit(Math.max(0, 4 - similar.size()))
        .forEach(similar::add);
    return "there is no action `%s`; %s"
        .formatted(
            JsonPreview.cut(key, 100),
            similar.isEmpty()
                ? "there are " + String.join(", ", keys)
                : "did you mean " + String.join(" or ", similar) + "?");
  }

  private PlanAction.SubPlan subPlan(String name, JsonNode given) throws Misread {
    Optional<String> delegate =
        Optional.of(given.path("delegate").asText("")).filter(kind -> !kind.isEmpty());
    if (delegate.isPresent() && !tools.delegates()) {
      throw new Misread("`%s`: you have no agents to delegate to".formatted(name));
    }
    return new PlanAction.SubPlan(
        JsonPreview.cut(given.path("goal").asText(""), GOAL_CHARS), given.get("input"), delegate);
  }

  private Expectation expectation(String name, JsonNode given) throws Misread {
    if (given.isTextual()) {
      return new Expectation(
          JsonPreview.cut(given.textValue(), WORDS_CHARS), Optional.empty(), Map.of());
    }
    Optional<JsonNode> schema = Optional.ofNullable(given.get("schema"));
    if (schema.isPresent()) {
      try {
        JsonSchemaCheck.of(schema.get());
      } catch (IllegalArgumentException none) {
        throw new Misread("`%s`: expects.schema: %s".formatted(name, none.getMessage()));
      }
    }
    return new Expectation(
        JsonPreview.cut(given.path("words").asText(""), WORDS_CHARS),
        schema,
        ReplyFields.map(given.path("equal")));
  }

  private static List<String> pages(String name, JsonNode given) throws Misread {
    List<String> pages = texts(given, "pages", name);
    for (String page : pages) {
      try {
        new PageId(page);
      } catch (IllegalArgumentException none) {
        throw new Misread("`%s`: %s".formatted(name, none.getMessage()));
      }
    }
    return pages;
  }

  private static String text(JsonNode given, String field, String of) throws Misread {
    if (!given.path(field).isTextual()) {
      throw new Misread("`%s` needs `%s`, a text".formatted(of, field));
    }
    return given.path(field).textValue();
  }

  private static List<String> texts(JsonNode given, String field, String of) throws Misread {
    List<String> texts = new ArrayList<>();
    JsonNode list = given.path(field);
    if (list.isTextual()) {
      return List.of(list.textValue());
    }
    for (JsonNode one : list) {
      if (!one.isTextual()) {
        throw new Misread("`%s` of `%s` must be a list of texts".formatted(field, of));
      }
      texts.add(one.textValue());
    }
    return texts;
  }
}
