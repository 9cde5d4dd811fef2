package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.cli.exit.CommandFailure;
import dev.colony.cli.exit.ExitCode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.provider.ModelProbe;
import dev.colony.inference.provider.ProviderSettings;
import java.net.URI;
import java.util.regex.Pattern;

/** Refuses a model server that cannot be used before anything depends on it. */
final class ModelCheck {

  private static final Pattern UNAUTHORIZED = Pattern.compile(" answered 40[13]\\b");

  private ModelCheck() {}

  /** That of {@code --model-url}. */
  static void check(URI server, Config config) {
    check(server, config, "--model-url:");
  }

  /**
   * Blocks until the server has answered.
   *
   * @param who begins the line that refuses it
   */
  static void check(URI server, Config config, String who) {
    of(config, who, settings -> ModelProbe.check(server, settings.probeTimeout(), settings));
  }

  /** The same of {@code --model-url}, and has it answer one call. */
  static ModelProbe.Answer ask(URI server, Config config) {
    check(server, config);
    return of(
        config,
        "--model-url:",
        settings -> ModelProbe.ask(server, settings.firstTokenTimeout(), settings));
  }

  @FunctionalInterface
  private interface Asking<T> {
    T with(ProviderSettings settings) throws InterruptedException;
  }

  private static <T> T of(Config config, String who, Asking<T> asking) {
    ProviderSettings settings = ProviderSettings.fromConfig(config);
    try {
      return asking.with(settings);
    } catch (InferenceException failure) {
      boolean unknown = UNAUTHORIZED.matcher(failure.getMessage()).find();
      throw new CommandFailure(
          ExitCode.MODEL_UNAVAILABLE,
          who
              + " "
              + failure.getMessage()
              + (unknown
                  ? settings.apiKey().isPresent()
                      ? "; COLONY_MODEL_API_KEY holds another key than it takes"
                      : "; set COLONY_MODEL_API_KEY to a key of it"
                  : ""),
          failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
