package dev.colony.agent.stream;

import dev.colony.agent.AgentException;
import dev.colony.agent.Blueprint;
import dev.colony.agent.BlueprintBinder;
import dev.colony.agent.StreamBlueprint;
import dev.colony.blackboard.value.Text;
import java.util.List;
import java.util.Map;
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
    int maxEntries,
    StreamSettings settings) {

  private static final String CUT = "\n(cut)";

  public ConsciousnessStream {
    filters = Map.copyOf(filters);
  }

  /** The same within the default sizes. */
  public ConsciousnessStream(
      String name,
      ConsciousnessStreamFormatter formatter,
      Map<String, StreamFilter> filters,
      int maxEntries) {
    this(name, formatter, filters, maxEntries, StreamSettings.DEFAULTS);
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

  /** Whether the stream takes an entry. */
  public boolean takes(StreamEntry entry) {
    StreamFilter filter = filters.get(entry.kind());
    return filter != null && filter.accepts(entry);
  }

  /** What of an entry is kept: itself, or one whose content is cut to what an entry may hold. */
  public StreamEntry kept(StreamEntry entry) {
    var content = ContentBound.within(entry.content(), settings.maxEntryBytes());
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
    return section.length() <= settings.maxSectionChars()
        ? section
        : Text.head(section, settings.maxSectionChars() - CUT.length()) + CUT;
  }
}
