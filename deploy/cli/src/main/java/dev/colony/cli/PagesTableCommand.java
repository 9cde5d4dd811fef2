package dev.colony.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.server.http.PageViews.PageEntryView;
import dev.colony.server.http.PageViews.PageFaultsView;
import dev.colony.server.http.PageViews.PageLockView;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageLeases;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.TableChange;
import dev.colony.vcm.table.TableSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "table",
    description = {
      "Shows which replica holds how many pages, locks of pages, and pages that are asked for and"
          + " in no cache.",
    })
final class PagesTableCommand extends StoreCommand {

  @Option(
      names = "--replica",
      paramLabel = "NAME",
      description = "Shows each page of this replica, too.")
  private String replica;

  @Mixin private LimitOption limit;

  record PageTable(
      List<Replica> replicas,
      int groups,
      int units,
      PageLocksView locked,
      PageFaultsView waited,
      List<PageEntryView> entries) {}

  /** What a replica holds; a listed server belongs to no node. */
  record Replica(String replica, Optional<String> node, int pages, long tokens) {}

  /** A table as it is read, for one moment. */
  private record Read(PageTableSnapshot table, Instant at) {}

  @Override
  public Integer call() {
    int most = limit.checked();
    Read read =
        board.with(blackboards -> {
          try (BlackboardPageTable table =
              new BlackboardPageTable(
                  blackboards, BoardOptions.WRITER, TableSettings.fromConfig(board.config()))) {
            table.loaded().toCompletableFuture().join();
            return new Read(table.snapshot(), blackboards.clock().instant());
          }
        });
    PageTableSnapshot table = read.table();
    List<PageEntry> entries =
        replica == null
            ? List.of()
            : table.ids().stream()
                .filter(one -> one.value().equals(replica))
                .findFirst()
                .map(one -> table.entries(one, read.at()))
                .orElseThrow(
                    () -> CommandFailure.unsuccessful("no replica %s is known".formatted(replica)));
    PageTable all =
        new PageTable(
            table.ids().stream()
                .map(one ->
                    new Replica(
                        one.toString(),
                        table.replica(one).map(known -> known.node().toString()),
                        table.pages(one).size(),
                        table.pages(one).values().stream().mapToLong(tokens -> tokens).sum()))
                .toList(),
            table.assignments().size(),
            table.units().size(),
            PageLocksView.of(table.locks(read.at())),
            PageFaultsView.of(table.faults(read.at())),
            entries.stream().limit(most).map(PageEntryView::of).toList());
    return json.print(all, () -> text(all, most));
  }

  private static String line(PageLockView lock) {
    return "%s locked by %s until %s".formatted(lock.page(), lock.holder(), lock.until());
  }

  private static String text(PageTable all, int most) {
    List<String> lines = new ArrayList<>();
    if (all.replicas().isEmpty()) {
      lines.add("no replica has reported its pages");
    }
    for (Replica one : all.replicas()) {
      lines.add(
          "%s on %s: %d pages, %,d tokens"
              .formatted(one.replica(), one.node().orElse("no node"), one.pages(), one.tokens()));
    }
    lines.add("%d groups in %d units".formatted(all.groups(), all.units()));
    all.locked().locks().stream().limit(most).map(PagesTableCommand::line).forEach(lines::add);
    all.waited().faults().stream()
        .limit(most)
        .map(fault ->
            "%s asked for, priority %d, since %s, by %s"
                .formatted(
                    fault.page(),
                    fault.priority(),
                    fault.since(),
                    String.join(", ", fault.waiters())))
        .forEach(lines::add);
    for (PageEntryView entry : all.entries()) {
      lines.add(
          "%s %-8s %6d tokens, %d readers, last use %s%s"
              .formatted(
                  entry.page(),
                  entry.state().name().toLowerCase(Locale.ROOT),
                  entry.tokens(),
                  entry.readers(),
                  entry.lastUse().map(Instant::toString).orElse("unknown"),
                  entry.lockedUntil().map(until -> ", locked until " + until).orElse("")));
    }
    return Printable.lines(String.join("\n", lines));
  }

  @Command(
      name = "watch",
      description = {
        "Prints residency, locks and faults of pages as they change, a line each, until Ctrl-C.",
        "First come the pages that are in caches already.",
      })
  static final class PagesWatchCommand extends StoreCommand {

    /** Locks end by themselves, of which nothing tells. */
    private static final long LOOK_MILLIS = 500;

    @Parameters(paramLabel = "PAGE", arity = "0..*", description = "Of these only (default: all).")
    private Set<String> given = Set.of();

    @Option(
        names = "--count",
        paramLabel = "N",
        description = "Ends after so many changes (default: never).")
    private Long count;

    private final Semaphore updates = new Semaphore(0);
    private volatile boolean stopped;

    @Override
    public Integer call() {
      if (count != null && count < 1) {
        throw CommandFailure.badInput("--count is %d, but must be at least 1".formatted(count));
      }
      BoardOptions.refusing(() -> given.stream().map(PageId::new).toList());
      OnExit onExit =
          OnExit.run(() -> {
            stopped = true;
            updates.release();
          });
      try {
        return board.with(this::watch).status();
      } finally {
        onExit.close();
      }
    }

