package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolChoice;

/** What a server is to hold a reply to that has calls of tools in its text. */
final class ToolSchemas {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final int MOST_CALLS = 16;
  private static final int SAY_CHARS = 1000;

  private ToolSchemas() {}

  /** The schema of an object whose only property is the value that is meant. */
  static ObjectNode wrap(JsonNode schema) {
    ObjectNode wrap = JSON.objectNode().put("type", "object");
    wrap.putObject("properties")
        .set(ReplyContract.NAME, ReplySchema.moved("/properties/" + ReplyContract.NAME, schema));
    wrap.putArray("required").add(ReplyContract.NAME);
    return wrap.put("additionalProperties", false);
  }

  /** What a server that decodes by a schema, but has no tools, is to hold a list of calls to. */
  static JsonNode calls(ReplyForm form) {
    ObjectNode object = JSON.objectNode().put("type", "object");
    ObjectNode properties = object.putObject("properties");
    properties.putObject(ReplyContract.SAY).put("type", "string").put("maxLength", SAY_CHARS);
    ObjectNode calls =
        properties.putObject(ReplyContract.CALLS).put("type", "array").put("maxItems", MOST_CALLS);
    ArrayNode choices = calls.putObject("items").putArray("anyOf");
    for (Tool tool : form.tools()) {
      call(choices, "/properties/" + ReplyContract.CALLS + "/items", tool);
    }
    object.putArray("required").add(ReplyContract.SAY).add(ReplyContract.CALLS);
    return object.put("additionalProperties", false);
  }

  /** Adds the call of a tool, with its own arguments, to the choices of a schema. */
  private static void call(ArrayNode choices, String at, Tool tool) {
    ObjectNode call = choices.addObject().put("type", "object");
    ObjectNode properties = call.putObject("properties");
    properties.putObject(ReplyContract.TOOL).put("type", "string").put("const", tool.name());
    properties.set(
        ReplyContract.ARGUMENTS,
        ReplySchema.moved(
            "%s/anyOf/%d/properties/%s".formatted(at, choices.size() - 1, ReplyContract.ARGUMENTS),
            tool.parameters()));
    call.putArray("required").add(ReplyContract.TOOL).add(ReplyContract.ARGUMENTS);
    call.put("additionalProperties", false);
  }

  /** The call of one of the tools, or the reply, where the prompt describes the tools. */
  static JsonNode choice(ReplyForm form) {
    ArrayNode choices = JSON.arrayNode();
    boolean may = !(form.toolChoice() instanceof ToolChoice.None);
    for (Tool tool : form.tools()) {
      boolean named =
          !(form.toolChoice() instanceof ToolChoice.Named one) || one.tool().equals(tool.name());
      if (may && named) {
        call(choices, "", tool);
      }
    }
    boolean free =
        form.toolChoice() instanceof ToolChoice.Auto
            || form.toolChoice() instanceof ToolChoice.None;
    if (free) {
      JsonNode text = JSON.objectNode().put("type", "string");
      choices.add(ReplySchema.moved("/anyOf/" + choices.size(), wrap(form.schema().orElse(text))));
    }
    ObjectNode any = JSON.objectNode();
    any.set("anyOf", choices);
    return any;
  }
}
