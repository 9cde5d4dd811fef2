package dev.colony.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.provider.ScriptedServers;
import dev.colony.replica.lexical.LexicalModel;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import dev.colony.replica.lexical.LexicalModel.Tools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model behind scripted servers that reads what it is sent, whatever the form: it finds the
 * messages of the user in a request of any of the three protocols, parts of files in them by the
 * lines that begin them, and the schema and the tools where the request has them or where the
 * prompt tells them. What it answers to that is the lexical model's; a planner's tools it calls in
 * its text, as is scripted for the agents of the test.
 */
final class Reader implements ScriptedServers.Model {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern PART = Pattern.compile("=== .+ \\(lines (\\d+)-(\\d+)\\)");
  private static final Pattern TOLD =
      Pattern.compile("\n*Reply with nothing but JSON that satisfies this JSON schema.*\n(.*)$");

  private static final Pattern TOLD_TOOL =
      Pattern.compile("(?m)^- ([A-Za-z0-9_-]+): (.*) Arguments: (\\{.*})$");

  private static final String LAMP = "a lamp for Ann";

  private final LexicalModel model = new LexicalModel();

  @Override
  public String reply(Recorded request, JsonNode held) {
    JsonNode body = request.json();
    Tools tools = new Tools(tools(body), new Tools.Choice.Required(), List.of());
    if (tools.planning()) {
      return planned(body, tools);
    }
    List<String> parts = new ArrayList<>();
    StringBuilder asked = new StringBuilder();
    JsonNode messages = body.has("input") ? body.path("input") : body.path("messages");
    for (JsonNode message : messages) {
      if (message.path("role").asText("user").equals("user")) {
        read(text(message.path("content")), parts, asked);
      }
    }
    Optional<JsonNode> schema = Optional.of(held).filter(JsonNode::isObject);
    Matcher told = TOLD.matcher(asked);
    if (told.find()) {
      schema = Optional.of(parse(told.group(1)));
      asked.setLength(told.start());
    }
    if (schema.isEmpty()) {
      schema =
          Optional.of(body.at("/response_format/json_schema/schema")).filter(JsonNode::isObject);
    }
    return model.reply(new LexicalPrompt(parts, asked.toString(), schema));
  }

  /** What it plans is scripted for the agents of the test. */
  private static String planned(JsonNode body, Tools tools) {
    String text = String.join("\n", said(body));
    ObjectNode reply = JSON.createObjectNode().put("say", "");
    ObjectNode call = reply.putArray("calls").addObject();
    boolean done = text.contains("-> succeeded: ");
    if (tools.offered().stream().anyMatch(tool -> tool.name().equals("plan"))) {
      call.put("tool", "plan").set("arguments", review(text));
    } else if (done && text.contains(LAMP)) {
      call.put("tool", "complete").putObject("arguments").putObject("result").put("order", LAMP);
    } else if (done) {
      call.put("tool", "idle").putObject("arguments");
    } else {
      boolean chats = text.contains("respond_to_user");
      call.put("tool", tool(tools, chats ? "respond_to_user" : "orders"))
          .putObject("arguments")
          .put(chats ? "reply" : "customer", chats ? "It has to do with rivers." : "Ann");
    }
    return reply.toString();
  }

  private static String tool(Tools tools, String action) {
    return tools.offered().stream()
        .map(Tools.Tool::name)
        .filter(name -> name.endsWith(action))
        .findFirst()
        .orElseThrow();
  }

  private static ObjectNode review(String text) {
    Map<String, List<String>> tree =
        Map.of("all", List.of("Placement.java", "Journal.java", "Mailbox.java"));
    if (ReviewScript.asksForFiles(text, "all", tree.get("all"))) {
      return ReviewScript.files(tree.get("all"));
    }
    return ReviewScript.asksForParts(text, tree) ? ReviewScript.parts(tree) : ReviewScript.steps();
  }

  /** All that is said before the model replies, what the application says included. */
  private static List<String> said(JsonNode body) {
    List<String> said = new ArrayList<>();
    for (String before : List.of("system", "instructions")) {
      say(body.path(before), said);
    }
    JsonNode messages = body.has("input") ? body.path("input") : body.path("messages");
    messages.forEach(message -> say(message.path("content"), said));
    return said;
  }

  /** Each block of a content by itself. */
  private static void say(JsonNode content, List<String> said) {
    if (content.isTextual()) {
      said.add(content.textValue());
    } else {
      content.forEach(block -> said.add(block.path("text").asText("")));
    }
  }

  /** Those that the request has, or else those that the prompt tells. */
  private static List<Tools.Tool> tools(JsonNode body) {
    List<Tools.Tool> tools = new ArrayList<>();
    for (JsonNode one : body.path("tools")) {
      JsonNode tool = one.has("function") ? one.path("function") : one;
      JsonNode parameters =
          tool.has("parameters") ? tool.path("parameters") : tool.path("input_schema");
      tools.add(
          new Tools.Tool(
              tool.path("name").asText(), tool.path("description").asText(""), parameters));
    }
    if (tools.isEmpty()) {
      Matcher told = TOLD_TOOL.matcher(String.join("\n", said(body)));
      while (told.find()) {
        tools.add(new Tools.Tool(told.group(1), told.group(2), parse(told.group(3))));
      }
    }
    return tools;
  }

  private static String text(JsonNode content) {
    if (content.isTextual()) {
      return content.textValue();
    }
    StringBuilder all = new StringBuilder();
    content.forEach(block -> all.append(block.path("text").asText("")));
    return all.toString();
  }

  /** Takes the parts of files out of a message; the rest is what is asked. */
  private static void read(String message, List<String> parts, StringBuilder asked) {
    List<String> lines = message.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      Matcher part = PART.matcher(lines.get(i));
      if (part.matches()) {
        int count = Integer.parseInt(part.group(2)) - Integer.parseInt(part.group(1)) + 1;
        int end = Math.min(lines.size(), i + 1 + count);
        parts.add(String.join("\n", lines.subList(i, end)));
        i = end - 1;
      } else {
        asked.append(lines.get(i)).append('\n');
      }
    }
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException malformed) {
      throw new UncheckedIOException(malformed);
    }
  }
}
