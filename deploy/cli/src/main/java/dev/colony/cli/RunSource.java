package dev.colony.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.colony.cli.CommandOptions.ClusterOptions;
import dev.colony.cli.ask.Asking;
import dev.colony.cli.ask.Mapper;
import dev.colony.cli.local.Cluster;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.StateDirectory.KeptMappings;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.local.UpRecord.NodeRecord;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.server.node.Node;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceSpec;
import dev.colony.vcm.store.FollowedTrees;
import dev.colony.vcm.store.FollowedTrees.MappedTree;
import dev.colony.vcm.store.TreeFollowers.TreeSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
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
    kept = new KeptMappings(state);
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
              .orElseThrow(() ->
                  CommandFailure.badInput(
                      "no page map %s in this cluster: see colony pages maps".formatted(one)));
      return new Asking.Asked(
          map.source(), map.id(), map.pages(), Map.of(), Optional.empty(), List.of());
    }
    if (tree.isEmpty()) {
      return mapped(cluster, one);
    }
    FollowedTrees trees =
        new FollowedTrees(cluster.blackboards(), Node.PAGES_TENANT, Asking.WRITER);
    Asking.Asked asked =
        trees
            .followed(tree.get())
            .filter(by -> NodeRecord.process(by.pid(), by.startedMillis()).isPresent())
            .flatMap(FollowedTrees.Followed::map)
            .flatMap(map -> cluster.pages().map(map))
            .map(this::known)
            .orElseGet(() -> mapped(cluster, one));
    Optional<String> memory = Optional.of(kept.place(one).toString());
    trees.ask(new FollowedTrees.Asked(tree.get(), asked.map(), memory), followed);
    return asked;
  }

  private Asking.Asked known(PageMap map) {
    progress.done(
        "mapping",
        "%d files, %d pages, as the cluster follows them".formatted(map.files(), map.pages()));
    return new Asking.Asked(
        tree.orElseThrow().directory(),
        map.id(),
        map.pages(),
        Map.of(),
        Optional.empty(),
        List.of());
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

  /**
   * The model that {@code --model} names: one of {@code colony.inference.models}, or of those that
   * the server of {@code --model-url} lists. A cluster that is up has its own.
   */
  record RunModel(
      StateDirectory state, Config config, ClusterOptions options, Optional<String> named) {

    /**
     * The file of settings that the nodes of the run are started with: the one that was given, with
     * the model over it where one is named.
     *
     * @throws CommandFailure if the model cannot be asked, as one without a name
     */
    Optional<Path> settings() {
      if (named.isEmpty()) {
        return options.config();
      }
      String name = named.get();
      if (name.isBlank()) {
        throw CommandFailure.badInput("--model: is empty");
      }
      Optional<UpRecord> up = UpRecord.find(state);
      if (up.isPresent()) {
        if (!up.get().model().equals(Optional.of(name))) {
          throw CommandFailure.badInput(
              "--model %s: the cluster that is up in %s has %s: leave out --model, or call colony down first"
                  .formatted(name, state.root(), up.get().model().orElse("another")));
        }
        return options.config();
      }
      return Optional.of(written(key(name), name));
    }

    /** The same for nodes that join a cluster which is up: they ask for the model that it has. */
    Optional<Path> same(UpRecord up) {
      return up.modelUrl().isEmpty() || up.model().isEmpty()
          ? options.config()
          : Optional.of(written("colony.inference.client.model", up.model().get()));
    }

    private String key(String name) {
      ModelCatalog catalog = ModelCatalog.fromConfig(config);
      if (catalog.entry(name).isPresent()) {
        return "colony.inference.default-model";
      }
      if (options.modelUrl().isPresent()) {
        return "colony.inference.client.model";
      }
      throw CommandFailure.badInput(
          "--model %s: is none of colony.inference.models, %s; give --model-url for one that a server lists"
              .formatted(
                  name,
                  catalog.models().isEmpty()
                      ? "of which there are none"
                      : "which are " + new TreeSet<>(catalog.models().keySet())));
    }

    private Path written(String key, String name) {
      Path file = state.root().resolve("run-model.conf");
      Path unfinished = state.root().resolve("run-model.conf." + ProcessHandle.current().pid());
      String given =
          options
              .config()
              .map(path ->
                  "include required(file(%s))\n"
                      .formatted(ConfigUtil.quoteString(path.toAbsolutePath().toString())))
              .orElse("");
      try {
        Files.writeString(unfinished, given + key + " = " + ConfigUtil.quoteString(name) + "\n");
        return Files.move(
            unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } catch (IOException failure) {
        throw new UncheckedIOException("cannot write " + file, failure);
      }
    }
  }
}
