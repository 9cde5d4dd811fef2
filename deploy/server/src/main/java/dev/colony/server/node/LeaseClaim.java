package dev.colony.server.node;

import dev.colony.blackboard.clock.Deadline;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.server.node.LeaseClaim.LeaseState.Next;
import dev.colony.server.node.RedisLease.LeaseOutcome;
import dev.colony.server.node.RedisLease.LeaseStore;
import dev.colony.server.node.RedisLease.LeaseTerms;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one node does for the lease: asks for it until Redis has answered, renews it while it is
 * held, and gives it back.
 *
 * <p>Who gets no answer in time must not have the lease, for its side goes down and the other one
 * needs it. But a call that was sent may be carried out at any later time, by a server that hung.
 * So each call to take it names the time of Redis' clock until which it counts, half of what is
 * left to wait, and one whose caller has given up is taken back.
 *
 * <p>Whether it is held is judged by this process' monotonic clock, from when the last successful
 * renewal was sent. A renewal that fails changes nothing: as long as no other side has taken the
 * lease, it is renewed after its time too. Which side has had it since is told by the claim.
 *
 * <p>Thread-safe. Nothing blocks. Operations are carried out one after the other.
 */
final class LeaseClaim implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LeaseClaim.class);
  private static final long PAUSE_MILLIS = 200;

  private final LeaseStore store;
  private final String self;
  private final Predicate<String> sameSide;
  private final LeaseTerms terms;
  private final Consumer<LeaseOutcome> listener;
  private final ScheduledExecutorService timer;

  private Held held;
  private Stopwatch lastUsed;
  private CompletionStage<?> previous = CompletableFuture.completedStage(null);

  /** An acquisition that has succeeded and is not over. */
  private static final class Held {
    final String claim;
    final String before;
    final Consumer<Optional<Throwable>> onLost;
    Stopwatch renewed;
    boolean late;

    Held(String claim, String before, Consumer<Optional<Throwable>> onLost, Stopwatch renewed) {
      this.claim = claim;
      this.before = before;
      this.onLost = onLost;
      this.renewed = renewed;
    }
  }

  /** One call for the lease, which ends with an answer or when its time is over. */
  private static final class Wish {
    final String fresh = UUID.randomUUID().toString();
    final CompletableFuture<Boolean> answer = new CompletableFuture<>();
    final Consumer<Optional<Throwable>> onLost;
    final Deadline deadline;
    boolean settled;

    Wish(Consumer<Optional<Throwable>> onLost, Deadline deadline) {
      this.onLost = onLost;
      this.deadline = deadline;
    }
  }

  /**
   * @param self who takes part, by a name that no earlier process had
   * @param sameSide whether a node is a member that this one reaches
   * @param listener told what comes of it, by threads that must not be held up
   * @param timer stays the caller's
   */
  LeaseClaim(
      LeaseStore store,
      String self,
      Predicate<String> sameSide,
      LeaseTerms terms,
      Consumer<LeaseOutcome> listener,
      ScheduledExecutorService timer) {
    this.store = store;
    this.self = self;
    this.sameSide = sameSide;
    this.terms = terms;
    this.listener = listener;
    this.timer = timer;
  }

  /**
   * Asks for the lease: true when it is held; false when another side holds it, or Redis has not
   * answered within the operation timeout.
   *
   * @param onLost called once when it is no longer held, with a failure if Redis could not be asked
   */
  synchronized CompletionStage<Boolean> acquire(Consumer<Optional<Throwable>> onLost) {
    Wish wish = new Wish(onLost, Deadline.in(terms.operationTimeout()));
    previous.whenComplete((over, failed) -> ask(wish));
    previous = wish.answer;
    again(() -> giveUp(wish), terms.operationTimeout().toMillis());
    return wish.answer;
  }

  private void ask(Wish wish) {
    if (settled(wish)) {
      return;
    }
    store
        .look()
        .thenCompose(seen ->
            switch (seen.next(self, sameSide, wish.fresh)) {
              case Next.Leave(String holder) -> {
                refused(wish, holder);
                yield CompletableFuture.completedStage(null);
              }
              case Next.Take(String claim) -> take(wish, seen, claim);
            })
        .whenComplete((done, failure) -> {
          if (failure != null) {
            LOG.debug("the lease cannot be asked for", failure);
          }
          if (!settled(wish)) {
            again(() -> ask(wish), PAUSE_MILLIS);
          }
        });
  }

  private CompletionStage<Void> take(Wish wish, LeaseState seen, String claim) {
    // A server that hung may have answered the look after the caller has given up.
    if (wish.deadline.passed()) {
      return CompletableFuture.completedStage(null);
    }
    Stopwatch sent = Stopwatch.start();
    long window = wish.deadline.left().toMillis() / 2;
    return store
        .take(seen, claim, seen.now() + window)
        .thenAccept(answer -> {
          if (answer.done()) {
            hold(wish, new Held(claim, seen.claim(), wish.onLost, sent));
          }
        });
  }

  private void hold(Wish wish, Held now) {
    synchronized (this) {
      if (!settle(wish)) {
        store.release(now.claim);
        return;
      }
      held = now;
      lastUsed = Stopwatch.start();
    }
    again(() -> renew(now), terms.heartbeatInterval().toMillis());
    listener.accept(new LeaseOutcome.Won());
    wish.answer.complete(true);
  }

  private void refused(Wish wish, String holder) {
    if (settle(wish)) {
      listener.accept(new LeaseOutcome.Denied(holder));
      wish.answer.complete(false);
    }
  }

  private void giveUp(Wish wish) {
    if (settle(wish)) {
      store.release(wish.fresh);
      listener.accept(new LeaseOutcome.Unanswered(terms.operationTimeout()));
      wish.answer.complete(false);
    }
  }

  /** True the first time: whose answer this is. */
  private synchronized boolean settle(Wish wish) {
    boolean first = !wish.settled;
    wish.settled = true;
    return first;
  }

  private synchronized boolean settled(Wish wish) {
    return wish.settled;
  }

  private void renew(Held own) {
    if (!current(own)) {
      return;
    }
    Stopwatch sent = Stopwatch.start();
    store
        .renew(own.claim, own.before)
        .whenComplete((seen, failure) -> {
          if (failure != null) {
            late(own, failure);
            again(() -> renew(own), PAUSE_MILLIS);
          } else {
            switch (seen.renewal(own.claim)) {
              case KEPT -> {
                kept(own, sent);
                again(() -> renew(own), terms.heartbeatInterval().toMillis());
              }
              case PASSED_ON -> drop(own);
              case LOST -> {
                if (drop(own)) {
                  listener.accept(new LeaseOutcome.Lost(seen.holder()));
                  own.onLost.accept(Optional.empty());
                }
              }
            }
          }
        });
  }

  private synchronized boolean current(Held own) {
    return held == own;
  }

  private synchronized void kept(Held own, Stopwatch sent) {
    own.renewed = sent;
    own.late = false;
  }

  private synchronized boolean drop(Held own) {
    boolean was = held == own;
    if (was) {
      held = null;
    }
    return was;
  }

  /** Its time is over, and whether another side has taken it is not known. */
  private void late(Held own, Throwable failure) {
    boolean news;
    synchronized (this) {
      news = held == own && !own.late && !valid(own);
      own.late |= news;
    }
    if (news) {
      LOG.warn("the lease is not renewed in time: {}", failure.toString());
      own.onLost.accept(Optional.of(failure));
    }
  }

  private boolean valid(Held own) {
    return !own.renewed.isOver(terms.heartbeatTimeout());
  }

  /** Whether it is held; asked when something is decided by it. */
  synchronized boolean held() {
    boolean valid = held != null && valid(held);
    if (valid) {
      lastUsed = Stopwatch.start();
    }
    return valid;
  }

  /**
   * Gives it back. True if it is not this node's any more; false, and nothing is done, as long as
   * {@code release-after} is not over since the last decision: those whom it concerns may not have
   * asked yet.
   */
  synchronized CompletionStage<Boolean> release() {
    if (held == null) {
      return CompletableFuture.completedStage(true);
    }
    if (!lastUsed.isOver(terms.releaseAfter())) {
      return CompletableFuture.completedStage(false);
    }
    String claim = held.claim;
    held = null;
    CompletionStage<Boolean> released =
        store
            .release(claim)
            .handle((answer, failure) -> {
              if (failure != null) {
                LOG.warn(
                    "the lease is not given back, and free when its time is over: {}",
                    failure.toString());
              }
              return true;
            });
    previous = released;
    return released;
  }

  private void again(Runnable task, long millis) {
    if (!timer.isShutdown()) {
      timer.schedule(task, millis, TimeUnit.MILLISECONDS);
    }
  }

  /** Renews nothing any more. The lease is not given back: it is free when its time is over. */
  @Override
  public synchronized void close() {
    held = null;
  }

  /**
   * What stood in Redis of a lease when a script looked.
   *
   * @param now the clock of Redis, epoch milliseconds
   * @param holder who holds it; empty where it is free or its time is over
   * @param claim names the last acquisition, whether it is over or not; empty where there was none
   * @param done whether what the script was asked to do is done
   */
  record LeaseState(long now, String holder, String claim, boolean done) {

    /** What one who wants the lease does next. */
    sealed interface Next {

      /**
       * To be taken, if it is still as it was seen.
       *
       * @param claim under which; that of the holder where the lease only changes hands within a
       *     side
       */
      record Take(String claim) implements Next {}

      /** Another side holds it. */
      record Leave(String holder) implements Next {}
    }

    /** What became of a lease that its holder wanted to renew. */
    enum Renewal {
      /** It is held for another while. */
      KEPT,
      /** Another node of the same side has it, under the same claim, or it was given back. */
      PASSED_ON,
      /** There was an acquisition since: another side has, or had, the lease. */
      LOST
    }

    /**
     * Decides for a node that wants the lease. A lease that a node of its own side holds, from an
     * earlier decision, is taken over: a side that has won is not to lose because another of its
     * nodes decides the next time.
     *
     * @param self the node
     * @param sameSide whether a node is a member that this one reaches
     * @param fresh a claim that no acquisition has had
     */
    Next next(String self, Predicate<String> sameSide, String fresh) {
      if (holder.isEmpty()) {
        return new Next.Take(fresh);
      }
      return holder.equals(self) || sameSide.test(holder)
          ? new Next.Take(claim)
          : new Next.Leave(holder);
    }

    /** What the answer to a renewal means for one who held the lease under a claim. */
    Renewal renewal(String own) {
      if (done) {
        return Renewal.KEPT;
      }
      return claim.equals(own) ? Renewal.PASSED_ON : Renewal.LOST;
    }
  }
}