    private ExitCode watch(Blackboards blackboards) {
      try (BlackboardPageTable table =
          new BlackboardPageTable(
              blackboards, BoardOptions.WRITER, TableSettings.fromConfig(board.config()))) {
        table.onUpdate(updates::release);
        table.loaded().toCompletableFuture().join();
        BoardOptions.note("watching; Ctrl-C ends it");
        var out = System.out;
        PageTableSnapshot before = PageTableSnapshot.EMPTY;
        Instant then = Instant.EPOCH;
        long most = count == null ? Long.MAX_VALUE : count;
        long printed = 0;
        while (!stopped && printed < most) {
          PageTableSnapshot now = table.snapshot();
          Instant at = blackboards.clock().instant();
          for (TableChange change : TableChange.between(before, then, now, at)) {
            if (printed < most && (given.isEmpty() || given.contains(change.page().value()))) {
              out.println(
                  json.given()
                      ? Printable.line(json(change, at))
                      : Printable.of(at + "  " + text(change)));
              printed++;
            }
          }
          if (out.checkError()) {
            return ExitCode.UNSUCCESSFUL;
          }
          before = now;
          then = at;
          if (printed < most) {
            await();
          }
        }
        return printed == most ? ExitCode.OK : ExitCode.UNSUCCESSFUL;
      }
    }

    private void await() {
      try {
        if (updates.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
          updates.drainPermits();
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        stopped = true;
      }
    }

    private static String text(TableChange change) {
      return switch (change) {
        case TableChange.Moved moved ->
            "%s %s on %s, was %s"
                .formatted(moved.page(), lower(moved.to()), moved.replica(), lower(moved.from()));
        case TableChange.Locked locked ->
            "%s locked by %s until %s"
                .formatted(locked.page(), locked.lock().holder(), locked.lock().until());
        case TableChange.Unlocked unlocked ->
            "%s no longer locked by %s".formatted(unlocked.page(), unlocked.lock().holder());
        case TableChange.Faulted faulted ->
            "%s asked for, priority %d, by %s"
                .formatted(
                    faulted.page(),
                    faulted.fault().priority(),
                    String.join(", ", faulted.fault().waiters()));
        case TableChange.FaultEnded ended -> "%s no longer waited for".formatted(ended.page());
      };
    }

    private static String lower(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT);
    }

    private static ObjectNode json(TableChange change, Instant at) {
      ObjectNode json =
          JsonNodeFactory.instance
              .objectNode()
              .put("at", at.toString())
              .put("page", change.page().value());
      return switch (change) {
        case TableChange.Moved moved ->
            json.put("change", "moved")
                .put("replica", moved.replica().value())
                .put("from", moved.from().name())
                .put("to", moved.to().name());
        case TableChange.Locked locked ->
            json.put("change", "locked")
                .put("holder", locked.lock().holder())
                .put("until", locked.lock().until().toString());
        case TableChange.Unlocked unlocked ->
            json.put("change", "unlocked").put("holder", unlocked.lock().holder());
        case TableChange.Faulted faulted ->
            json.put("change", "faulted").put("priority", faulted.fault().priority());
        case TableChange.FaultEnded ended -> json.put("change", "fault-ended");
      };
    }
  }

  /** Locks pages in caches, extends and ends such locks. */
  abstract static sealed class PagesLockCommand extends StoreCommand {

    @Parameters(paramLabel = "PAGE", arity = "1..*", description = "Ids of pages.")
    private List<String> given;

    @Option(
        names = "--holder",
        paramLabel = "NAME",
        defaultValue = "operator:cli",
        description = "Whose locks they are (default: ${DEFAULT-VALUE}).")
    private String holder;

    static final class Lease {

      @Option(
          names = "--seconds",
          paramLabel = "N",
          defaultValue = "600",
          description = "How long it holds from now, at most 3600 (default: ${DEFAULT-VALUE}).")
      private long seconds;

      private Duration duration() {
        return Duration.ofSeconds(seconds);
      }
    }

    abstract Outcome change(PageLeases leases, String owner, List<PageId> pages);

    @Override
    public Integer call() {
      List<PageId> pages = BoardOptions.refusing(() -> given.stream().map(PageId::new).toList());
      HolderLeases leases =
          board.with(blackboards -> {
            PageLeases all =
                new PageLeases(
                    blackboards.open(BlackboardPageTable.SCOPE, BoardOptions.WRITER),
                    TableSettings.fromConfig(board.config()).leases());
            return switch (BoardOptions.refusing(() -> change(all, holder, pages))) {
              case Outcome.Granted granted -> granted.leases();
              case Outcome.Refused refused -> throw CommandFailure.unsuccessful(refused.reason());
            };
          });
      PageLocksView locks = PageLocksView.of(leases.pageLocks());
      return json.lines(
          locks,
          locks.locks(),
          Printable.of(holder + " has no page locked"),
          lock -> Printable.of(line(lock)));
    }

    @Command(
        name = "lock",
        description =
            "Locks pages in the caches that have them, and prints what the holder has locked.")
    static final class Lock extends PagesLockCommand {

      @Mixin private Lease lease;

      @Override
      Outcome change(PageLeases leases, String owner, List<PageId> pages) {
        return leases.lock(owner, pages, lease.duration());
      }
    }

    @Command(name = "extend", description = "Extends locks of the holder.")
    static final class Extend extends PagesLockCommand {

      @Mixin private Lease lease;

      @Override
      Outcome change(PageLeases leases, String owner, List<PageId> pages) {
        return leases.extend(owner, pages, lease.duration());
      }
    }

    @Command(name = "unlock", description = "Ends locks of the holder.")
    static final class Unlock extends PagesLockCommand {

      @Override
      Outcome change(PageLeases leases, String owner, List<PageId> pages) {
        return new Outcome.Granted(leases.unlock(owner, pages));
      }
    }
  }
}
