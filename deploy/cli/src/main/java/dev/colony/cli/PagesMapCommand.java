package dev.colony.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.typesafe.config.Config;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import dev.colony.agent.RunOptions;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.agent.client.RunHandle.OnEach;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.cli.BoardOptions.ColonyOptions;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.OnExit;
import dev.colony.cli.terminal.Progress;
import dev.colony.library.research.ResearchTypes;
import dev.colony.vcm.PageLabel;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageGraph;
import dev.colony.vcm.mapping.SourceMapping;
import dev.colony.vcm.schedule.Sensitivity;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.store.PageAccessSettings;
import dev.colony.vcm.store.StoreSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "map",
    description = {
      "Maps a source to pages, stores them with their page graph, and prints the id.",
      "A SOURCE is a directory, or one of file:DIRECTORY, git:PATH?history=N#REVISION,"
          + " blackboard:SCOPE?keys=GLOB, text:FILE (- for standard input), or of another"
          + " kind that is added to the class path.",
    })
final class PagesMapCommand extends PagesCommand.MapCommand {

  @Parameters(paramLabel = "SOURCE", description = "A directory or another source.")
  private String spec;

  @Option(
      names = "--watch",
      description = "Maps it again whenever it changes, until it is interrupted.")
  private boolean watch;

  @Option(
      names = "--sensitivity",
      paramLabel = "CLASS",
      description =
          "public, internal, confidential or restricted: who is cleared for less reads"
              + " none of its pages (default: colony.vcm.access.sensitivity).")
  private Optional<String> sensitivity = Optional.empty();

  @Option(names = "--own", description = "No other tenant may read its pages.")
  private boolean own;

  /**
   * What was mapped.
   *
   * @param leftOut how many files for each reason, see {@link MappingResult.SkippedFiles#counts}
   * @param changedPages that no earlier mapping of this command had
   */
  record Mapped(
      String map,
      int files,
      Map<String, Integer> leftOut,
      int pages,
      int groups,
      long sizeTokens,
      long edges,
      int changedPages,
      long tookMillis) {}

  @Override
  public Integer call() {
    Config config = tenant.config();
    PageSources sources = PageSources.installed();
    SourceContext context = new SourceContext(config, tenant.name()).withInput(System.in);
    boolean first = sources.needsBlackboards(spec);
    ContextPageSource source = first ? null : sources.open(spec, context);
    PageLabel label = label(config);
    SourceMapping mapping = first ? null : new Mapper(config).mapper().of(source, label);
    // A source that is refused is refused before anything is connected.
    MappingResult.Mapped mapped = first ? null : mapped(mapping);
    tenant.with(blackboards -> {
      ContextPageSource opened =
          first ? sources.open(spec, context.withBlackboards(blackboards)) : source;
      SourceMapping kept = first ? new Mapper(config).mapper().of(opened, label) : mapping;
      MappingResult.Mapped result = first ? mapped(kept) : mapped;
      Remapping remapping = new Remapping(kept, blackboards, config);
      print(remapping.save(result, Stopwatch.start()));
      if (watch) {
        follow(opened, remapping);
      }
      return null;
    });
    return ExitCode.OK.status();
  }

  private PageLabel label(Config config) {
    try {
      return new PageLabel(
          own ? Optional.of(tenant.name()) : Optional.empty(),
          sensitivity
              .map(Sensitivity::of)
              .orElseGet(() -> PageAccessSettings.fromConfig(config).sensitivity()),
          Map.of());
    } catch (IllegalArgumentException none) {
      throw CommandFailure.badInput("--sensitivity: " + none.getMessage());
    }
  }

  private static MappingResult.Mapped mapped(SourceMapping mapping) {
    OnExit interrupted =
        OnExit.run(() -> OnExit.say("interrupted: no map was stored; give the command again"));
    try (Progress progress = Progress.onStandardError()) {
      return Mapper.shown(
          mapping.map((stage, done, total) -> progress.at("mapping", done, total)), progress);
    } finally {
      interrupted.close();
    }
  }

  private void follow(ContextPageSource source, Remapping remapping) {
    CountDownLatch interrupted = new CountDownLatch(1);
    OnExit onExit = OnExit.run(interrupted::countDown);
    SourceWatch watching =
        source
            .watch(remapping)
            .orElseThrow(
                () -> CommandFailure.badInput(spec + ": does not change: leave out --watch"));
    try {
      // What changed between the mapping and the watch.
      remapping.anything();
      interrupted.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } finally {
      watching.close();
      onExit.close();
    }
  }

  private void print(Mapped done) {
    json.print(
        done,
        () ->
            "map %s: %d files on %d pages in %d groups, %,d tokens, %d edges"
                .formatted(
                    done.map(),
                    done.files(),
                    done.pages(),
                    done.groups(),
                    done.sizeTokens(),
                    done.edges()));
  }

  /** Maps the source again as it changes, and saves what is new. */
  private final class Remapping implements SourceWatch.Listener {

    private final SourceMapping mapping;
    private final Blackboards blackboards;
    private final Config config;
    private Optional<PageMap> last = Optional.empty();

    Remapping(SourceMapping mapping, Blackboards blackboards, Config config) {
      this.mapping = mapping;
      this.blackboards = blackboards;
      this.config = config;
    }

    @Override
    public synchronized void changed(Set<String> paths) {
      Stopwatch begun = Stopwatch.start();
      take(mapping.remap(paths, SourceProgress.SILENT), begun);
    }

    @Override
    public synchronized void anything() {
      Stopwatch begun = Stopwatch.start();
      take(mapping.map(SourceProgress.SILENT), begun);
    }

