package dev.colony.library.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.ConsciousnessStream.Rendered;
import dev.colony.agent.stream.ConsciousnessStream.StreamEntries;
import dev.colony.agent.stream.StreamEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Renders a flat list: a bullet for each context of an event and for each action, with its key and
 * its value as JSON on one line, cut where it is long. An entry of a further kind is a bullet with
 * the kind.
 */
@Registered(value = "stream.json", summary = "A flat list of keys and values.")
public final class JSONStreamFormatter implements ConsciousnessStreamFormatter {

  /** How long a value is at most where {@link #bind(String)} is used, in characters. */
  public static final int MAX_VALUE_LENGTH = 200;

  /**
   * @param sectionTitle a markdown heading
   * @param maxValueLength of each value, in characters, 8 to 100,000
   */
  public record Args(String sectionTitle, int maxValueLength) {

    public Args {
      Objects.requireNonNull(sectionTitle, "sectionTitle");
      if (maxValueLength < 8 || maxValueLength > 100_000) {
        throw new IllegalArgumentException(
            "maxValueLength is " + maxValueLength + ", but must be 8 to 100000");
      }
    }
  }

  private final Args args;

  JSONStreamFormatter(Args args) {
    this.args = args;
  }

  public static Blueprint bind(String sectionTitle) {
    return bind(sectionTitle, MAX_VALUE_LENGTH);
  }

  public static Blueprint bind(String sectionTitle, int maxValueLength) {
    return Blueprint.bind(JSONStreamFormatter.class, new Args(sectionTitle, maxValueLength));
  }

  @Override
  public String format(List<StreamEntry> entries) {
    return format(entries, UnaryOperator.identity());
  }

  @Override
  public String format(List<StreamEntry> entries, UnaryOperator<String> named) {
    List<String> lines = new ArrayList<>();
    entries.forEach(entry -> add(entry, named, lines));
    return lines.isEmpty() ? "" : args.sectionTitle() + "\n" + String.join("\n", lines);
  }

  private void add(StreamEntry entry, UnaryOperator<String> named, List<String> lines) {
    switch (entry.kind()) {
      case StreamEntry.EVENT -> {
        TreeMap<String, JsonNode> contexts = new TreeMap<>();
        entry.content().properties().forEach(one -> contexts.put(one.getKey(), one.getValue()));
        contexts.forEach((key, context) -> lines.add(bullet(key, Rendered.value(context))));
      }
      case StreamEntry.ACTION ->
          lines.add(
              (StreamEntries.success(entry)
                      ? bullet(
                          named.apply(StreamEntries.actionKey(entry)),
                          Rendered.value(StreamEntries.output(entry)))
                      : bullet(
                          named.apply(StreamEntries.actionKey(entry)) + " (failed)",
                          named.apply(StreamEntries.error(entry))))
                  + because(StreamEntries.reasoning(entry)));
      default -> lines.add(bullet(entry.kind(), Rendered.value(entry.content())));
    }
  }

  private String because(String reasoning) {
    return reasoning.isEmpty()
        ? ""
        : " [because: " + Rendered.truncated(reasoning, args.maxValueLength()) + "]";
  }

  private String bullet(String key, String value) {
    return "- "
        + Rendered.truncated(key, args.maxValueLength())
        + ": "
        + Rendered.truncated(value, args.maxValueLength());
  }
}
