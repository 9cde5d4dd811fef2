package dev.colony.vcm.table;

import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Entry;
import dev.colony.blackboard.Transaction;
import dev.colony.blackboard.Write;
import dev.colony.vcm.PageId;
import dev.colony.vcm.settings.LeaseSettings;
import dev.colony.vcm.table.HolderLeases.Outcome;
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
 * last lease. Each change is a transaction on that entry. Thread-safe; no call blocks; stages fail
 * as the blackboard does, and with {@link IllegalArgumentException} for a name that no holder can
 * have.
 *
 * <p>A locked page is to stay in the caches that have it until its lease ends: it is among no
 * {@linkplain PageTableSnapshot#victims victims}. An engine that evicts by itself does not know of
 * it.
 */
public final class PageLeases {

  private final Blackboard board;
  private final LeaseSettings settings;
  private final Consumer<HolderLeases> changed;

  /**
   * @param board of {@link BlackboardPageTable#SCOPE}
   */
  public PageLeases(Blackboard board, LeaseSettings settings) {
    this(board, settings, leases -> {});
  }

  /**
   * @param changed is told what stands, when it is stored
   */
  PageLeases(Blackboard board, LeaseSettings settings, Consumer<HolderLeases> changed) {
    this.board = board;
    this.settings = settings;
    this.changed = changed;
  }

  /** Locks pages, all or none; one that is locked keeps the later of both ends. */
  public CompletionStage<Outcome> lock(String holder, Collection<PageId> pages, Duration lease) {
    return change(holder, (now, leases) -> leases.locked(pages, lease, now, settings));
  }

  /** Has locks end so long from now if that is later; refused where one of them does not hold. */
  public CompletionStage<Outcome> extend(String holder, Collection<PageId> pages, Duration lease) {
    return change(holder, (now, leases) -> leases.extended(pages, lease, now, settings));
  }

  /** Ends a holder's locks of pages; others may hold more. Not held is no error. */
  public CompletionStage<HolderLeases> unlock(String holder, Collection<PageId> pages) {
    return change(holder, (now, leases) -> new Outcome.Granted(leases.unlocked(pages, now)))
        .thenApply(PageLeases::granted);
  }

  /** Asks for pages, all or none, until the lease ends; see {@link PageTableSnapshot#faults}. */
  public CompletionStage<Outcome> request(
      String holder, Collection<PageId> pages, int priority, Duration lease) {
    return change(holder, (now, leases) -> leases.requested(pages, priority, lease, now, settings));
  }

  /** Takes a holder's requests for pages back. Not asked for is no error. */
  public CompletionStage<HolderLeases> cancel(String holder, Collection<PageId> pages) {
    return change(holder, (now, leases) -> new Outcome.Granted(leases.cancelled(pages, now)))
        .thenApply(PageLeases::granted);
  }

  /** Ends all that a holder has. */
  public CompletionStage<HolderLeases> end(String holder) {
    return change(
            holder,
            (now, leases) ->
                new Outcome.Granted(
                    leases
                        .unlocked(leases.locks().keySet(), now)
                        .cancelled(leases.requests().keySet(), now)))
        .thenApply(PageLeases::granted);
  }

  /** What a holder has. */
  public CompletionStage<HolderLeases> of(String holder) {
    HolderLeases none = HolderLeases.none(holder);
    return board
        .read(TableKeys.holder(holder))
        .thenApply(found -> found.map(PageLeases::read).orElse(none).at(board.clock().instant()));
  }

  /** Stores what a holder has where the store has lost it. */
  CompletionStage<Void> restore(HolderLeases lost) {
    return board.transaction(tx ->
        tx.read(TableKeys.holder(lost.holder()))
            .thenCompose(found ->
                found.isPresent()
                    ? CompletableFuture.completedStage(null)
                    : store(tx, lost, board.clock().instant())));
  }

  private static HolderLeases granted(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Granted granted -> granted.leases();
      case Outcome.Refused refused -> throw new IllegalStateException(refused.reason());
    };
  }

  private static HolderLeases read(Entry entry) {
    return TableJson.leases(entry.key().substring(TableKeys.HOLDER.length()), entry.value());
  }

  private CompletionStage<Outcome> change(
      String holder, BiFunction<Instant, HolderLeases, Outcome> decision) {
    HolderLeases none = HolderLeases.none(holder);
    CompletionStage<Outcome> stored =
        board.transaction(tx ->
            tx.read(TableKeys.holder(holder))
                .thenCompose(found -> {
                  Instant now = board.clock().instant();
                  HolderLeases before = found.map(PageLeases::read).orElse(none);
                  Outcome outcome = decision.apply(now, before);
                  return switch (outcome) {
                    case Outcome.Granted granted ->
                        store(tx, granted.leases(), now).thenApply(nothing -> outcome);
                    case Outcome.Refused refused -> CompletableFuture.completedStage(outcome);
                  };
                }));
    return stored.thenApply(outcome -> {
      if (outcome instanceof Outcome.Granted granted) {
        changed.accept(granted.leases());
      }
      return outcome;
    });
  }

  private static CompletionStage<Void> store(Transaction tx, HolderLeases leases, Instant now) {
    String key = TableKeys.holder(leases.holder());
    Optional<Instant> end = leases.end().filter(last -> last.isAfter(now));
    return end.map(last ->
            tx.write(Write.of(key, TableJson.write(leases)).ttl(Duration.between(now, last))))
        .orElseGet(() -> tx.delete(key));
  }
}
