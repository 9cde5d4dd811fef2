package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.CommandOptions.LimitOption;
import dev.colony.cli.PagesMapCommand.PagesLoadCommand;
import dev.colony.cli.PagesTableCommand.PagesLockCommand;
import dev.colony.cli.PagesTableCommand.PagesWatchCommand;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Printable;
import dev.colony.server.http.PageViews.MapPageView;
import dev.colony.server.http.PageViews.MapPagesView;
import dev.colony.server.http.PageViews.PageGraphView;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageRefused;
import dev.colony.vcm.PageStore.StoredMap;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.mapping.PageGraph.WeightedEdge;
import dev.colony.vcm.store.BlackboardPageStore;
import dev.colony.vcm.store.PageAccessSettings;
import dev.colony.vcm.store.PageGraphStore;
import dev.colony.vcm.store.StoreSettings;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Maps sources to pages, and shows pages, where they are resident, and how they lead to each other.
 */
@Command(
    name = "pages",
    description = {
      "Maps sources to pages, and shows pages, where they are resident, and which lead to which.",
      "A MAP is the id that colony pages map prints; equal sources have equal ids.",
    },
    subcommands = {
      PagesMapCommand.class,
      PagesCommand.PagesMapsCommand.class,
      PagesLoadCommand.class,
      PagesCommand.PagesFindCommand.class,
      PagesBranchCommand.class,
      PagesCommand.ListCommand.class,
      PagesTableCommand.class,
      PagesCommand.PagesGraphCommand.class,
      PagesWatchCommand.class,
      PagesLockCommand.Lock.class,
      PagesLockCommand.Extend.class,
      PagesLockCommand.Unlock.class,
    })
