package dev.colony.vcm.store;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.typesafe.config.Config;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingMemory;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.SourceMapping;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.WatchSettings;
import dev.colony.vcm.store.FollowedTrees.MappedTree;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the directories that were asked about last, as far as they are directories of this
 * machine and are mapped by the settings of this process. All of it happens on one thread of low
 * priority, beside a thread for each watch. One process of a cluster does so at a time.
 */
public final class TreeFollowers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TreeFollowers.class);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration ANSWER = Duration.ofSeconds(30);

  private final Config config;
  private final TreeSettings settings;
  private final WatchSettings watching;
  private final SourceSettings reading;
  private final PageMapper mapper;
  private final PageLabel label;
  private final PageStore store;
  private final FollowedTrees trees;
  private final long startedMillis =
      ProcessHandle.current().info().startInstant().map(at -> at.toEpochMilli()).orElse(0L);
  private final ScheduledExecutorService thread;

  // Of the thread.
  private final Map<MappedTree, One> followed = new HashMap<>();

  /** A directory, and what follows it; nothing where it cannot be watched. */
  private static final class One {
    private Optional<TreeFollower> follower = Optional.empty();
    private Optional<Stopwatch> sinceMapped = Optional.empty();
  }

  private TreeFollowers(
      Config config, TreeSettings settings, PageStore store, FollowedTrees trees) {
    this.config = config;
    this.store = store;
    this.trees = trees;
    this.settings = settings;
    watching = WatchSettings.USUAL.debounce(settings.quiet());
    reading = SourceSettings.fromConfig(config).sparing();
    GroupingSettings grouping = GroupingSettings.fromConfig(config);
    mapper = new PageMapper(grouping, reading, TokenCounter.named(grouping.tokenizer()));
    label = PageLabel.of(PageAccessSettings.fromConfig(config).sensitivity());
    thread =
        Executors.newSingleThreadScheduledExecutor(task -> {
          Thread one = Thread.ofPlatform().daemon().name("tree-follower").unstarted(task);
          one.setPriority(Thread.MIN_PRIORITY);
          return one;
        });
  }

  /**
   * Begins to follow.
   *
   * @param store where maps are stored
   */
  public static TreeFollowers start(Config config, PageStore store, FollowedTrees trees) {
    return start(config, TreeSettings.fromConfig(config), store, trees);
  }

  static TreeFollowers start(
      Config config, TreeSettings settings, PageStore store, FollowedTrees trees) {
    TreeFollowers all = new TreeFollowers(config, settings, store, trees);
    long look = all.settings.look().toMillis();
    all.thread.scheduleWithFixedDelay(all::look, look, look, TimeUnit.MILLISECONDS);
    return all;
  }

  private void look() {
    List<FollowedTrees.Asked> asked;
    try {
      asked = trees.asked(settings.most());
    } catch (RuntimeException failure) {
      LOG.info("which directories to follow is not known now: {}", failure.toString());
      return;
    }
    Map<MappedTree, FollowedTrees.Asked> here = new HashMap<>();
    for (FollowedTrees.Asked one : asked) {
      Path directory = Path.of(one.tree().directory());
      if (MappedTree.of(directory, config).equals(Optional.of(one.tree()))) {
        here.put(one.tree(), one);
      }
    }
    followed
        .entrySet()
        .removeIf(one -> {
          boolean gone = !here.containsKey(one.getKey());
          if (gone) {
            one.getValue().follower.ifPresent(TreeFollower::close);
          }
          return gone;
        });
    here.forEach(this::follow);
  }

  private void follow(MappedTree tree, FollowedTrees.Asked asked) {
    One known = followed.get(tree);
    if (known != null) {
      known.follower.ifPresent(one -> one.asked(asked.map()));
      return;
    }
    FileTreeSource source = new FileTreeSource(Path.of(tree.directory()), reading, watching);
    One one = new One();
    followed.put(tree, one);
    try {
      one.follower =
          Optional.of(
              new TreeFollower(
                  asked,
                  new FollowedTrees.Followed(
                      tree, Optional.empty(), ProcessHandle.current().pid(), startedMillis),
                  source,
                  mapping(source, asked.memory()),
                  store,
                  trees,
                  watching.mostChanges(),
                  () -> schedule(one)));
      schedule(one);
    } catch (RuntimeException refused) {
      LOG.info("not followed: {}", refused.toString());
    }
  }

  /** One that goes on from what the asker's knew, where that can be read; else it reads all. */
  private SourceMapping mapping(FileTreeSource source, Optional<String> memory) {
    SourceMapping mapping = mapper.of(source, label);
    memory
        .map(Path::of)
        .ifPresent(file -> {
          try {
            mapping.recall(
                ValueMapper.read(
                    file.toString(), JSON.readTree(file.toFile()), MappingMemory.class));
          } catch (IOException | RuntimeException other) {
            LOG.debug("{} is read as a whole", source, other);
          }
        });
    return mapping;
  }

  /** At once, or when the pause is over; what has nothing to do by then does nothing. */
  private void schedule(One one) {
    try {
      thread.execute(() -> {
        Duration left =
            one.sinceMapped
                .map(since -> settings.pause().minus(since.elapsed()))
                .orElse(Duration.ZERO);
        if (left.isPositive()) {
          thread.schedule(() -> map(one), left.toNanos(), TimeUnit.NANOSECONDS);
        } else {
          map(one);
        }
      });
    } catch (RejectedExecutionException closed) {
      LOG.debug("nothing is followed any more");
    }
  }

  private static void map(One one) {
    one.sinceMapped = Optional.of(Stopwatch.start());
    one.follower.ifPresent(TreeFollower::map);
  }

  /** Ends what is under way, and says that nothing is followed any more. Blocks. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(ANSWER.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("a directory is still being mapped");
        return;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return;
    }
    followed.values().forEach(one -> one.follower.ifPresent(TreeFollower::close));
    followed.clear();
  }

  /**
   * Which directories a cluster follows: what of it are keys is described in {@code
   * reference.conf}.
   *
   * @param most directories, the last that were asked about
   * @param quiet how long no further change must have come before one is mapped again
   * @param pause the least time between two mappings of one
   * @param look how often it is looked which are to be followed
   * @param keep how long one is followed after it was asked about
   */
  public record TreeSettings(
      int most, Duration quiet, Duration pause, Duration look, Duration keep) {

    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Duration KEEP = Duration.ofHours(8);

    @Section("colony.vcm.watch.trees")
    private record Keys(
        @Range(min = "0", max = "1000") int most,
        @Range(min = "1 ms", max = "1 day") Duration pause) {}

    public static TreeSettings fromConfig(Config config) {
      Keys keys = Settings.read(Keys.class, config);
      return new TreeSettings(keys.most, QUIET, keys.pause, LOOK, KEEP);
    }
  }
}
