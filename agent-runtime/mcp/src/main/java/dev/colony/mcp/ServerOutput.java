package dev.colony.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.value.Text;
import io.modelcontextprotocol.spec.McpSchema.AudioContent;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.EmbeddedResource;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.ListResourceTemplatesResult;
import io.modelcontextprotocol.spec.McpSchema.ListResourcesResult;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import io.modelcontextprotocol.spec.McpSchema.ResourceLink;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a server answers as the output of an action. Text stands as it is; of pictures, sound and
 * other bytes only the kind and the size do, since planners read text.
 */
final class ServerOutput {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private ServerOutput() {}

  static boolean failed(CallToolResult result) {
    return Boolean.TRUE.equals(result.isError());
  }

  static String error(CallToolResult result) {
    String said =
        contents(result).stream()
            .filter(TextContent.class::isInstance)
            .map(content -> text(((TextContent) content).text()))
            .collect(Collectors.joining(" "));
    return said.isBlank() ? "the tool has failed and does not say why" : said;
  }

  /** The structured content of a tool where there is some, else its content. */
  static JsonNode of(CallToolResult result) {
    return result.structuredContent() != null
        ? wellFormed(ProtocolJson.tree(result.structuredContent()))
        : contents(contents(result));
  }

  private static List<Content> contents(CallToolResult result) {
    return result.content() == null ? List.of() : result.content();
  }

  private static JsonNode contents(List<Content> all) {
    if (all.size() == 1) {
      return content(all.getFirst());
    }
    ArrayNode array = JSON.arrayNode();
    all.forEach(one -> array.add(content(one)));
    return array;
  }

  private static JsonNode content(Content content) {
    return switch (content) {
      case TextContent text -> TextNode.valueOf(text(text.text()));
      case ImageContent image -> bytes("image", image.mimeType(), image.data());
      case AudioContent audio -> bytes("audio", audio.mimeType(), audio.data());
      case EmbeddedResource embedded -> resource(embedded.resource());
      case ResourceLink link -> {
        ObjectNode json = JSON.objectNode().put("type", "resource_link");
        put(json, "uri", link.uri());
        put(json, "name", link.name());
        put(json, "description", link.description());
        yield json;
      }
      default -> JSON.objectNode().put("type", content.type());
    };
  }

  /** The contents of a resource: a text where it is one text. */
  static JsonNode of(ReadResourceResult result) {
    if (result.contents().size() == 1
        && result.contents().getFirst() instanceof TextResourceContents text) {
      return TextNode.valueOf(text(text.text()));
    }
    ArrayNode array = JSON.arrayNode();
    result.contents().forEach(one -> array.add(resource(one)));
    return array;
  }

  private static ObjectNode resource(ResourceContents contents) {
    return switch (contents) {
      case TextResourceContents text -> {
        ObjectNode json = JSON.objectNode().put("type", "resource");
        put(json, "uri", text.uri());
        put(json, "mimeType", text.mimeType());
        put(json, "text", text.text());
        yield json;
      }
      case BlobResourceContents blob -> {
        ObjectNode json = bytes("resource", blob.mimeType(), blob.blob());
        put(json, "uri", blob.uri());
        yield json;
      }
      default -> JSON.objectNode().put("type", "resource");
    };
  }

  /** The resources of a page of their list, and templates where they were asked for. */
  static JsonNode of(
      ListResourcesResult resources, Optional<ListResourceTemplatesResult> templates) {
    ObjectNode json = JSON.objectNode();
    ArrayNode list = json.putArray("resources");
    resources
        .resources()
        .forEach(one -> {
          ObjectNode shown = list.addObject();
          put(shown, "uri", one.uri());
          put(shown, "name", one.name());
          put(shown, "description", one.description());
          put(shown, "mimeType", one.mimeType());
        });
    put(json, "nextCursor", resources.nextCursor());
    templates.ifPresent(page -> {
      ArrayNode further = json.putArray("templates");
      page.resourceTemplates()
          .forEach(one -> {
            ObjectNode shown = further.addObject();
            put(shown, "uriTemplate", one.uriTemplate());
            put(shown, "name", one.name());
            put(shown, "description", one.description());
          });
    });
    return json;
  }

  static JsonNode of(GetPromptResult prompt) {
    ArrayNode messages = JSON.arrayNode();
    prompt
        .messages()
        .forEach(message ->
            messages
                .addObject()
                .put("role", message.role().name().toLowerCase(Locale.ROOT))
                .set("content", content(message.content())));
    return messages;
  }

  private static ObjectNode bytes(String type, String mimeType, String base64) {
    ObjectNode json = JSON.objectNode().put("type", type);
    put(json, "mimeType", mimeType);
    return json.put("bytes", base64 == null ? 0 : size(base64));
  }

  /** How many bytes a text of base64 stands for, with padding or without, in lines or not. */
  private static long size(String base64) {
    return base64.chars().filter(c -> c != '=' && !Character.isWhitespace(c)).count() * 6 / 8;
  }

  private static void put(ObjectNode json, String name, String text) {
    if (text != null) {
      json.put(name, text(text));
    }
  }

  private static String text(String text) {
    return text == null ? "" : Text.wellFormed(text);
  }

  private static JsonNode wellFormed(JsonNode value) {
    if (value.isTextual()) {
      return TextNode.valueOf(text(value.textValue()));
    }
    if (value.isObject()) {
      ObjectNode object = JSON.objectNode();
      value.properties().forEach(one -> object.set(text(one.getKey()), wellFormed(one.getValue())));
      return object;
    }
    if (value.isArray()) {
      ArrayNode array = JSON.arrayNode();
      value.forEach(one -> array.add(wellFormed(one)));
      return array;
    }
    return value;
  }
}
