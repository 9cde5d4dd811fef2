package dev.colony.agent.stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintBinder;
import dev.colony.agent.StreamBlueprint;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.blackboard.value.Text;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What a stream is made of. It holds no entries: those are part of the agent's durable state, and
 * the stream says which it takes, what of them is kept and how they read. Pure.
 *
 * @param filters by the kind of entry; of a kind that is absent the stream takes none
 * @param maxEntries the rolling window
 */
public record ConsciousnessStream(
    String name,
    ConsciousnessStreamFormatter formatter,
    Map<String, StreamFilter> filters,
    int maxEntries) {

  private static final String CUT = "\n(cut)";

  /** What one entry may hold as JSON, in bytes. A window of them stands in each snapshot. */
  private static final int MAX_ENTRY_BYTES = 8 * 1024;

  /** What a stream may put into a prompt. */
  private static final int MAX_SECTION_CHARS = 65_536;

  public ConsciousnessStream {
    filters = Map.copyOf(filters);
  }

  /**
   * A stream that takes nothing yet: {@link StreamBlueprint#events}, {@link
   * StreamBlueprint#actions} and {@link StreamBlueprint#filter} say what it takes.
   *
   * @throws AgentException if no such formatter is installed here
   */
  public static StreamBlueprint bind(String name, Blueprint formatter) {
    StreamBlueprint empty =
        new StreamBlueprint(name, formatter, Map.of(), StreamBlueprint.DEFAULT_MAX_ENTRIES);
    BlueprintBinder.installed().check(empty);
    return empty;
  }

  public boolean takes(StreamEntry entry) {
    StreamFilter filter = filters.get(entry.kind());
    return filter != null && filter.accepts(entry);
  }

  /** What of an entry is kept: itself, or one whose content is cut to what an entry may hold. */
  public StreamEntry kept(StreamEntry entry) {
    var content = ContentBound.within(entry.content(), MAX_ENTRY_BYTES);
    return content == entry.content()
        ? entry
        : new StreamEntry(entry.kind(), entry.timestamp(), content);
  }

  /** The section for the prompt; empty for none. */
  public String render(List<StreamEntry> entries) {
    return render(entries, UnaryOperator.identity());
  }

  /**
   * The same for a model that calls actions by other names than their keys.
   *
   * @param named as {@link ConsciousnessStreamFormatter#format(List, UnaryOperator)} has it
   */
  public String render(List<StreamEntry> entries, UnaryOperator<String> named) {
    String section = formatter.format(entries, named);
    return section.length() <= MAX_SECTION_CHARS
        ? section
        : Text.head(section, MAX_SECTION_CHARS - CUT.length()) + CUT;
  }

  /** Decides shape: how a stream stands in a prompt. Pure; registered and bound as a blueprint. */
  @FunctionalInterface
  public interface ConsciousnessStreamFormatter {

    /** A markdown section, or the empty string for none. */
    String format(List<StreamEntry> entries);

    /**
     * The same for a model that calls actions by other names than their keys.
     *
     * @param named puts these names in the place of keys, in a key or a text of the runtime
     */
    default String format(List<StreamEntry> entries, UnaryOperator<String> named) {
      return format(entries);
    }
  }

  /**
   * Decides membership: whether a stream takes an entry. Pure; registered and bound as a blueprint.
   */
  @FunctionalInterface
  public interface StreamFilter {

    boolean accepts(StreamEntry entry);
  }

  /**
   * Makes JSON small enough to be journaled with every step: texts are cut, what does not fit after
   * that is left out, and the shape stays. What fits is not touched.
   */
  public static final class ContentBound {

    private static final String CUT = "...";

    /** Quotes, a comma or colon, and the mark of a cut. */
    private static final int OVERHEAD = 8;

    private int left;

    private ContentBound(int left) {
      this.left = left;
    }

    /**
     * The same content in at most so many bytes of JSON text.
     *
     * @param bytes at least 64
     */
    public static JsonNode within(JsonNode content, int bytes) {
      // A character is at most six bytes of JSON, an escape; few contents need the exact count.
      if (content.isTextual() && content.textValue().length() * 6L + 2 <= bytes
          || size(content) <= bytes) {
        return content;
      }
      return new ContentBound(bytes - OVERHEAD).copy(content);
    }

    private JsonNode copy(JsonNode node) {
      if (node.isObject()) {
        left -= 2;
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        for (var field : node.properties()) {
          int name = size(TextNode.valueOf(field.getKey())) + OVERHEAD;
          if (left < name) {
            break;
          }
          left -= name;
          copy.set(field.getKey(), copy(field.getValue()));
        }
        return copy;
      }
      if (node.isArray()) {
        left -= 2;
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        for (JsonNode element : node) {
          if (left < OVERHEAD) {
            break;
          }
          left -= 1;
          copy.add(copy(element));
        }
        return copy;
      }
      return leaf(node);
    }

    private JsonNode leaf(JsonNode node) {
      int size = size(node);
      if (size <= left) {
        left -= size;
        return node;
      }
      JsonNode cut = TextNode.valueOf(node.isTextual() ? head(node.textValue()) : CUT);
      left -= size(cut);
      return cut;
    }

    /** As much of a text's beginning as there is room for, and the mark. */
    private String head(String text) {
      int room = left - OVERHEAD;
      int end = 0;
      while (end < text.length()) {
        int c = text.codePointAt(end);
        room -= size(TextNode.valueOf(Character.toString(c))) - 2;
        if (room < 0) {
          break;
        }
        end += Character.charCount(c);
      }
      return Text.head(text, end) + CUT;
    }

    private static int size(JsonNode node) {
      return node.toString().getBytes(StandardCharsets.UTF_8).length;
    }
  }

  /**
   * Content as text in a prompt. Equal content gives equal text, whatever order its fields have.
   */
  public static final class Rendered {

    private static final String CUT = "...";

    private Rendered() {}

    /** JSON on one line, its fields in the order of their names; a text as itself. */
    public static String value(JsonNode node) {
      return node.isTextual() ? node.textValue() : sorted(node).toString();
    }

    /** The text of a message: itself, or its field {@code message} or {@code text}. */
    public static String message(JsonNode node) {
      for (String name : new String[] {"message", "text"}) {
        if (node.path(name).isTextual()) {
          return node.get(name).textValue();
        }
      }
      return node.isMissingNode() || node.isNull() ? "" : value(node);
    }

    /**
     * A text within a list or a thread: every line after the first is indented and empty lines are
     * left out, so that what an author wrote does not read like an entry or a section of its own.
     */
    public static String entry(String text) {
      return text.strip().replaceAll("\\s*\\R\\s*", "\n  ");
    }

    /** On one line, and if it is longer than {@code most} characters, cut and marked so. */
    public static String truncated(String text, int most) {
      String line = text.strip().replaceAll("\\s*\\R\\s*", " ");
      if (line.length() <= most) {
        return line;
      }
      return Text.head(line, most - CUT.length()) + CUT;
    }

    private static JsonNode sorted(JsonNode node) {
      if (node.isObject()) {
        Map<String, JsonNode> fields = new TreeMap<>();
        node.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
        ObjectNode copy = JsonNodeFactory.instance.objectNode();
        fields.forEach(copy::set);
        return copy;
      }
      if (node.isArray()) {
        ArrayNode copy = JsonNodeFactory.instance.arrayNode();
        node.forEach(element -> copy.add(sorted(element)));
        return copy;
      }
      return node;
    }
  }

  /** Makes and reads the two stock kinds of entries. */
  public static final class StreamEntries {

    private static final String ACTION_KEY = "action_key";
    private static final String SUCCESS = "success";
    private static final String OUTPUT = "output_preview";
    private static final String ERROR = "error";
    private static final String REASONING = "reasoning";

    private StreamEntries() {}

    /**
     * What the handlers made of an event.
     *
     * @param contexts by context key
     */
    public static StreamEntry event(Instant at, Map<String, ? extends JsonNode> contexts) {
      ObjectNode content = JsonNodeFactory.instance.objectNode();
      new TreeMap<>(contexts).forEach(content::set);
      return new StreamEntry(StreamEntry.EVENT, at, content);
    }

    /** An action and what became of it. */
    public static StreamEntry action(Instant at, ActionCall call) {
      return action(at, call, Optional.empty());
    }

    /** The same with why it was chosen, as the model said it. */
    public static StreamEntry action(Instant at, ActionCall call, Optional<String> reasoning) {
      ObjectNode content = JsonNodeFactory.instance.objectNode();
      content.put(ACTION_KEY, call.action().key());
      content.put(SUCCESS, call.result().success());
      content.set(OUTPUT, call.result().output());
      if (!call.result().error().isEmpty()) {
        content.put(ERROR, call.result().error());
      }
      reasoning.ifPresent(why -> content.put(REASONING, why));
      return new StreamEntry(StreamEntry.ACTION, at, content);
    }

    public static String actionKey(StreamEntry entry) {
      return entry.content().path(ACTION_KEY).asText();
    }

    public static boolean success(StreamEntry entry) {
      return entry.content().path(SUCCESS).asBoolean();
    }

    public static JsonNode output(StreamEntry entry) {
      return entry.content().path(OUTPUT);
    }

    public static String error(StreamEntry entry) {
      return entry.content().path(ERROR).asText();
    }

    /** Why the action was chosen; empty where that is not known. */
    public static String reasoning(StreamEntry entry) {
      return entry.content().path(REASONING).asText();
    }
  }
}
