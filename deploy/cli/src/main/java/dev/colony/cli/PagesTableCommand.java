package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.server.http.PageViews.PageEntryView;
import dev.colony.server.http.PageViews.PageFaultsView;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.PageEntry;
import dev.colony.vcm.table.PageTableSnapshot;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the page table. */
@Command(
    name = "table",
    mixinStandardHelpOptions = true,
    description = {
      "Shows which replica holds how many pages, locks of pages, and pages that are asked for and"
          + " in no cache.",
    })
final class PagesTableCommand implements Callable<Integer> {

  @Option(
      names = "--replica",
      paramLabel = "NAME",
      description = "Shows each page of this replica, too.")
  private String replica;

  @Mixin private LimitOption limit;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  /** The table. */
  record Table(
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
                .orElseThrow(() ->
                    new CommandFailure(
                        ExitCode.UNSUCCESSFUL, "no replica %s is known".formatted(replica)));
    Table all =
        new Table(
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
    if (json.given()) {
      PagesCommand.print(all);
    } else {
      print(all, most);
    }
    return ExitCode.OK.status();
  }

  private static void print(Table all, int most) {
    if (all.replicas().isEmpty()) {
      System.out.println("no replica has reported its pages");
    }
    all.replicas()
        .forEach(one ->
            line(
                "%s on %s: %d pages, %,d tokens",
                one.replica(), one.node().orElse("no node"), one.pages(), one.tokens()));
    line("%d groups in %d units", all.groups(), all.units());
    all.locked().locks().stream()
        .limit(most)
        .forEach(
            lock -> line("%s locked by %s until %s", lock.page(), lock.holder(), lock.until()));
    all.waited().faults().stream()
        .limit(most)
        .forEach(fault ->
            line(
                "%s asked for, priority %d, since %s, by %s",
                fault.page(), fault.priority(), fault.since(), String.join(", ", fault.waiters())));
    all.entries()
        .forEach(entry ->
            line(
                "%s %-8s %6d tokens, %d readers, last use %s%s",
                entry.page(),
                entry.state().name().toLowerCase(Locale.ROOT),
                entry.tokens(),
                entry.readers(),
                entry.lastUse().map(Instant::toString).orElse("unknown"),
                entry.lockedUntil().map(until -> ", locked until " + until).orElse("")));
  }

  private static void line(String format, Object... values) {
    System.out.println(Printable.of(String.format(Locale.ROOT, format, values)));
  }
}
