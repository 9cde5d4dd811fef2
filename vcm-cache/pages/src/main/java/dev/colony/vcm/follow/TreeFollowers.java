package dev.colony.vcm.follow;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.blackboard.value.ValueMapper;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.grouping.MappingMemory;
import dev.colony.vcm.grouping.PageMapper;
import dev.colony.vcm.grouping.SourceMapping;
import dev.colony.vcm.settings.GroupingSettings;
import dev.colony.vcm.settings.PageAccessSettings;
import dev.colony.vcm.settings.SourceSettings;
import dev.colony.vcm.settings.TreeSettings;
import dev.colony.vcm.settings.WatchSettings;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.tokens.TokenCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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

  private TreeFollowers(Config config, PageStore store, FollowedTrees trees) {
    this.config = config;
    this.store = store;
    this.trees = trees;
    settings = TreeSettings.fromConfig(config);
    WatchSettings usual = WatchSettings.fromConfig(config);
    watching =
        new WatchSettings(
            settings.quiet(), usual.pollInterval(), usual.mostDirectories(), usual.mostChanges());
    GroupingSettings grouping = GroupingSettings.fromConfig(config);
    mapper = new PageMapper(grouping, sparing(config), TokenCounter.named(grouping.tokenizer()));
    label = PageLabel.of(PageAccessSettings.fromConfig(config).sensitivity());
    thread =
        Executors.newSingleThreadScheduledExecutor(task -> {
          Thread one = Thread.ofPlatform().daemon().name("tree-follower").unstarted(task);
          one.setPriority(Thread.MIN_PRIORITY);
          return one;
        });
  }

  /** No text is held between two mappings, and one processor is enough. */
  private static SourceSettings sparing(Config config) {
    return SourceSettings.fromConfig(
        config
            .withValue("colony.vcm.source.hold-bytes", ConfigValueFactory.fromAnyRef(0))
            .withValue("colony.vcm.source.parallelism", ConfigValueFactory.fromAnyRef(1)));
  }

  /**
   * Begins to follow.
   *
   * @param store where maps are stored
   */
  public static TreeFollowers start(Config config, PageStore store, FollowedTrees trees) {
    TreeFollowers all = new TreeFollowers(config, store, trees);
    long look = all.settings.look().toMillis();
    all.thread.scheduleWithFixedDelay(all::look, look, look, TimeUnit.MILLISECONDS);
    return all;
  }

  private void look() {
    List<FollowedTrees.Asked> asked;
    try {
      asked =
          trees
              .asked(settings.most())
              .toCompletableFuture()
              .get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
      return;
    } catch (ExecutionException | TimeoutException failure) {
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
    FileTreeSource source =
        new FileTreeSource(Path.of(tree.directory()), sparing(config), watching);
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
}
