package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.schema.JsonValues;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.settings.TableSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.PageTableSnapshot;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Maps sources to pages, and shows pages, where they are resident, and how they lead to each other.
 */
@Command(
    name = "pages",
    mixinStandardHelpOptions = true,
    description = {
      "Maps sources to pages, and shows pages, where they are resident, and which lead to which.",
      "A MAP is the id that colony pages map prints; equal sources have equal ids.",
    },
    subcommands = {
      PagesMapCommand.class,
      PagesFindCommand.class,
      PagesBranchCommand.class,
      PagesCommand.ListCommand.class,
      PagesCommand.TableCommand.class,
      PagesGraphCommand.class,
      PagesStatsCommand.class,
    })
final class PagesCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do with pages");
  }

  /** Which tenant's pages, on which blackboard. */
  static final class Tenant {

    @Option(
        names = "--tenant",
        paramLabel = "T",
        defaultValue = Asking.TENANT,
        description = "Whose pages (default: ${DEFAULT-VALUE}).")
    private String tenant;

    @Mixin private BoardOptions board;

    Config config() {
      return board.config();
    }

    String name() {
      return tenant;
    }

    PageStore pages(Blackboards blackboards) {
      return BoardOptions.refusing(() ->
          new BlackboardPageStore(
              blackboards, tenant, BoardOptions.WRITER, StoreSettings.fromConfig(config())));
    }

    PageGraphStore graphs(Blackboards blackboards) {
      return new PageGraphStore(
          blackboards.open(PageGraphStore.scope(tenant), BoardOptions.WRITER),
          GraphSettings.fromConfig(config()),
          StoreSettings.fromConfig(config()));
    }

    <T> T with(Function<Blackboards, T> work) {
      return board.with(work);
    }

    PageMap map(Blackboards blackboards, String id) {
      return pages(blackboards)
          .map(id)
          .toCompletableFuture()
          .join()
          .orElseThrow(() ->
              new CommandFailure(
                  ExitCode.UNSUCCESSFUL,
                  "tenant %s has no page map %s: map its source with colony pages map"
                      .formatted(tenant, id)));
    }

    PageGraph graph(Blackboards blackboards, PageMap map) {
      return graphs(blackboards).load(map.id()).toCompletableFuture().join();
    }
  }

  static List<PageId> ids(PageMap map) {
    return map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
  }

  static void print(Object json) {
    System.out.println(Printable.line(JsonValues.toJson(json)));
  }

  private static String files(VirtualContextPage page) {
    return page.segments().stream()
        .map(part -> "%s:%d-%d".formatted(part.file(), part.firstLine(), part.lastLine()))
        .collect(Collectors.joining(", "));
  }

  /** Lists the pages of a map. */
  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists the pages of a map in the reading order, with the lines on them.")
  static final class ListCommand implements Callable<Integer> {

    @Parameters(paramLabel = "MAP")
    private String id;

    @Option(
        names = "--skip",
        paramLabel = "N",
        defaultValue = "0",
        description = "How many are left out at the beginning (default: ${DEFAULT-VALUE}).")
    private int skip;

    @Mixin private LimitOption limit;

    @Mixin private JsonOption json;

    @Mixin private Tenant tenant;

    /** What is listed. */
    record Listing(List<Listed> pages) {}

    /** A page of it. */
    record Listed(String page, int sizeTokens, List<String> lines) {}

    @Override
    public Integer call() {
      int most = limit.checked();
      if (skip < 0) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT, "--skip is %d, must be 0 or more".formatted(skip));
      }
      List<VirtualContextPage> pages =
          tenant.with(blackboards -> {
            List<PageId> ids =
                ids(tenant.map(blackboards, id)).stream().skip(skip).limit(most).toList();
            return tenant.pages(blackboards).pages(ids).toCompletableFuture().join();
          });
      if (json.given()) {
        print(
            new Listing(
                pages.stream()
                    .map(page ->
                        new Listed(
                            page.id().value(), page.sizeTokens(), List.of(files(page).split(", "))))
                    .toList()));
      } else {
        pages.forEach(page ->
            System.out.println(
                Printable.of("%s %6d  %s".formatted(page.id(), page.sizeTokens(), files(page)))));
      }
      return ExitCode.OK.status();
    }
  }

  /** Shows the page table. */
  @Command(
      name = "table",
      mixinStandardHelpOptions = true,
      description = "Shows which replica holds how many pages, and how many groups have a unit.")
  static final class TableCommand implements Callable<Integer> {

    @Mixin private JsonOption json;

    @Mixin private BoardOptions board;

    /** The table. */
    record Table(List<Replica> replicas, int groups, int units) {}

    /** What a replica holds. */
    record Replica(String replica, String node, int pages, long tokens) {}

    @Override
    public Integer call() {
      PageTableSnapshot table =
          board.with(blackboards -> {
            try (BlackboardPageTable read =
                new BlackboardPageTable(
                    blackboards, BoardOptions.WRITER, TableSettings.fromConfig(board.config()))) {
              read.loaded().toCompletableFuture().join();
              return read.snapshot();
            }
          });
      List<Replica> replicas =
          table.replicas().stream()
              .map(one ->
                  new Replica(
                      one.replica().toString(),
                      one.node().toString(),
                      one.pages().size(),
                      one.pages().values().stream().mapToLong(tokens -> tokens).sum()))
              .toList();
      Table all = new Table(replicas, table.assignments().size(), table.units().size());
      if (json.given()) {
        print(all);
        return ExitCode.OK.status();
      }
      if (replicas.isEmpty()) {
        System.out.println("no replica has reported its pages");
      }
      replicas.forEach(one ->
          System.out.println(
              Printable.of(
                  String.format(
                      Locale.ROOT,
                      "%s on %s: %d pages, %,d tokens",
                      one.replica(),
                      one.node(),
                      one.pages(),
                      one.tokens()))));
      System.out.printf("%d groups in %d units%n", all.groups(), all.units());
      return ExitCode.OK.status();
    }
  }
}
