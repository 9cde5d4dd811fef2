package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.ToolChoice;
import dev.colony.inference.provider.Dialect.JsonMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a call demands of its reply, in a server's dialect: what is sent to have it, and how what
 * comes is brought to the form that the caller asked for.
 *
 * <p>Where the server has no tools of its own, they are described in the preamble, and the model
 * replies with one JSON object: {@code {"tool": NAME, "arguments": {...}}} or {@code {"reply":
 * ...}}; where the caller checks the calls, {@code {"say": ..., "calls": [{"tool": NAME,
 * "arguments": {...}}, ...]}}. Such an object is read as calls also where a server that has tools
 * gives it as text.
 */
final class ReplyContract {

  /** What a schema is called where it needs a name, as a format or as a tool. */
  static final String NAME = "reply";

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  static final String TOOL = "tool";
  static final String ARGUMENTS = "arguments";
  static final String CALLS = "calls";
  static final String SAY = "say";

  /**
   * What the server is to hold the reply to.
   *
   * @param schema empty for any JSON object
   */
  record Format(Optional<JsonNode> schema, boolean strict) {}

  /** How a reply was found. */
  sealed interface Reading {

    /** As it has to be. */
    record Good(String text, List<ToolCall> toolCalls) implements Reading {}

    /**
     * Not as it has to be.
     *
     * @param why on one line, for the model to read
     */
    record Wrong(String why) implements Reading {}
  }

  private final ReplyForm form;
  private final Dialect dialect;

  /** What the text must satisfy; with tools by prompt, the choice between them and a reply. */
  private final Optional<JsonNode> schema;

  /** Whether the schema is that of an object whose only property is the value that is meant. */
  private final boolean wrapped;

  private final Optional<StrictSchema> strict;

  ReplyContract(ReplyForm form, Dialect dialect) {
    this.form = form;
    this.dialect = dialect;
    Optional<JsonNode> own =
        listed()
            ? Optional.of(ToolSchemas.calls(form))
            : prompted() ? Optional.of(ToolSchemas.choice(form)) : form.schema();
    this.wrapped = own.filter(one -> dialect.json() != JsonMode.PROMPT && !object(one)).isPresent();
    this.schema = own.map(one -> wrapped ? ToolSchemas.wrap(one) : one);
    this.strict =
        dialect.json() == JsonMode.STRICT && !listed()
            ? schema.flatMap(StrictSchema::tried)
            : Optional.empty();
  }

  Dialect dialect() {
    return dialect;
  }

  /** Whether tools are described in the prompt. */
  boolean prompted() {
    return !dialect.tools() && !form.tools().isEmpty();
  }

  /** Whether calls are a list in the text, of which the caller says what is wrong. */
  private boolean listed() {
    return prompted() && form.callCheck().isPresent();
  }

  /** Whether the reply is asked for as the arguments of a tool. */
  boolean asTool() {
    return dialect.json() == JsonMode.TOOL && schema.isPresent();
  }

  /** Hands parts on, those of a reply that is asked for as a tool's arguments as its text. */
  Consumer<InferenceDelta> parts(Consumer<InferenceDelta> to) {
    return !asTool()
        ? to
        : part ->
            to.accept(
                part instanceof InferenceDelta.ToolArguments more && more.name().equals(NAME)
                    ? new InferenceDelta.Text(more.arguments())
                    : part);
  }

  /** Whether the text that the server writes is that of the reply. */
  boolean verbatim() {
    return schema.isEmpty();
  }

  /** Whether what the model writes is not what the caller asked for, but stands for it. */
  boolean rewritten() {
    return !listed() && (prompted() || wrapped || strict.isPresent());
  }

  /** Whether what is meant is a property of an object. */
  boolean wrapped() {
    return wrapped;
  }

  /** Whether the caller asked for text of no form. */
  boolean freeText() {
    return form.schema().isEmpty();
  }

  /** The tools that are sent as such. */
  List<Tool> tools() {
    List<Tool> tools = new ArrayList<>(prompted() ? List.of() : form.tools());
    if (asTool()) {
      tools.add(new Tool(NAME, "Gives the reply.", schema.get()));
    }
    tools.replaceAll(one ->
        new Tool(
            one.name(),
            one.description(),
            SchemaKeywords.held(one.parameters(), dialect.omitted())));
    return tools;
  }

  ToolChoice toolChoice() {
    if (!asTool()) {
      return form.toolChoice();
    }
    return form.tools().isEmpty() || prompted()
        ? new ToolChoice.Named(NAME)
        : form.toolChoice() instanceof ToolChoice.Auto ? ToolChoice.REQUIRED : form.toolChoice();
  }

