package dev.colony.library.page;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The texts of the maps that were asked about last on this node, read from the page store when a
 * map is first asked about. A service of the node. Thread-safe; blocks, and reads one map at a
 * time.
 */
public final class SourceTrees {

  /** Pages that are read from the store at once. */
  private static final int BATCH = 256;

  /** Bytes of memory that a token takes, about: four characters of text. */
  private static final int TOKEN_BYTES = 8;

  private static final int MOST_MAPS = 4;

  /** What one tenant may read of a map. */
  private record Key(String tenant, String map) {}

  private final SourceToolSettings settings;
  private final RecentlyUsed<Key, SourceTree> kept;

  public SourceTrees(SourceToolSettings settings) {
    this.settings = settings;
    this.kept = new RecentlyUsed<>(MOST_MAPS, settings.memory(), SourceTree::sizeBytes);
  }

  /** Whether git repositories are opened that sources of maps name. */
  boolean repositories() {
    return settings.repositories();
  }

  /**
   * A map of the pages that an agent may read.
   *
   * @throws AgentException if there is none, or the agent's tenant may not read it
   */
  public static PageMap map(PageStore pages, String id) {
    return AgentPages.asked(() -> pages.map(id))
        .orElseThrow(() -> AgentException.refused("no page map " + id + ": map its source again"));
  }

  /**
   * The texts of a map.
   *
   * @param pages as the tenant may read them
   * @throws AgentException if the tenant may not read one of them, or they take more memory than
   *     all maps together may
   */
  SourceTree of(PageMap map, PageStore pages, String tenant) {
    if (map.sizeTokens() > settings.memory() / TOKEN_BYTES) {
      throw AgentException.refused(
          "page map %s has %d tokens, which take more memory than colony.agent.source.memory, %d bytes"
              .formatted(map.id(), map.sizeTokens(), settings.memory()));
    }
    return kept.get(new Key(tenant, map.id()), key -> read(map, pages));
  }

  private static SourceTree read(PageMap map, PageStore pages) {
    List<PageId> ids = map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
    SourceTree.Builder builder = new SourceTree.Builder();
    for (int from = 0; from < ids.size(); from += BATCH) {
      List<PageId> some = ids.subList(from, Math.min(ids.size(), from + BATCH));
      AgentPages.asked(() -> pages.pages(some)).forEach(builder::add);
    }
    return builder.build();
  }

  /**
   * What an operator sets of the tools over files; reference.conf says what each means.
   *
   * @param memory bytes of all texts that are kept
   * @param repositories whether git repositories are opened that sources of maps name
   */
  @Section("colony.agent.source")
  public record SourceToolSettings(
      @Range(min = "1 MiB", max = "2147483647 B") int memory, boolean repositories) {}

  /**
   * Keeps what was used last, within a number and a size: what a node makes of a page map and needs
   * again. Thread-safe; makes one value at a time, while others wait.
   */
  public static final class RecentlyUsed<K, V> {

    private final int most;
    private final long mostSize;
    private final ToLongFunction<V> sizes;
    private final Map<K, V> kept = new LinkedHashMap<>(16, 0.75f, true);
    private long size;

    /**
     * Empty so far.
     *
     * @param most how many values, 1 or more
     * @param mostSize of all of them together; one alone is kept whatever its size
     * @param sizes of a value, the same each time
     */
    public RecentlyUsed(int most, long mostSize, ToLongFunction<V> sizes) {
      this.most = most;
      this.mostSize = mostSize;
      this.sizes = sizes;
    }

    /** The value of a key, made if it is not kept. */
    public synchronized V get(K key, Function<K, V> made) {
      V value = kept.get(key);
      if (value == null) {
        value = made.apply(key);
        kept.put(key, value);
        size += sizes.applyAsLong(value);
        evict();
      }
      return value;
    }

    private void evict() {
      Iterator<V> eldest = kept.values().iterator();
      while (kept.size() > 1 && (kept.size() > most || size > mostSize)) {
        V value = eldest.next();
        eldest.remove();
        size -= sizes.applyAsLong(value);
      }
    }
  }
}
