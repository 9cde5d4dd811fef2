package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.KeptMappings;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.settings.RunSettings;
import dev.colony.cli.terminal.Progress;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a question is asked of: a source, which is mapped by what has changed since the last time,
 * or a map that is stored.
 */
final class RunSource {

  private static final Pattern MAP = Pattern.compile("[a-z2-7]{26}");

  private final Optional<String> spec;
  private final Progress progress;
  private final PageSources sources = PageSources.installed();
  private final SourceContext context;
  private final Mapper mapper;
  private final KeptMappings kept;
  private Optional<Mapper.Again> mapped = Optional.empty();

  /**
   * @param spec a source or the id of a map; empty where there is nothing to map
   */
  RunSource(Optional<String> spec, Config config, StateDirectory state, Progress progress) {
    this.spec = spec;
    this.progress = progress;
    context = new SourceContext(config, Asking.TENANT).withInput(System.in);
    mapper = new Mapper(config);
    kept = new KeptMappings(state, RunSettings.fromConfig(config).keptMappings());
  }

  /** Whether an argument is the id of a page map and no file of that name exists. */
  static boolean isMap(String word) {
    return MAP.matcher(word).matches() && !Files.exists(Path.of(word));
  }

  /**
   * Maps it before anything is started, where it can be: what is on a blackboard is there once the
   * cluster is.
   *
   * @throws CommandFailure if it is refused, with the reason
   */
  void mapEarly() {
    mapped =
        spec.filter(one -> !isMap(one) && !sources.needsBlackboards(one))
            .map(one -> mapper.map(sources.open(one, context), one, kept, progress));
  }

  /**
   * As it stands in a cluster's store.
   *
   * @throws CommandFailure if it is refused, or there is no such map
   */
  Asking.Asked of(Cluster cluster) {
    String one = spec.orElseThrow();
    if (isMap(one)) {
      PageMap map =
          cluster
              .pages()
              .map(one)
              .toCompletableFuture()
              .join()
              .orElseThrow(() ->
                  new CommandFailure(
                      ExitCode.BAD_INPUT,
                      "no page map %s in this cluster: see colony pages maps".formatted(one)));
      return new Asking.Asked(map.source(), map.id(), map.pages(), Optional.empty(), List.of());
    }
    Mapper.Again again =
        mapped.orElseGet(() ->
            mapper.map(
                sources.open(one, context.withBlackboards(cluster.blackboards())),
                one,
                kept,
                progress));
    return new Asking(cluster, progress).stored(one, again);
  }
}
