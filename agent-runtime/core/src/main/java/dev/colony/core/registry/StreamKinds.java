package dev.colony.core.registry;

import dev.colony.agent.stream.StreamEntry;
import dev.colony.agent.stream.StreamKind;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The kinds of entries that are known: events, actions and what is installed. Immutable. */
public final class StreamKinds {

  private static final Pattern NAME = Pattern.compile("[a-z0-9._-]{1,64}");

  /** Loaded when first asked for. */
  private static final class Installed {
    private static final StreamKinds KINDS = of(ServiceLoader.load(StreamKind.class));
  }

  private final Map<String, String> summaries = new TreeMap<>();

  private StreamKinds() {
    summaries.put(StreamEntry.EVENT, "what event handlers made of an event, by context key");
    summaries.put(StreamEntry.ACTION, "an action that was dispatched and what became of it");
  }

  /** Events, actions and the kinds that {@link ServiceLoader} finds. */
  public static StreamKinds installed() {
    return Installed.KINDS;
  }

  /**
   * Events, actions and these kinds.
   *
   * @throws IllegalStateException if a name is malformed or stands for two kinds
   */
  public static StreamKinds of(Iterable<? extends StreamKind> further) {
    StreamKinds kinds = new StreamKinds();
    for (StreamKind kind : further) {
      if (!NAME.matcher(kind.name()).matches()) {
        throw new IllegalStateException("not a name for a kind of stream entries: " + kind.name());
      }
      if (kinds.summaries.putIfAbsent(kind.name(), kind.summary()) != null) {
        throw new IllegalStateException(
            "two kinds of stream entries are named " + kind.name() + ": rename one");
      }
    }
    return kinds;
  }

  public Set<String> names() {
    return Set.copyOf(summaries.keySet());
  }

  public boolean knows(String name) {
    return summaries.containsKey(name);
  }
}
