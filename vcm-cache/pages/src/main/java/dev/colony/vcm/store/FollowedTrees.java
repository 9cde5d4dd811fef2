package dev.colony.vcm.store;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigRenderOptions;
import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.vcm.mapping.ContentIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which directories were asked about, and which map each of them is now: in the namespace {@code
 * trees} of a tenant's scope. Thread-safe; calls block, and fail with the blackboard's exception
 * where it cannot answer.
 */
public final class FollowedTrees {

  private static final String ASKED = "asked:";
  private static final String FOLLOWED = "followed:";

  private final Blackboard board;

  public FollowedTrees(Blackboards blackboards, String tenant, String writer) {
    board = blackboards.open(Scope.tenant(tenant).namespace("trees"), writer);
  }

  /**
   * A directory that was asked about.
   *
   * @param map the id of the map that it was then, which is stored
   * @param memory the absolute path of a file with what the asker's mapping knew of it, a {@link
   *     dev.colony.vcm.mapping.MappingMemory}; empty where it keeps none
   */
  public record Asked(MappedTree tree, String map, Optional<String> memory) {

    public Asked {
      memory = memory == null ? Optional.empty() : memory;
    }
  }

  /**
   * A directory that a process follows.
   *
   * @param map the id of the map that it is now, which is stored; empty while it is not known
   * @param pid of the process
   * @param startedMillis when that was started, epoch milliseconds: with the pid it names the
   *     process, also after the pid is given to another
   */
  public record Followed(MappedTree tree, Optional<String> map, long pid, long startedMillis) {

    public Followed {
      map = map == null ? Optional.empty() : map;
    }
  }

  /** Has it followed for a time. */
  public void ask(Asked asked, Duration keep) {
    Await.result(board.write(Write.value(ASKED + asked.tree().key(), asked).ttl(keep)));
  }

  /** Those that were asked about, the latest first. */
  List<Asked> asked(int most) {
    return Await.result(board.queryAll(Query.keys(ASKED + "*"))).stream()
        .sorted(Comparator.comparing(Entry::updatedAt).reversed().thenComparing(Entry::key))
        .limit(most)
        .map(entry -> entry.as(Asked.class))
        .toList();
  }

  /**
   * What is known of a directory; empty where it is not followed, or is mapped by other settings or
   * on another machine. Whether the process that follows it is still there, the caller has to see.
   */
  public Optional<Followed> followed(MappedTree tree) {
    return Await.result(board.read(FOLLOWED + tree.key()))
        .map(entry -> entry.as(Followed.class))
        .filter(one -> one.tree().equals(tree));
  }

  void say(Followed followed) {
    Await.result(board.write(Write.value(FOLLOWED + followed.tree().key(), followed)));
  }

  /** That a process follows it no more; does nothing where another one does. */
  void forget(Followed by) {
    followed(by.tree())
        .filter(now -> now.pid() == by.pid() && now.startedMillis() == by.startedMillis())
        .ifPresent(own -> Await.result(board.delete(FOLLOWED + by.tree().key())));
  }

  /**
   * A directory, told from one of the same path on another machine, and what it is mapped by.
   *
   * @param directory its absolute path
   * @param identity device and inode, as the system names them
   * @param settings a digest of all settings that decide about its map
   */
  public record MappedTree(String directory, String identity, String settings) {

    private static final List<String> DECIDING =
        List.of("colony.vcm.source", "colony.vcm.grouping", "colony.vcm.access.sensitivity");

    /** Empty where there is no such directory, or the system does not tell files apart. */
    public static Optional<MappedTree> of(Path directory, Config config) {
      Path absolute = directory.toAbsolutePath().normalize();
      try {
        BasicFileAttributes attributes = Files.readAttributes(absolute, BasicFileAttributes.class);
        Object identity = attributes.fileKey();
        return identity == null || !attributes.isDirectory()
            ? Optional.empty()
            : Optional.of(
                new MappedTree(absolute.toString(), identity.toString(), settings(config)));
      } catch (IOException none) {
        return Optional.empty();
      }
    }

    private static String settings(Config config) {
      StringBuilder all = new StringBuilder();
      DECIDING.forEach(
          path -> all.append(config.getValue(path).render(ConfigRenderOptions.concise())));
      return ContentIds.text(all.toString());
    }

    /** By which what is known of the directory is stored. */
    String key() {
      return ContentIds.text(directory);
    }
  }
}