  Optional<Format> format() {
    return schema.flatMap(one -> {
      Optional<JsonNode> sent = Optional.of(SchemaKeywords.held(one, dialect.omitted()));
      return switch (dialect.json()) {
        case STRICT ->
            Optional.of(
                new Format(strict.map(StrictSchema::schema).or(() -> sent), strict.isPresent()));
        case LAX, OBJECT_SCHEMA -> Optional.of(new Format(sent, false));
        case OBJECT -> Optional.of(new Format(Optional.empty(), false));
        case TOOL, PROMPT -> Optional.empty();
      };
    });
  }

  /** What stands after the preamble; the same for the same tools. */
  String preambleNote() {
    if (!prompted()) {
      return "";
    }
    StringBuilder note = new StringBuilder("You can have these tools called:\n");
    for (Tool tool : form.tools()) {
      note.append("- ")
          .append(tool.name())
          .append(": ")
          .append(HttpExchanges.oneLine(tool.description()))
          .append(" Arguments: ")
          .append(tool.parameters())
          .append('\n');
    }
    return note.append(
            listed()
                ? "Reply with one JSON object and nothing else, without a Markdown fence: {\"say\":"
                    + " why, in a sentence, \"calls\": [{\"tool\": NAME, \"arguments\": {...}},"
                    + " ...]}. Each call is made in the order of the list."
                : "To have one called, reply {\"tool\": NAME, \"arguments\": {...}}.")
        .toString();
  }

  /** What stands after the last message; empty where the server holds the reply to the schema. */
  String note() {
    Set<JsonMode> byPrompt = Set.of(JsonMode.OBJECT_SCHEMA, JsonMode.OBJECT, JsonMode.PROMPT);
    boolean told = !listed() && byPrompt.contains(dialect.json());
    return schema
        .filter(one -> told)
        .map(one ->
            "Reply with nothing but JSON that satisfies this JSON schema, without a Markdown"
                + " fence:\n"
                + one)
        .orElse("");
  }

  /** The messages of a conversation, with tool calls as text where the server has no tools. */
  List<ChatMessage> rendered(List<ChatMessage> messages) {
    if (dialect.tools()) {
      return messages;
    }
    List<ChatMessage> plain = new ArrayList<>();
    for (ChatMessage message : messages) {
      plain.add(
          switch (message) {
            case ChatMessage.User user -> user;
            case ChatMessage.Instruction instruction -> instruction;
            case ChatMessage.ToolResult result ->
                new ChatMessage.User(
                    "Result of tool call " + result.callId() + ":\n" + result.text());
            case ChatMessage.Assistant said when said.toolCalls().isEmpty() -> said;
            case ChatMessage.Assistant said -> new ChatMessage.Assistant(asText(said), List.of());
          });
    }
    return plain;
  }

  private static String asText(ChatMessage.Assistant said) {
    StringBuilder text = new StringBuilder(said.text());
    for (ToolCall call : said.toolCalls()) {
      ObjectNode json = JSON.objectNode().put(TOOL, call.name());
      json.set(ARGUMENTS, call.arguments());
      text.append(text.isEmpty() ? "" : "\n").append(json);
    }
    return text.toString();
  }

  /** Brings a reply to the form that the caller asked for. */
  Reading read(ReplyBuilder reply, String callId) {
    List<ToolCall> calls = new ArrayList<>();
    String text = reply.text();
    boolean replied = false;
    for (ToolCallAssembly.Call call : reply.calls()) {
      if (asTool() && call.name().equals(NAME)) {
        if (replied && !text.equals(call.arguments())) {
          return new Reading.Wrong("it gives more than one " + NAME);
        }
        replied = true;
        text = call.arguments();
      } else {
        Optional<Tool> tool = tool(call.name());
        if (tool.isEmpty() && form.callCheck().isEmpty()) {
          return new Reading.Wrong("there is no tool \"" + call.name() + "\"");
        }
        String written = call.arguments().isBlank() ? "{}" : call.arguments();
        Optional<JsonNode> arguments = JsonInText.whole(written.strip()).map(JsonInText::object);
        Optional<String> wrong =
            arguments.isEmpty()
                ? Optional.of(HttpExchanges.oneLine(JsonInText.error(written)))
                : form.callCheck().isPresent()
                    ? Optional.empty()
                    : new ReplySchema(tool.orElseThrow().parameters()).errors(arguments.get());
        if (wrong.isPresent()) {
          return new Reading.Wrong(
              "the arguments of " + call.name() + " are not as they have to be: " + wrong.get());
        }
        calls.add(new ToolCall(id(call, callId, reply.calls()), call.name(), arguments.get()));
      }
    }
    if (form.callCheck().isPresent()) {
      return calls.isEmpty() ? written(text, callId) : checked(text, calls);
    }
    return calls.isEmpty() ? text(text, callId) : new Reading.Good(text, calls);
  }

