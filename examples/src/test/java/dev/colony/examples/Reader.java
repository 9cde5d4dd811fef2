package dev.colony.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.colony.inference.RecordingModelServer.Recorded;
import dev.colony.inference.provider.ScriptedServers;
import dev.colony.replica.lexical.LexicalModel;
import dev.colony.replica.lexical.LexicalPrompt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model behind scripted servers that reads what it is sent, whatever the form: it finds the
 * messages of the user in a request of any of the three protocols, parts of files in them by the
 * lines that begin them, and the schema where the request has it or where the prompt tells it. What
 * it answers to that is the lexical model's.
 */
final class Reader implements ScriptedServers.Model {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Pattern PART = Pattern.compile("=== .+ \\(lines (\\d+)-(\\d+)\\)");
  private static final Pattern TOLD =
      Pattern.compile("\n*Reply with nothing but JSON that satisfies this JSON schema.*\n(.*)$");

  private final LexicalModel model = new LexicalModel(1_000_000);

  @Override
  public String reply(Recorded request, JsonNode held) {
    JsonNode body = request.json();
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
