package dev.colony.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import dev.colony.inference.catalog.ModelCatalog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.TreeSet;

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
      throw new CommandFailure(ExitCode.BAD_INPUT, "--model: is empty");
    }
    Optional<UpRecord> up = UpRecord.find(state);
    if (up.isPresent()) {
      if (!up.get().model().equals(Optional.of(name))) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT,
            "--model %s: the cluster that is up in %s has %s: leave out --model, or call colony down first"
                .formatted(name, state.root(), up.get().model().orElse("another")));
      }
      return options.config();
    }
    return Optional.of(written(key(name), name));
  }

  private String key(String name) {
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    if (catalog.entry(name).isPresent()) {
      return "colony.inference.default-model";
    }
    if (options.modelGiven()) {
      return "colony.inference.client.model";
    }
    throw new CommandFailure(
        ExitCode.BAD_INPUT,
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