  private Reading checked(String text, List<ToolCall> calls) {
    return form.callCheck()
        .orElseThrow()
        .apply(calls)
        .<Reading>map(Reading.Wrong::new)
        .orElseGet(() -> new Reading.Good(text, calls));
  }

  /** Calls that stand in the text, as one object or as a list of them. */
  private Reading written(String text, String callId) {
    for (JsonNode value : JsonInText.values(text)) {
      JsonNode list = value.isArray() ? value : value.path(CALLS);
      List<ToolCall> calls = new ArrayList<>();
      for (JsonNode one : list.isArray() ? list : JSON.arrayNode().add(value)) {
        String name = one.path(TOOL).asText(one.path("name").asText(""));
        if (!name.isEmpty()) {
          JsonNode arguments = one.has(ARGUMENTS) ? one.get(ARGUMENTS) : one.path("parameters");
          calls.add(new ToolCall(callId + "-" + calls.size(), name, JsonInText.object(arguments)));
        }
      }
      if (!calls.isEmpty()) {
        return checked(value.path(SAY).asText(""), calls);
      }
    }
    Reading plain = prompted() ? new Reading.Wrong("it calls no tool") : text(text, callId);
    boolean none = plain instanceof Reading.Wrong && JsonInText.values(text).isEmpty();
    // Calls that were meant as such, but are broken.
    boolean broken = prompted() && text.contains("{") && JsonInText.whole(text.strip()).isEmpty();
    return broken
        ? new Reading.Wrong(HttpExchanges.oneLine(JsonInText.error(text)))
        : none ? new Reading.Wrong("it calls no tool") : plain;
  }

  /** One that no other call of the reply has. */
  static String id(ToolCallAssembly.Call call, String callId, List<ToolCallAssembly.Call> all) {
    String id = call.id().isEmpty() ? callId + "-" + call.index() : call.id();
    while (call.id().isEmpty() && taken(id, all)) {
      id += "-made";
    }
    return id;
  }

  private static boolean taken(String id, List<ToolCallAssembly.Call> all) {
    return all.stream().anyMatch(one -> one.id().equals(id));
  }

  Optional<Tool> tool(String name) {
    return form.tools().stream().filter(one -> one.name().equals(name)).findFirst();
  }

  /** Reads a reply that is text. */
  Reading text(String text, String callId) {
    if (schema.isEmpty()) {
      boolean must =
          form.toolChoice() instanceof ToolChoice.Required
              || form.toolChoice() instanceof ToolChoice.Named;
      return must ? new Reading.Wrong("it calls no tool") : checked(text);
    }
    List<JsonNode> values = JsonInText.values(text);
    Optional<String> first = Optional.empty();
    ReplySchema required = new ReplySchema(schema.get());
    for (JsonNode value : values) {
      JsonNode restored = restored(value);
      Optional<String> wrong = required.errors(restored);
      if (wrong.isPresent() && wrapped) {
        // A server that does not decode by the schema has the model write what is meant.
        ObjectNode meant = JSON.objectNode();
        meant.set(NAME, restored);
        restored = required.errors(meant).isEmpty() ? meant : restored;
        wrong = required.errors(restored);
      }
      if (wrong.isEmpty()) {
        return prompted() ? chosen(restored, callId) : json(unwrapped(restored), values, text);
      }
      first = first.isPresent() ? first : wrong;
    }
    return new Reading.Wrong(first.orElseGet(() -> HttpExchanges.oneLine(JsonInText.error(text))));
  }

  /** A value that the strict schema allows, as the schema has it. */
  JsonNode restored(JsonNode value) {
    return strict.map(one -> one.restore(value)).orElse(value);
  }

  /** A text that is JSON as a whole and needs no change is left as it was written. */
  private Reading json(JsonNode value, List<JsonNode> found, String text) {
    boolean whole = found.size() == 1 && found.getFirst().equals(value);
    boolean bare = whole && JsonInText.whole(text.strip()).isPresent();
    return checked(bare ? text.strip() : value.toString());
  }

  private Reading checked(String text) {
    return form.check()
        .apply(text)
        .<Reading>map(Reading.Wrong::new)
        .orElseGet(() -> new Reading.Good(text, List.of()));
  }

  /** What the model chose where it was told of tools in the prompt. */
  private Reading chosen(JsonNode choice, String callId) {
    JsonNode inner = unwrapped(choice);
    if (inner.path(TOOL).isTextual()) {
      return new Reading.Good(
          "",
          List.of(
              new ToolCall(callId + "-0", inner.path(TOOL).textValue(), inner.path(ARGUMENTS))));
    }
    JsonNode reply = inner.path(NAME);
    return checked(form.schema().isEmpty() ? reply.asText() : reply.toString());
  }

  private JsonNode unwrapped(JsonNode value) {
    return wrapped ? value.path(NAME) : value;
  }

  private static boolean object(JsonNode schema) {
    return schema.path("type").asText().equals("object");
  }
}