final class PagesCommand {

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
          StoreSettings.fromConfig(config()));
    }

    <T> T with(Function<Blackboards, T> work) {
      try {
        return board.with(work);
      } catch (PageRefused refused) {
        throw CommandFailure.unsuccessful(refused.getMessage(), refused);
      }
    }

    PageMap map(Blackboards blackboards, String id) {
      return pages(blackboards)
          .map(id)
          .orElseThrow(() ->
              CommandFailure.unsuccessful(
                  "there is no page map %s: map its source with colony pages map".formatted(id)));
    }

    PageGraph graph(Blackboards blackboards, PageMap map) {
      return graphs(blackboards).load(map.id());
    }
  }

  abstract static class MapCommand implements Callable<Integer> {

    @Mixin JsonOption json;

    @Mixin Tenant tenant;
  }

  static List<PageId> ids(PageMap map) {
    return map.groups().stream().map(PageGroup::pages).flatMap(List::stream).toList();
  }

  @Command(
      name = "list",
      description = "Lists the pages of a map in the reading order, with the lines on them.")
  static final class ListCommand extends MapCommand {

    @Parameters(paramLabel = "MAP")
    private String id;

    @Option(
        names = "--skip",
        paramLabel = "N",
        defaultValue = "0",
        description = "How many are left out at the beginning (default: ${DEFAULT-VALUE}).")
    private int skip;

    @Mixin private LimitOption limit;

    @Override
    public Integer call() {
      int most = limit.checked();
      if (skip < 0) {
        throw CommandFailure.badInput("--skip is %d, must be 0 or more".formatted(skip));
      }
      MapPagesView shown =
          tenant.with(blackboards -> {
            PageMap map = tenant.map(blackboards, id);
            List<PageId> ids = ids(map).stream().skip(skip).limit(most).toList();
            return new MapPagesView(
                map.id(),
                map.source(),
                map.pages(),
                tenant.pages(blackboards).pages(ids).stream().map(MapPageView::of).toList());
          });
      return json.lines(
          shown,
          shown.pages(),
          "no pages",
          page ->
              Printable.of(
                  "%s %6d  %s"
                      .formatted(page.page(), page.sizeTokens(), String.join(", ", page.lines()))));
    }
  }

  @Command(
      name = "maps",
      description =
          "Lists the maps of sources, those that were mapped last first. Questions are"
              + " asked of one by colony ask MAP QUESTION, or by its source, which maps what has"
              + " changed.")
  static final class PagesMapsCommand extends MapCommand {

    @Mixin private LimitOption limit;

    /**
     * What is listed.
     *
     * @param of how many there are in all
     */
    record Maps(List<StoredMap> maps, int of) {}

    @Override
    public Integer call() {
      int most = limit.checked();
      List<StoredMap> all = tenant.with(blackboards -> tenant.pages(blackboards).maps());
      List<StoredMap> newest =
          all.stream()
              .sorted(
                  Comparator.comparing(StoredMap::mappedAt).reversed().thenComparing(StoredMap::id))
              .limit(most)
              .toList();
      return json.lines(
          new Maps(newest, all.size()),
          newest,
          "no maps",
          map ->
              Printable.of(
                  "%s  %s  %6d files %6d pages %,12d tokens  %s"
                      .formatted(
                          map.id(),
                          map.mappedAt().truncatedTo(ChronoUnit.SECONDS),
                          map.files(),
                          map.pages(),
                          map.sizeTokens(),
                          map.source())));
    }
  }

  @Command(
      name = "find",
      description = "Says which page a line of a file is on, or which lines a page has.")
  static final class PagesFindCommand extends MapCommand {

    private static final Pattern LINE = Pattern.compile("(.+):(\\d{1,9})");

    @Parameters(index = "0", paramLabel = "MAP")
    private String id;

    @Parameters(
        index = "1",
        paramLabel = "FILE:LINE|FILE|PAGE",
        description = "A line of a file of the source, a whole file, or the id of a page.")
    private String sought;

    record Found(List<OnPage> pages) {}

    record OnPage(String page, List<String> lines) {}

    @Override
    public Integer call() {
      PageLines lines =
          tenant.with(blackboards -> tenant.pages(blackboards).lines(tenant.map(blackboards, id)));
      List<OnPage> found = new ArrayList<>();
      for (PageId page : pages(lines)) {
        found.add(
            new OnPage(
                page.value(),
                lines.lines(page).stream()
                    .map(part ->
                        "%s:%d-%d".formatted(part.file(), part.firstLine(), part.lastLine()))
                    .toList()));
      }
      if (found.isEmpty()) {
        throw CommandFailure.unsuccessful("no page of map %s has %s".formatted(id, sought));
      }
      return json.lines(
          new Found(found),
          found,
          "",
          one -> Printable.of("%s  %s".formatted(one.page(), String.join(", ", one.lines()))));
    }

    private List<PageId> pages(PageLines lines) {
      List<PageId> whole = lines.pages(sought);
      if (!whole.isEmpty()) {
        return whole;
      }
      Matcher line = LINE.matcher(sought);
      if (line.matches()) {
        return lines.page(line.group(1), Integer.parseInt(line.group(2))).stream().toList();
      }
      try {
        PageId page = new PageId(sought);
        return lines.lines(page).isEmpty() ? List.of() : List.of(page);
      } catch (IllegalArgumentException noPage) {
        return List.of();
      }
    }
  }

  @Command(
      name = "graph",
      description = "Shows which pages lead to which, the heaviest edges first.")
  static final class PagesGraphCommand extends PagesCommand.MapCommand {

    @Parameters(paramLabel = "MAP")
    private String id;

    @Option(names = "--dot", description = "Prints it in the language of Graphviz.")
    private boolean dot;

    @Mixin private LimitOption limit;

    @Override
    public Integer call() {
      int most = limit.checked();
      Map<PageId, String> labels = new TreeMap<>();
      List<WeightedEdge> edges =
          tenant.with(blackboards -> {
            PageMap map = tenant.map(blackboards, id);
            List<WeightedEdge> heaviest =
                tenant.graph(blackboards, map).heaviest(most, blackboards.clock().instant());
            TreeSet<PageId> shown = new TreeSet<>();
            heaviest.forEach(edge -> shown.addAll(List.of(edge.from(), edge.to())));
            tenant
                .pages(blackboards)
                .pages(List.copyOf(shown))
                .forEach(page -> labels.put(page.id(), page.segments().getFirst().file()));
            return heaviest;
          });
      return json.page(
          PageGraphView.of(edges),
          edges,
          dot ? dot(edges, labels) : "no edges",
          all -> dot ? dot(all, labels) : text(all, labels),
          Optional.empty());
    }

    private static String text(List<WeightedEdge> edges, Map<PageId, String> labels) {
      return edges.stream()
          .map(edge ->
              String.format(
                  Locale.ROOT,
                  "%.3f  %s %s -> %s %s",
                  edge.weight(),
                  edge.from(),
                  labels.get(edge.from()),
                  edge.to(),
                  labels.get(edge.to())))
          .map(Printable::of)
          .collect(Collectors.joining("\n"));
    }

    private static String dot(List<WeightedEdge> edges, Map<PageId, String> labels) {
      StringBuilder text = new StringBuilder("digraph pages {\n");
      labels.forEach((page, label) ->
          text.append("  \"%s\" [label=%s];\n".formatted(page, JsonValues.toJson(label))));
      for (WeightedEdge edge : edges) {
        text.append(
            String.format(
                Locale.ROOT,
                "  \"%s\" -> \"%s\" [weight=%.3f];\n",
                edge.from(),
                edge.to(),
                edge.weight()));
      }
      return text.append("}").toString();
    }
  }
}
