package dev.colony.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.OnExit;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.PageId;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import dev.colony.vcm.table.TableChange;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints what changes in the page table. */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    description = {
      "Prints residency, locks and faults of pages as they change, a line each, until Ctrl-C.",
      "First come the pages that are in caches already.",
    })
final class PagesWatchCommand implements Callable<Integer> {

  /** Locks end by themselves, of which nothing tells. */
  private static final long LOOK_MILLIS = 500;

  @Parameters(paramLabel = "PAGE", arity = "0..*", description = "Of these only (default: all).")
  private Set<String> given = Set.of();

  @Option(
      names = "--count",
      paramLabel = "N",
      description = "Ends after so many changes (default: never).")
  private Long count;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  private final Semaphore updates = new Semaphore(0);
  private volatile boolean stopped;

  @Override
  public Integer call() {
    if (count != null && count < 1) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--count is %d, but must be at least 1".formatted(count));
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
      PageTableSnapshot before = PageTableSnapshot.EMPTY;
      Instant then = Instant.EPOCH;
      long most = count == null ? Long.MAX_VALUE : count;
      long printed = 0;
      while (!stopped && printed < most) {
        PageTableSnapshot now = table.snapshot();
        Instant at = blackboards.clock().instant();
        for (TableChange change : TableChange.between(before, then, now, at)) {
          if (printed < most && (given.isEmpty() || given.contains(change.page().value()))) {
            System.out.println(
                json.given()
                    ? Printable.line(json(change, at))
                    : Printable.of(at + "  " + text(change)));
            printed++;
          }
        }
        if (System.out.checkError()) {
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
