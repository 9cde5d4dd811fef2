package dev.colony.library.source;

import dev.colony.agent.AgentException;
import dev.colony.library.page.RecentlyUsed;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

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

  /** What one tenant may read of a map. */
  private record Key(String tenant, String map) {}

  private final SourceToolSettings settings;
  private final RecentlyUsed<Key, SourceTree> kept;

  public SourceTrees(SourceToolSettings settings) {
    this.settings = settings;
    this.kept =
        new RecentlyUsed<>(
            settings.maps(), settings.memoryBytes(), SourceTree::sizeBytes, tree -> {});
  }

  SourceToolSettings settings() {
    return settings;
  }

  /** A stored map. */
  static PageMap map(PageStore pages, String id) {
    return join(pages.map(id))
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
    if (map.sizeTokens() > settings.memoryBytes() / TOKEN_BYTES) {
      throw AgentException.refused(
          "page map %s has %d tokens, which take more memory than colony.agent.source.memory, %d bytes"
              .formatted(map.id(), map.sizeTokens(), settings.memoryBytes()));
    }
    return kept.get(new Key(tenant, map.id()), key -> read(map, pages));
  }

  private static SourceTree read(PageMap map, PageStore pages) {
    List<PageId> ids = map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
    SourceTree.Builder builder = new SourceTree.Builder();
    for (int from = 0; from < ids.size(); from += BATCH) {
      join(pages.pages(ids.subList(from, Math.min(ids.size(), from + BATCH))))
          .forEach(builder::add);
    }
    return builder.build();
  }

  private static <T> T join(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException refused) {
        throw refused;
      }
      throw new AgentException(
          "pages: " + failure.getCause().getMessage(), failure.getCause(), true);
    }
  }
}