    private void take(MappingResult result, Stopwatch begun) {
      switch (result) {
        case MappingResult.Refused refused -> System.err.println("colony: " + refused.reason());
        case MappingResult.Mapped mapped -> {
          if (!last.map(PageMap::id).equals(Optional.of(mapped.map().id()))) {
            print(save(mapped, begun));
          }
        }
      }
    }

    synchronized Mapped save(MappingResult.Mapped mapped, Stopwatch begun) {
      PageMap map = mapped.map();
      PageStore store = tenant.pages(blackboards);
      Optional<String> reference =
          mapped
              .reference()
              .filter(
                  spec -> mapped.sizeBytes() >= StoreSettings.fromConfig(config).referenceBytes());
      return Mapper.unchanged(
          mapped,
          () -> {
            store.save(map, mapped.pages(), new PageStore.SaveOptions(last, reference));
            long edges = layOut(mapped);
            int changed = PagesCommand.ids(map).size() - common(map);
            last = Optional.of(map);
            return new Mapped(
                map.id(),
                map.files(),
                mapped.skipped().counts(),
                map.pages(),
                map.groups().size(),
                map.sizeTokens(),
                edges,
                changed,
                begun.elapsed().toMillis());
          });
    }

    private int common(PageMap map) {
      Set<Object> before = Set.copyOf(last.map(PagesCommand::ids).orElse(List.of()));
      return (int) PagesCommand.ids(map).stream().filter(before::contains).count();
    }

    /** What was learned of the pages of the map before goes on to those that are still there. */
    private long layOut(MappingResult.Mapped mapped) {
      PageMap map = mapped.map();
      PageGraph graph = tenant.graph(blackboards, last.orElse(map));
      Instant now = blackboards.clock().instant();
      graph.layOut(mapped.pages(), SourceSettings.fromConfig(config).threads(), now);
      tenant.graphs(blackboards).save(map.id(), graph);
      return graph.statistics(now).edges();
    }
  }

  @Command(
      name = "load",
      description =
          "Loads the pages of a map into the caches of the cluster's replicas, where the"
              + " agents are that read them, so that the first question finds them there. Each"
              + " page that is in none is a model call of one token, which costs its prompt."
              + " Loading goes on when this is interrupted.")
  static final class PagesLoadCommand implements Callable<Integer> {

    @Parameters(paramLabel = "MAP", description = "The id of a map, see colony pages maps.")
    private String map;

    @Option(
        names = "--tokens",
        paramLabel = "N",
        defaultValue = "1000000",
        description =
            "How many tokens at most, in whole groups of pages in the map's order; more than the"
                + " caches hold is loaded in vain (default: ${DEFAULT-VALUE}).")
    private long tokens;

    @Mixin private JsonOption json;

    @Mixin private ColonyOptions reach;

    @Override
    public Integer call() {
      if (tokens < 1) {
        throw CommandFailure.badInput("--tokens is %d, but must be 1 or more".formatted(tokens));
      }
      if (!RunSource.isMap(map)) {
        throw CommandFailure.badInput(map + " is no id of a map: see colony pages maps");
      }
      JsonNode output = reach.with(this::load);
      int failed = output.path("failed").asInt();
      json.print(output, () -> text(output));
      output
          .path("reasons")
          .properties()
          .forEach(reason ->
              BoardOptions.note(
                  "%d pages not loaded: %s".formatted(reason.getValue().asInt(), reason.getKey())));
      return (failed > 0 ? ExitCode.UNSUCCESSFUL : ExitCode.OK).status();
    }

    private static String text(JsonNode loaded) {
      return "%d of %d pages: %d loaded, %d were there, %d failed; %,d prompt tokens"
          .formatted(
              seen(loaded),
              loaded.path("of").asInt(),
              loaded.path("loaded").asInt(),
              loaded.path("resident").asInt(),
              loaded.path("failed").asInt(),
              loaded.at("/stats/usage/promptTokens").asLong());
    }

    private static int seen(JsonNode loaded) {
      return loaded.path("loaded").asInt()
          + loaded.path("resident").asInt()
          + loaded.path("failed").asInt();
    }

    private JsonNode load(Colony colony) {
      AgentId loader = new AgentId(Asking.TENANT, Asking.COLONY, "loading-" + map);
      RunId run = RunNames.next();
      AtomicReference<Optional<JsonNode>> soFar = new AtomicReference<>(Optional.empty());
      RunHandle handle =
          colony
              .spawn(loader, ResearchTypes.loading())
              .thenApply(agent ->
                  agent.run(
                      JsonNodeFactory.instance.objectNode().put("map", map).put("tokens", tokens),
                      RunOptions.namespace("research").runId(run).requestedBy(BoardOptions.WRITER)))
              .toCompletableFuture()
              .join();
      OnExit interrupted =
          OnExit.run(() ->
              OnExit.say(
                  "interrupted: %s so far; %s; called again, colony pages load %s loads what is missing then"
                      .formatted(
                          soFar.get().map(PagesLoadCommand::text).orElse("no page"),
                          reach.goesOn(loader, run),
                          map)));
      try (Progress progress = Progress.onStandardError()) {
        CompletableFuture<Void> shown =
            OnEach.of(
                handle.events(),
                event -> {
                  if (event.name().equals(ResearchTypes.LOADED)) {
                    soFar.set(Optional.of(event.data()));
                    progress.at("loading", seen(event.data()), event.data().path("of").asInt());
                  }
                });
        AgentRun ended = handle.result().toCompletableFuture().join();
        shown.cancel(false);
        if (ended.status() != AgentRun.Status.COMPLETED) {
          throw CommandFailure.unsuccessful(ended.error().orElse("map " + map + " was not loaded"));
        }
        return ended.output();
      } finally {
        interrupted.close();
      }
    }
  }
}
