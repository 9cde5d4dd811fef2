package dev.colony.vcm.store;

import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.SourceMapping;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.store.FollowedTrees.Followed;
import dev.colony.vcm.store.FollowedTrees.MappedTree;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one directory. That it has changed is said before anything is mapped, so that a reader
 * takes what is said for the directory as it is, but for the moment between a write and the
 * system's event of it. What is mapped is of use only from when it was the map of an asker once:
 * before that it may be another directory of the same path and inode, on another machine.
 */
final class TreeFollower implements SourceWatch.Listener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TreeFollower.class);

  private final MappedTree tree;
  private final SourceMapping mapping;
  private final PageStore store;
  private final FollowedTrees trees;
  private final Followed unknown;
  private final int mostChanges;
  private final Runnable wanted;
  private final SourceWatch watch;

  // Of the thread that maps.
  private Optional<PageMap> stored = Optional.empty();

  // Guarded by this.
  private final Set<String> changed = new HashSet<>();
  private boolean anything = true;
  private boolean pending = true;
  private boolean closed;
  private long changes;
  private String asked;
  private boolean seen;
  private Followed said;
  private CompletableFuture<Void> saying = CompletableFuture.completedFuture(null);

  /**
   * Watches from now on.
   *
   * @param unknown says that it is followed and that its map is not known
   * @param mostChanges how many changed files are remembered
   * @param wanted is run whenever {@link #map} has something to do
   * @throws IllegalArgumentException if the source cannot be watched
   * @throws java.io.UncheckedIOException if the system can watch nothing
   */
  TreeFollower(
      FollowedTrees.Asked asked,
      Followed unknown,
      ContextPageSource source,
      SourceMapping mapping,
      PageStore store,
      FollowedTrees trees,
      int mostChanges,
      Runnable wanted) {
    this.tree = asked.tree();
    this.asked = asked.map();
    this.unknown = unknown;
    this.mapping = mapping;
    this.store = store;
    this.trees = trees;
    this.mostChanges = mostChanges;
    this.wanted = wanted;
    this.watch =
        source
            .watch(this)
            .orElseThrow(
                () -> new IllegalArgumentException(tree.directory() + ": cannot be watched"));
    synchronized (this) {
      say(unknown);
    }
  }

  MappedTree tree() {
    return tree;
  }

  /** It was asked about once more. */
  synchronized void asked(String map) {
    boolean news = !map.equals(asked);
    asked = map;
    if (news && !seen) {
      anything();
    }
  }

  @Override
  public synchronized void stirred() {
    changes++;
    say(unknown);
  }

  @Override
  public synchronized void changed(Set<String> paths) {
    if (changed.size() + paths.size() > mostChanges) {
      anything = true;
    } else {
      changed.addAll(paths);
    }
    wake();
  }

  @Override
  public synchronized void anything() {
    anything = true;
    wake();
  }

  private void wake() {
    if (!pending) {
      pending = true;
      wanted.run();
    }
  }

  /** Maps what has changed, if anything has, and stores it. Blocks; one call at a time. */
  void map() {
    Set<String> paths;
    boolean all;
    long before;
    synchronized (this) {
      if (!pending || closed) {
        return;
      }
      paths = Set.copyOf(changed);
      all = anything;
      before = changes;
      changed.clear();
      anything = false;
      pending = false;
    }
    try {
      MappingResult result =
          all ? mapping.map(SourceProgress.SILENT) : mapping.remap(paths, SourceProgress.SILENT);
      switch (result) {
        case MappingResult.Refused refused -> LOG.info("not followed: {}", refused.reason());
        case MappingResult.Mapped mapped -> take(mapped, before);
      }
    } catch (RuntimeException failure) {
      LOG.warn("{} is looked through again: it could not be mapped", tree.directory(), failure);
      anything();
    }
  }

  private void take(MappingResult.Mapped mapped, long before) {
    PageMap map = mapped.map();
    boolean same;
    synchronized (this) {
      seen |= map.id().equals(asked);
      if (!seen) {
        LOG.info("{} is not followed: it is not what was asked about", tree.directory());
        return;
      }
      same = map.id().equals(asked) || stored.map(PageMap::id).equals(Optional.of(map.id()));
    }
    if (!same) {
      store.save(map, mapped.pages(), new PageStore.SaveOptions(stored, Optional.empty()));
      LOG.info("{} has changed: map {}", tree.directory(), map.id());
    }
    stored = Optional.of(map);
    synchronized (this) {
      if (changes == before && watch.prompt()) {
        say(new Followed(tree, Optional.of(map.id()), unknown.pid(), unknown.startedMillis()));
      }
    }
  }

  /** In the order of the calls; on other threads, since the caller holds the lock. */
  private void say(Followed now) {
    if (closed || now.equals(said)) {
      return;
    }
    said = now;
    saying =
        saying
            .exceptionally(failed -> null)
            .thenRunAsync(() -> trees.say(now), Thread::startVirtualThread)
            .whenComplete((done, failure) -> {
              if (failure != null) {
                LOG.warn("what is known of {} could not be stored", tree.directory(), failure);
                unsaid();
              }
            });
  }

  private synchronized void unsaid() {
    said = null;
    anything = true;
    wake();
  }

  /** Ends the watch, and says that it is followed no more. Blocks for what is being told of. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    watch.close();
    CompletableFuture<Void> last;
    synchronized (this) {
      last = saying;
    }
    last.exceptionally(failed -> null)
        .thenRun(() -> trees.forget(unknown))
        .exceptionally(failure -> {
          LOG.info("that {} is followed no more could not be stored", tree.directory(), failure);
          return null;
        })
        .join();
  }
}
