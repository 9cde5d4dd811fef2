package dev.colony.cli;

import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.NodeRecord;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.UpRecord;
import java.net.URI;
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

  @Mixin private KeyOption keyOption;

  @Mixin private StateOption state;

  /** The nodes that may be asked, at least one. */
  List<URI> nodes() {
    if (url.isPresent()) {
      KeyOption.checkUrl(url.get());
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
    return keyOption.key();
  }
}
