package dev.colony.inference.budget;

import dev.colony.inference.budget.Reservation.Entry;
import dev.colony.inference.budget.Reservation.Reserved;
import dev.colony.inference.budget.SpendBook.Batch;
import dev.colony.inference.budget.SpendBook.Outcome;
import dev.colony.inference.budget.SpendStore.Book;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's part of the account of what model calls take: what its calls reserve and settle goes to
 * the store in batches, one at a time for each book, so that a tenant's book is contended for by as
 * many writers as there are nodes, and not calls. What could not be stored is sent again until it
 * is; it is held back in sums, so that it does not grow. Thread-safe; no call blocks.
 *
 * <p>What has reserved nothing and is not stored when the process dies is lost; what has reserved
 * counts with its prompt.
 */
public final class SpendLedger implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SpendLedger.class);
  private static final int RENEWALS = 3;

  /** For how long what reserves nothing is gathered before it is stored. */
  private static final Duration GATHERED = Duration.ofMillis(50);

  private final SpendStore store;
  private final Duration lease;
  private final Map<Book, Lane> lanes = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("spend-ledger").factory());

  /**
   * @param lease for how long the store holds what calls have reserved of which it hears nothing
   */
  public SpendLedger(SpendStore store, Duration lease) {
    this.store = store;
    this.lease = lease;
    long renewal = lease.toNanos() / RENEWALS;
    timer.scheduleWithFixedDelay(this::renew, renewal, renewal, TimeUnit.NANOSECONDS);
  }

  /** Asks whether a call may begin; what is reserved is to be settled. */
  public CompletableFuture<Reservation> reserve(Book book, Entry.Reserve call) {
    return lane(book).reserve(call);
  }

  /** A call that was reserved has ended and took so much. */
  public CompletableFuture<Void> settle(Book book, Reserved reserved, Spend spent) {
    return lane(book).settle(new Entry.Settle(reserved, spent));
  }

  /** A call has ended that reserved nothing. */
  public CompletableFuture<Void> add(Book book, List<String> accounts, Spend spent) {
    return lane(book).add(accounts, spent);
  }

  /** What is not stored yet is given up. */
  @Override
  public void close() {
    timer.shutdownNow();
    lanes.values().forEach(Lane::close);
  }

  private Lane lane(Book book) {
    return lanes.computeIfAbsent(book, Lane::new);
  }

  private void renew() {
    lanes.values().forEach(Lane::renew);
  }

  /** What goes to one book. */
  private final class Lane {

    private record Pending(Entry entry, CompletableFuture<Reservation> answer) {}

    private final Book book;
    private final Map<List<String>, Spend> added = new LinkedHashMap<>();
    private CompletableFuture<Void> addedStored = new CompletableFuture<>();
    private List<Pending> pending = new ArrayList<>();
    private String holder = UUID.randomUUID().toString();
    private long number;
    private long held;
    private boolean sending;
    private boolean closed;

    Lane(Book book) {
      this.book = book;
    }

    CompletableFuture<Reservation> reserve(Entry.Reserve call) {
      return put(call);
    }

    CompletableFuture<Void> settle(Entry.Settle settle) {
      return put(settle).thenApply(none -> null);
    }

    private CompletableFuture<Reservation> put(Entry entry) {
      Pending one = new Pending(entry, new CompletableFuture<>());
      synchronized (this) {
        if (closed) {
          return CompletableFuture.failedFuture(new IllegalStateException("the ledger is closed"));
        }
        pending.add(one);
      }
      send();
      return one.answer();
    }

    CompletableFuture<Void> add(List<String> accounts, Spend spent) {
      CompletableFuture<Void> stored;
      synchronized (this) {
        boolean first = added.isEmpty();
        added.merge(accounts, spent, Spend::plus);
        stored = addedStored.copy();
        if (first && !closed) {
          timer.schedule((Runnable) this::send, GATHERED.toNanos(), TimeUnit.NANOSECONDS);
        }
      }
      return stored;
    }

    void renew() {
      synchronized (this) {
        if (held == 0 || sending) {
          return;
        }
        sending = true;
      }
      send(List.of(), new CompletableFuture<>());
    }

    synchronized void close() {
      closed = true;
    }

    private void send() {
      List<Pending> batch;
      CompletableFuture<Void> sums = null;
      synchronized (this) {
        if (sending || pending.isEmpty() && added.isEmpty()) {
          return;
        }
        sending = true;
        batch = pending;
        pending = new ArrayList<>();
        added.forEach((accounts, spent) ->
            batch.add(new Pending(new Entry.Add(accounts, spent), new CompletableFuture<>())));
        added.clear();
        sums = addedStored;
        addedStored = new CompletableFuture<>();
      }
      send(batch, sums);
    }

    private void send(List<Pending> batch, CompletableFuture<Void> sums) {
      number++;
      enter(batch, sums);
    }

    private void enter(List<Pending> batch, CompletableFuture<Void> sums) {
      List<Entry> entries = batch.stream().map(Pending::entry).toList();
      store
          .enter(book, new Batch(holder, number, lease, entries))
          .whenComplete((outcome, failure) -> {
            switch (outcome) {
              case null -> failed(batch, sums, failure);
              case Outcome.Done done -> ended(batch, sums, done.reservations());
              case Outcome.Known known ->
                  failed(batch, sums, new IllegalStateException("batch " + number + " was known"));
              case Outcome.Lapsed lapsed -> {
                LOG.warn("the lease of what calls have reserved has lapsed; they reserve anew");
                holder = UUID.randomUUID().toString();
                number = 1;
                enter(batch, sums);
              }
            }
          });
    }

    private void failed(List<Pending> batch, CompletableFuture<Void> sums, Throwable failure) {
      synchronized (this) {
        sending = false;
      }
      batch.forEach(one -> one.answer().completeExceptionally(failure));
      sums.completeExceptionally(failure);
    }

    private void ended(
        List<Pending> batch, CompletableFuture<Void> sums, List<Reservation> reservations) {
      int next = 0;
      List<Runnable> answers = new ArrayList<>();
      for (Pending one : batch) {
        switch (one.entry()) {
          case Entry.Reserve reserve -> {
            Reservation reservation = reservations.get(next++);
            held += reservation instanceof Reserved ? 1 : 0;
            answers.add(() -> answer(one, reservation));
          }
          case Entry.Settle settle -> {
            held--;
            answers.add(() -> one.answer().complete(null));
          }
          case Entry.Add add -> answers.add(() -> one.answer().complete(null));
        }
      }
      synchronized (this) {
        sending = false;
      }
      answers.forEach(Runnable::run);
      sums.complete(null);
      send();
    }

    /** A caller that has left takes nothing. */
    private void answer(Pending one, Reservation reservation) {
      if (!one.answer().complete(reservation) && reservation instanceof Reserved reserved) {
        settle(new Entry.Settle(reserved, Spend.NONE));
      }
    }
  }
}
