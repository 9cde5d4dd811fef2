package dev.colony.code;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.CompiledSchema;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

sealed interface CodeReply {

  /**
   * Execute a cell.
   *
   * @param toolCallId by which the model has asked for it; empty where it has written it as text
   */
  record Run(String source, Optional<String> toolCallId) implements CodeReply {}

  /**
   * The goals are reached.
   *
   * @param result in which {@code $name} refers to a variable
   */
  record Complete(JsonNode result) implements CodeReply {}

  record Idle() implements CodeReply {}

  /** The goals cannot be reached. */
  record GiveUp(String reason) implements CodeReply {}

  /**
   * It says nothing that can be done.
   *
   * @param why on one line for the model
   */
  record Unusable(String why) implements CodeReply {}

  String RUN = "run_cell";
  String COMPLETE = "complete";
  String IDLE = "idle";
  String FAIL = "fail";

  int REASON_CHARS = 1_000;

  /** Of a cell, at most. */
  int SOURCE_CHARS = 20_000;

  /** How much longer a cell is in JSON, and what may stand around it. */
  int ESCAPED = 6;

  int AROUND = 20_000;

  Pattern FENCE =
      Pattern.compile("```[ \\t]*([A-Za-z]*)[ \\t]*\\r?\\n(.*?)(?:\\r?\\n)?```", Pattern.DOTALL);

  /**
   * What a model can ask for, where its server has tools.
   *
   * @param result JSON schema of what the run gives
   */
  static List<Tool> tools(JsonNode result) {
    ObjectNode code = JsonNodeFactory.instance.objectNode().put("type", "string");
    code.put("description", "JavaScript");
    ObjectNode reason = JsonNodeFactory.instance.objectNode().put("type", "string");
    return List.of(
        new Tool(RUN, "Executes a cell of JavaScript and shows what it prints.", one("code", code)),
        new Tool(COMPLETE, "Ends the run: the goals are reached.", one("result", result)),
        new Tool(IDLE, "Waits until something happens.", object()),
        new Tool(FAIL, "Ends the run: the goals cannot be reached.", one("reason", reason)));
  }

  private static ObjectNode object() {
    ObjectNode object = JsonNodeFactory.instance.objectNode().put("type", "object");
    object.putObject("properties");
    return object.put("additionalProperties", false);
  }

  private static ObjectNode one(String name, JsonNode schema) {
    ObjectNode object = object();
    object
        .withObject("/properties")
        .set(name, CompiledSchema.below("/properties/" + name, schema.deepCopy()));
    object.putArray("required").add(name);
    return object;
  }

  /** Reads a reply. Whatever it is, it throws nothing. */
  static CodeReply read(InferenceReply reply) {
    if (reply.toolCalls().isEmpty()) {
      return read(reply.text());
    }
    ToolCall call = reply.toolCalls().getFirst();
    CodeReply read = read(call.name(), call.arguments(), Optional.of(call.id()));
    return bounded(read);
  }

  /** What the model says beside its cell or its end; empty if nothing. */
  static String said(InferenceReply reply) {
    String beside =
        reply.toolCalls().isEmpty() ? FENCE.matcher(reply.text()).replaceAll("") : reply.text();
    String said = beside.strip();
    return said.isEmpty() || said.startsWith("{") ? reply.reasoning().strip() : said;
  }

  static CodeReply read(String text) {
    if (text.length() > SOURCE_CHARS * ESCAPED + AROUND) {
      return tooLong(text.length());
    }
    Matcher fence = FENCE.matcher(text);
    StringBuilder source = new StringBuilder();
    while (fence.find()) {
      String language = fence.group(1).toLowerCase(Locale.ROOT);
      if (language.equals("json")) {
        continue;
      }
      source.append(source.isEmpty() ? "" : "\n").append(fence.group(2));
    }
    if (!source.isEmpty()) {
      return bounded(new Run(source.toString(), Optional.empty()));
    }
    String json = text.strip();
    Matcher only = FENCE.matcher(json);
    json = only.find() ? only.group(2).strip() : json;
    if (!json.startsWith("{")) {
      return new Unusable(
          "it holds neither a cell between ```js and ``` nor {\"end\": ...} as a JSON object");
    }
    try {
      JsonNode tree = JsonValues.parse(json);
      Optional<String> unknown = unknown(tree);
      if (unknown.isPresent()) {
        return new Unusable(unknown.get());
      }
      if (tree.path("code").isTextual()) {
        return bounded(new Run(tree.get("code").textValue(), Optional.empty()));
      }
      return read(tree.path("end").asText(""), tree, Optional.empty());
    } catch (JsonProcessingException broken) {
      return new Unusable("it is not JSON: " + Text.message(broken.getOriginalMessage()));
    }
  }

  /** A field that neither a cell nor an end has. */
  private static Optional<String> unknown(JsonNode tree) {
    List<String> known =
        tree.has("code")
            ? List.of("code")
            : switch (tree.path("end").asText("")) {
              case COMPLETE -> List.of("end", "result");
              case FAIL -> List.of("end", "reason");
              default -> List.of("end");
            };
    return tree.properties().stream()
        .map(Map.Entry::getKey)
        .filter(field -> !known.contains(field))
        .findFirst()
        .map(field ->
            "unknown field \"%s\"; it has the fields %s"
                .formatted(Text.line(field, 100), String.join(", ", known)));
  }

  private static CodeReply read(String what, JsonNode given, Optional<String> toolCallId) {
    return switch (what) {
      case RUN ->
          given.path("code").isTextual()
              ? new Run(given.get("code").textValue(), toolCallId)
              : new Unusable(RUN + " needs the text \"code\"");
      case COMPLETE ->
          given.has("result")
              ? new Complete(given.get("result"))
              : new Unusable("complete needs a \"result\"");
      case IDLE -> new Idle();
      case FAIL -> new GiveUp(Text.line(given.path("reason").asText(""), REASON_CHARS));
      default ->
          new Unusable("\"end\" is one of complete, idle and fail, not " + Text.line(what, 100));
    };
  }

  private static CodeReply bounded(CodeReply read) {
    if (!(read instanceof Run run)) {
      return read;
    }
    if (run.source().isBlank()) {
      return new Unusable("the cell is empty");
    }
    if (run.source().length() > SOURCE_CHARS) {
      return tooLong(run.source().length());
    }
    String wellFormed = Text.wellFormed(run.source());
    return new Run(wellFormed, run.toolCallId());
  }

  private static CodeReply tooLong(int chars) {
    return new Unusable(
        "it has %d characters, and a cell has %d at most: write shorter ones"
            .formatted(chars, SOURCE_CHARS));
  }
}
