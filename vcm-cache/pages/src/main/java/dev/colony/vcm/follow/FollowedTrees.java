package dev.colony.vcm.follow;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Query;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Which directories were asked about, and which map each of them is now: in the namespace {@code
 * trees} of a tenant's scope. Thread-safe; no call blocks. Stages fail with the blackboard's
 * exception where it cannot answer.
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
   *     dev.colony.vcm.grouping.MappingMemory}; empty where it keeps none
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
  public CompletionStage<Void> ask(Asked asked, Duration keep) {
    return board
        .write(Write.value(ASKED + asked.tree().key(), asked).ttl(keep))
        .thenApply(written -> null);
  }

  /** Those that were asked about, the latest first. */
  CompletionStage<List<Asked>> asked(int most) {
    return board
        .queryAll(Query.keys(ASKED + "*"))
        .thenApply(entries ->
            entries.stream()
                .sorted(Comparator.comparing(Entry::updatedAt).reversed().thenComparing(Entry::key))
                .limit(most)
                .map(entry -> entry.as(Asked.class))
                .toList());
  }

  /**
   * What is known of a directory; empty where it is not followed, or is mapped by other settings or
   * on another machine. Whether the process that follows it is still there, the caller has to see.
   */
  public CompletionStage<Optional<Followed>> followed(MappedTree tree) {
    return board
        .read(FOLLOWED + tree.key())
        .thenApply(found ->
            found.map(entry -> entry.as(Followed.class)).filter(one -> one.tree().equals(tree)));
  }

  CompletionStage<Void> say(Followed followed) {
    return board
        .write(Write.value(FOLLOWED + followed.tree().key(), followed))
        .thenApply(written -> null);
  }

  /** That a process follows it no more; does nothing where another one does. */
  CompletionStage<Void> forget(Followed by) {
    return followed(by.tree())
        .thenCompose(found ->
            found
                    .filter(
                        now -> now.pid() == by.pid() && now.startedMillis() == by.startedMillis())
                    .isPresent()
                ? board.delete(FOLLOWED + by.tree().key()).thenApply(deleted -> null)
                : CompletableFuture.completedStage(null));
  }
}
