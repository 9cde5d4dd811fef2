package dev.colony.vcm.source;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;

import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the directories of a tree through the system's file events, on one thread.
 *
 * <p>Events are gathered until none has come for the debounce time, so that a checkout is told of
 * once; ten times that at most. More changes than may be kept, events that the system has lost, and
 * directories that came or went are told of as {@link SourceWatch.Listener#anything}. Where the
 * system lets no more directories be watched, or the tree has more than may be, those beyond are
 * not watched, which is logged, and anything is told of at every poll interval.
 */
public final class TreeWatch implements SourceWatch {

  private static final Logger LOG = LoggerFactory.getLogger(TreeWatch.class);
  private static final int LONGEST_IN_DEBOUNCES = 10;

  private final Path root;
  private final Predicate<Path> watched;
  private final WatchSettings settings;
  private final Listener listener;
  private final WatchService service;
  private final Thread thread;

  // Of the thread, and of the start before it.
  private final Map<WatchKey, Path> directories = new HashMap<>();
  private final Set<String> changed = new HashSet<>();
  private boolean anything;
  private volatile boolean partly;

  private TreeWatch(
      Path root,
      Predicate<Path> watched,
      WatchSettings settings,
      Listener listener,
      WatchService service) {
    this.root = root;
    this.watched = watched;
    this.settings = settings;
    this.listener = listener;
    this.service = service;
    this.thread = Thread.ofPlatform().daemon().name("source-watch").unstarted(this::run);
  }

  /**
   * Watches from now on.
   *
   * @param watched which directories below the root are
   * @throws UncheckedIOException if the system can watch nothing
   */
  public static TreeWatch start(
      Path root, Predicate<Path> watched, WatchSettings settings, Listener listener) {
    WatchService service;
    try {
      service = root.getFileSystem().newWatchService();
    } catch (IOException refused) {
      throw new UncheckedIOException(root + ": cannot be watched", refused);
    }
    TreeWatch watch = new TreeWatch(root, watched, settings, listener, service);
    watch.register(root);
    watch.thread.start();
    return watch;
  }

  private void register(Path directory) {
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path at, BasicFileAttributes attributes)
                throws IOException {
              if (!at.equals(root) && !watched.test(at)) {
                return FileVisitResult.SKIP_SUBTREE;
              }
              if (directories.size() >= settings.mostDirectories()) {
                throw new IOException("more than " + settings.mostDirectories() + " directories");
              }
              directories.put(at.register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE), at);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException full) {
      if (!partly) {
        partly = true;
        LOG.warn(
            "not all directories of {} are watched ({}); it is looked through every {} s",
            root,
            full.getMessage(),
            settings.pollInterval().toSeconds());
      }
    }
  }

  private void run() {
    try {
      while (true) {
        gather(poll());
        listener.stirred();
        Stopwatch gathering = Stopwatch.start();
        Duration longest = settings.debounce().multipliedBy(LONGEST_IN_DEBOUNCES);
        WatchKey next;
        while (!gathering.isOver(longest)
            && (next = service.poll(settings.debounce().toNanos(), TimeUnit.NANOSECONDS)) != null) {
          gather(next);
        }
        tell();
      }
    } catch (ClosedWatchServiceException | InterruptedException closed) {
      // the watch has ended
    }
  }

  /** Null where the time to look at everything has come. */
  private WatchKey poll() throws InterruptedException {
    return partly
        ? service.poll(settings.pollInterval().toNanos(), TimeUnit.NANOSECONDS)
        : service.take();
  }

  private void gather(WatchKey key) {
    if (key == null) {
      anything = true;
      return;
    }
    Path directory = directories.get(key);
    for (WatchEvent<?> event : key.pollEvents()) {
      if (event.kind() == OVERFLOW || directory == null) {
        anything = true;
      } else {
        Path entry = directory.resolve((Path) event.context());
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          if (event.kind() == ENTRY_CREATE && watched.test(entry)) {
            register(entry);
            anything = true;
          }
        } else if (changed.size() < settings.mostChanges()) {
          changed.add(root.relativize(entry).toString().replace('\\', '/'));
        } else {
          anything = true;
        }
      }
    }
    if (!key.reset()) {
      directories.remove(key);
      anything = true;
    }
  }

  private void tell() {
    try {
      if (anything) {
        listener.anything();
      } else if (!changed.isEmpty()) {
        listener.changed(Set.copyOf(changed));
      }
    } catch (RuntimeException failure) {
      LOG.warn("a change of {} was not dealt with", root, failure);
    }
    anything = false;
    changed.clear();
  }

  @Override
  public boolean prompt() {
    return !partly;
  }

  @Override
  public void close() {
    try {
      service.close();
    } catch (IOException failure) {
      LOG.debug("the watch of {} ended with a failure", root, failure);
    }
    try {
      if (Thread.currentThread() != thread) {
        thread.join();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
