package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.KeptMappings;
import dev.colony.cli.local.NodeRecord;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.settings.RunSettings;
import dev.colony.cli.terminal.Progress;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.follow.FollowedTrees;
import dev.colony.vcm.follow.MappedTree;
import dev.colony.vcm.settings.TreeSettings;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceContext;
import dev.colony.vcm.source.SourceSpec;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
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
  private final Optional<MappedTree> tree;
  private final Duration followed;
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
    followed = TreeSettings.fromConfig(config).keep();
    tree =
        UpRecord.find(state).isEmpty()
            ? Optional.empty()
            : spec.map(one -> one.replaceFirst("^" + SourceSpec.FILE + ":", ""))
                .filter(one -> !isMap(one))
                .flatMap(one -> directory(one))
                .flatMap(one -> MappedTree.of(one, config));
  }

  private static Optional<Path> directory(String word) {
    try {
      return Optional.of(Path.of(word)).filter(Files::isDirectory);
    } catch (InvalidPathException none) {
      return Optional.empty();
    }
  }

  /** Whether an argument is the id of a page map and no file of that name exists. */
  static boolean isMap(String word) {
    return MAP.matcher(word).matches() && !Files.exists(Path.of(word));
  }

  /**
   * Maps it before anything is started, where it can be: what is on a blackboard is there once the
   * cluster is, and a cluster that is up may follow a directory.
   *
   * @throws CommandFailure if it is refused, with the reason
   */
  void mapEarly() {
    mapped =
        spec.filter(one -> tree.isEmpty() && !isMap(one) && !sources.needsBlackboards(one))
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
    if (tree.isEmpty()) {
      return mapped(cluster, one);
    }
    FollowedTrees trees =
        new FollowedTrees(cluster.blackboards(), Node.PAGES_TENANT, Asking.WRITER);
    Asking.Asked asked =
        trees
            .followed(tree.get())
            .toCompletableFuture()
            .join()
            .filter(by -> NodeRecord.process(by.pid(), by.startedMillis()).isPresent())
            .flatMap(FollowedTrees.Followed::map)
            .flatMap(map -> cluster.pages().map(map).toCompletableFuture().join())
            .map(this::known)
            .orElseGet(() -> mapped(cluster, one));
    Optional<String> memory = kept.place(one).map(Path::toString);
    trees
        .ask(new FollowedTrees.Asked(tree.get(), asked.map(), memory), followed)
        .toCompletableFuture()
        .join();
    return asked;
  }

  private Asking.Asked known(PageMap map) {
    progress.done(
        "mapping",
        "%d files, %d pages, as the cluster follows them".formatted(map.files(), map.pages()));
    return new Asking.Asked(
        tree.orElseThrow().directory(), map.id(), map.pages(), Optional.empty(), List.of());
  }

  private Asking.Asked mapped(Cluster cluster, String one) {
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
