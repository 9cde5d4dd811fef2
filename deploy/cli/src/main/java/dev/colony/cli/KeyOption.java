package dev.colony.cli;

import dev.colony.blackboard.value.Text;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The key of a command that asks an HTTP API. */
final class KeyOption {

  /** Of the file: a key is a line. */
  private static final int MOST_BYTES = 64 * 1024;

  @Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "Holds the key to the API (default: that of the variable COLONY_KEY, if set).")
  private Optional<Path> keyFile = Optional.empty();

  /** Empty where there is none. */
  Optional<String> key() {
    if (keyFile.isEmpty()) {
      return Optional.ofNullable(System.getenv("COLONY_KEY")).filter(key -> !key.isBlank());
    }
    try {
      return Optional.of(Text.ofFile(keyFile.get(), MOST_BYTES).strip());
    } catch (IOException | IllegalArgumentException unreadable) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT,
          "the file of --key-file cannot be read: " + keyFile.get(),
          unreadable);
    }
  }

  /** The option as it was given; empty where it was not. */
  String again() {
    return keyFile.map(file -> " --key-file " + StateOption.word(file.toString())).orElse("");
  }

  /** Refuses a URL that is none of an HTTP API. */
  static void checkUrl(URI url) {
    if (!List.of("http", "https").contains(String.valueOf(url.getScheme()))) {
      throw new CommandFailure(
          ExitCode.BAD_INPUT, "--url is http://... or https://..., not: " + url);
    }
  }
}
