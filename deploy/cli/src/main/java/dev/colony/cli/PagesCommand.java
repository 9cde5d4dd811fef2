package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.schema.JsonValues;
import dev.colony.server.http.PageViews.MapPageView;
import dev.colony.server.http.PageViews.MapPagesView;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageRefused;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.graph.PageGraph;
import dev.colony.vcm.settings.GraphSettings;
import dev.colony.vcm.settings.PageAccessSettings;
import dev.colony.vcm.settings.StoreSettings;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageGraphStore;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
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
      PagesMapsCommand.class,
      PagesLoadCommand.class,
      PagesFindCommand.class,
      PagesBranchCommand.class,
      PagesCommand.ListCommand.class,
      PagesTableCommand.class,
      PagesGraphCommand.class,
      PagesStatsCommand.class,
      PagesWatchCommand.class,
      PagesLockCommand.Lock.class,
      PagesLockCommand.Extend.class,
      PagesLockCommand.Unlock.class,
    })
final class PagesCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do with pages");
  }

  /** On whose behalf pages are read and stored, on which blackboard. */
  static final class Tenant {

    @Option(
        names = "--tenant",
        paramLabel = "T",
        defaultValue = Asking.TENANT,
        description = "On whose behalf (default: ${DEFAULT-VALUE}).")
    private String tenant;

    @Mixin private BoardOptions board;

    Config config() {
      return board.config();
    }

    String name() {
      return tenant;
    }

    /** The pages that nodes read, as the tenant may read them. */
    PageStore pages(Blackboards blackboards) {
      return BoardOptions.refusing(() ->
          new BlackboardPageStore(
                  blackboards,
                  Node.PAGES_TENANT,
                  BoardOptions.WRITER,
                  StoreSettings.fromConfig(config()),
                  PageAccessSettings.fromConfig(config()).clearances())
              .of(Scope.tenant(tenant).tenant()));
    }

    PageGraphStore graphs(Blackboards blackboards) {
      return new PageGraphStore(
          blackboards.open(PageGraphStore.scope(Node.PAGES_TENANT), BoardOptions.WRITER),
          GraphSettings.fromConfig(config()),
          StoreSettings.fromConfig(config()));
    }

    <T> T with(Function<Blackboards, T> work) {
      try {
        return board.with(work);
      } catch (CompletionException failure) {
        if (failure.getCause() instanceof PageRefused refused) {
          throw new CommandFailure(ExitCode.UNSUCCESSFUL, refused.getMessage(), refused);
        }
        throw failure;
      }
    }

    PageMap map(Blackboards blackboards, String id) {
      return pages(blackboards)
          .map(id)
          .toCompletableFuture()
          .join()
          .orElseThrow(() ->
              new CommandFailure(
                  ExitCode.UNSUCCESSFUL,
                  "there is no page map %s: map its source with colony pages map".formatted(id)));
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

    @Override
    public Integer call() {
      int most = limit.checked();
      if (skip < 0) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT, "--skip is %d, must be 0 or more".formatted(skip));
      }
      MapPagesView shown =
          tenant.with(blackboards -> {
            PageMap map = tenant.map(blackboards, id);
            List<PageId> ids = ids(map).stream().skip(skip).limit(most).toList();
            return new MapPagesView(
                map.id(),
                map.source(),
                map.pages(),
                tenant.pages(blackboards).pages(ids).toCompletableFuture().join().stream()
                    .map(MapPageView::of)
                    .toList());
          });
      if (json.given()) {
        print(shown);
      } else {
        shown
            .pages()
            .forEach(page ->
                System.out.println(
                    Printable.of(
                        "%s %6d  %s"
                            .formatted(
                                page.page(), page.sizeTokens(), String.join(", ", page.lines())))));
      }
      return ExitCode.OK.status();
    }
  }
}
