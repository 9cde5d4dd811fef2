package dev.colony.vcm.table;

import dev.colony.blackboard.Await;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.TableSettings.LeaseBounds;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * The locks and requests of holders on the blackboard: one entry per holder, which ends with its
 * last lease. Each change is a transaction on that entry. Thread-safe; calls block, and fail as the
 * blackboard does, and with {@link IllegalArgumentException} for a name that no holder can have.
 *
 * <p>A locked page is to stay in the caches that have it until its lease ends: it is among no
 * {@linkplain PageTableSnapshot#victims victims}. An engine that evicts by itself does not know of
 * it.
 */
public final class PageLeases {

  private final Blackboard board;
  private final LeaseBounds settings;
  private final Consumer<HolderLeases> changed;

  /**
   * @param board of {@link BlackboardPageTable#SCOPE}
   */
  public PageLeases(Blackboard board, LeaseBounds settings) {
    this(board, settings, leases -> {});
  }

  /**
   * @param changed is told what stands, when it is stored
   */
  PageLeases(Blackboard board, LeaseBounds settings, Consumer<HolderLeases> changed) {
    this.board = board;
    this.settings = settings;
    this.changed = changed;
  }

  /** Locks pages, all or none; one that is locked keeps the later of both ends. */
  public Outcome lock(String holder, Collection<PageId> pages, Duration lease) {
    return change(holder, (now, leases) -> leases.locked(pages, lease, now, settings));
  }

  /** Has locks end so long from now if that is later; refused where one of them does not hold. */
  public Outcome extend(String holder, Collection<PageId> pages, Duration lease) {
    return change(holder, (now, leases) -> leases.extended(pages, lease, now, settings));
  }

  /** Ends a holder's locks of pages; others may hold more. Not held is no error. */
  public HolderLeases unlock(String holder, Collection<PageId> pages) {
    return ended(holder, (now, leases) -> leases.unlocked(pages, now));
  }

  /** Asks for pages, all or none, until the lease ends; see {@link PageTableSnapshot#faults}. */
  public Outcome request(String holder, Collection<PageId> pages, int priority, Duration lease) {
    return change(holder, (now, leases) -> leases.requested(pages, priority, lease, now, settings));
  }

  /** Takes a holder's requests for pages back. Not asked for is no error. */
  public HolderLeases cancel(String holder, Collection<PageId> pages) {
    return ended(holder, (now, leases) -> leases.cancelled(pages, now));
  }

  /** Ends all that a holder has. */
  public HolderLeases end(String holder) {
    return ended(
        holder,
        (now, leases) ->
            leases
                .unlocked(leases.locks().keySet(), now)
                .cancelled(leases.requests().keySet(), now));
  }

  /** What a holder has. */
  public HolderLeases of(String holder) {
    return Await.result(board.read(TableEntries.holder(holder)))
        .map(PageLeases::read)
        .orElse(HolderLeases.none(holder))
        .at(board.clock().instant());
  }

  /** Stores what a holder has where the store has lost it. */
  void restore(HolderLeases lost) {
    Await.result(
        board.transaction(tx ->
            tx.read(TableEntries.holder(lost.holder()))
                .thenCompose(found ->
                    found.isPresent()
                        ? CompletableFuture.completedStage(null)
                        : store(tx, lost, board.clock().instant()))));
  }

  private HolderLeases ended(
      String holder, BiFunction<Instant, HolderLeases, HolderLeases> decision) {
    return switch (change(
        holder, (now, leases) -> new Outcome.Granted(decision.apply(now, leases)))) {
      case Outcome.Granted granted -> granted.leases();
      case Outcome.Refused refused -> throw new IllegalStateException(refused.reason());
    };
  }

  private static HolderLeases read(Entry entry) {
    return TableEntries.leases(entry.key().substring(TableEntries.HOLDER.length()), entry.value());
  }

  private Outcome change(String holder, BiFunction<Instant, HolderLeases, Outcome> decision) {
    String key = TableEntries.holder(holder);
    HolderLeases none = HolderLeases.none(holder);
    Outcome outcome =
        Await.result(
            board.transaction(tx ->
                tx.read(key)
                    .thenCompose(found -> {
                      Instant now = board.clock().instant();
                      Outcome decided =
                          decision.apply(now, found.map(PageLeases::read).orElse(none));
                      return switch (decided) {
                        case Outcome.Granted granted ->
                            store(tx, granted.leases(), now).thenApply(stored -> decided);
                        case Outcome.Refused refused -> CompletableFuture.completedStage(decided);
                      };
                    })));
    if (outcome instanceof Outcome.Granted granted) {
      changed.accept(granted.leases());
    }
    return outcome;
  }

  private static CompletionStage<Void> store(Transaction tx, HolderLeases leases, Instant now) {
    String key = TableEntries.holder(leases.holder());
    Optional<Instant> end = leases.end().filter(last -> last.isAfter(now));
    return end.map(last ->
            tx.write(Write.of(key, TableEntries.write(leases)).ttl(Duration.between(now, last))))
        .orElseGet(() -> tx.delete(key));
  }

  /**
   * That a page stays where it is cached.
   *
   * @param holder who has locked it: an agent by its persistent name, or an operator
   * @param until when it ends by itself, exclusive, by the cluster time
   */
  public record PageLock(PageId page, String holder, Instant until) {}

  /**
   * That a page is wanted in a cache.
   *
   * @param holder who wants it: an agent by its persistent name, or an operator
   * @param priority {@value #LEAST_PRIORITY} to {@value #MOST_PRIORITY}, as of model calls
   * @param since when it was first asked for; asking again keeps it
   * @param until when it ends by itself, exclusive
   */
  public record PageRequest(
      PageId page, String holder, int priority, Instant since, Instant until) {

    public static final int LEAST_PRIORITY = 0;
    public static final int MOST_PRIORITY = 9;

    public PageRequest {
      if (priority < LEAST_PRIORITY || priority > MOST_PRIORITY) {
        throw new IllegalArgumentException(
            "a priority is %d to %d, not: %d".formatted(LEAST_PRIORITY, MOST_PRIORITY, priority));
      }
    }
  }
}
