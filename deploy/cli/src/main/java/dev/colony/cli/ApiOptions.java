package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.NodeRecord;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which HTTP API a command asks, and with which key. */
final class ApiOptions {

  @Option(
      names = "--url",
      paramLabel = "URL",
      description = "The HTTP API of a node, or of what stands before them (default: that is up).")
  private Optional<URI> url = Optional.empty();

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "Holds the key to the API (default: that of the variable COLONY_KEY, if set).")
  private Optional<Path> keyFile = Optional.empty();

  @Mixin private StateOption state;

  /** The nodes that may be asked, at least one. */
  List<URI> nodes() {
    if (url.isPresent()) {
      if (!List.of("http", "https").contains(String.valueOf(url.get().getScheme()))) {
        throw new CommandFailure(
            ExitCode.BAD_INPUT, "--url is http://... or https://..., not: " + url.get());
      }
      return List.of(url.get());
    }
    StateDirectory directory = state.open();
    List<URI> living =
        UpRecord.find(directory).stream()
            .flatMap(record -> record.living(directory).stream())
            .map(NodeRecord::api)
            .filter(api -> !api.isEmpty())
            .map(URI::create)
            .toList();
    if (living.isEmpty()) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "no node that serves the HTTP API is up in %s: call colony up, or give --url"
              .formatted(directory.root()));
    }
    return living;
  }

  /** Empty where there is none. */
  Optional<String> key() {
    if (keyFile.isEmpty()) {
      return Optional.ofNullable(System.getenv("COLONY_KEY")).filter(key -> !key.isBlank());
    }
    try {
      return Optional.of(Files.readString(keyFile.get()).strip());
    } catch (IOException unreadable) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "the file of --key-file cannot be read: " + keyFile.get(),
          unreadable);
    }
  }
}
