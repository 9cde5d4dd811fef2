package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.server.http.PageViews.PageLocksView;
import dev.colony.vcm.PageId;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.HolderLeases;
import dev.colony.vcm.table.HolderLeases.Outcome;
import dev.colony.vcm.table.PageLeases;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Locks pages in caches, extends and ends such locks. */
abstract sealed class PagesLockCommand implements Callable<Integer> {

  @Parameters(paramLabel = "PAGE", arity = "1..*", description = "Ids of pages.")
  private List<String> given;

  @Option(
      names = "--holder",
      paramLabel = "NAME",
      defaultValue = "operator:cli",
      description = "Whose locks they are (default: ${DEFAULT-VALUE}).")
  private String holder;

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  /** How long a lock holds. */
  static final class Lease {

    @Option(
        names = "--seconds",
        paramLabel = "N",
        defaultValue = "600",
        description =
            "How long it holds from now, at most colony.vcm.lease.longest (default:"
                + " ${DEFAULT-VALUE}).")
    private long seconds;

    private Duration duration() {
      return Duration.ofSeconds(seconds);
    }
  }

  abstract CompletionStage<Outcome> change(PageLeases leases, String owner, List<PageId> pages);

  @Override
  public Integer call() {
    List<PageId> pages = BoardOptions.refusing(() -> given.stream().map(PageId::new).toList());
    Function<PageLeases, HolderLeases> work =
        leases ->
            switch (BoardOptions.refusing(() -> change(leases, holder, pages))
                .toCompletableFuture()
                .join()) {
              case Outcome.Granted granted -> granted.leases();
              case Outcome.Refused refused ->
                  throw new CommandFailure(ExitCode.UNSUCCESSFUL, refused.reason());
            };
    HolderLeases leases =
        board.with(blackboards ->
            work.apply(
                new PageLeases(
                    blackboards.open(BlackboardPageTable.SCOPE, BoardOptions.WRITER),
                    TableSettings.fromConfig(board.config()).leases())));
    if (json.given()) {
      PagesCommand.print(PageLocksView.of(leases.pageLocks()));
    } else if (leases.locks().isEmpty()) {
      System.out.println(Printable.of(holder + " has no page locked"));
    } else {
      leases
          .pageLocks()
          .forEach(lock ->
              System.out.println(
                  Printable.of(
                      "%s locked by %s until %s"
                          .formatted(lock.page(), lock.holder(), lock.until()))));
    }
    return ExitCode.OK.status();
  }

  /** Locks. */
  @Command(
      name = "lock",
      mixinStandardHelpOptions = true,
      description =
          "Locks pages in the caches that have them, and prints what the holder has locked.")
  static final class Lock extends PagesLockCommand {

    @Mixin private Lease lease;

    @Override
    CompletionStage<Outcome> change(PageLeases leases, String owner, List<PageId> pages) {
      return leases.lock(owner, pages, lease.duration());
    }
  }

  /** Extends. */
  @Command(
      name = "extend",
      mixinStandardHelpOptions = true,
      description = "Extends locks of the holder.")
  static final class Extend extends PagesLockCommand {

    @Mixin private Lease lease;

    @Override
    CompletionStage<Outcome> change(PageLeases leases, String owner, List<PageId> pages) {
      return leases.extend(owner, pages, lease.duration());
    }
  }

  /** Ends. */
  @Command(
      name = "unlock",
      mixinStandardHelpOptions = true,
      description = "Ends locks of the holder.")
  static final class Unlock extends PagesLockCommand {

    @Override
    CompletionStage<Outcome> change(PageLeases leases, String owner, List<PageId> pages) {
      return leases.unlock(owner, pages).thenApply(Outcome.Granted::new);
    }
  }
}
