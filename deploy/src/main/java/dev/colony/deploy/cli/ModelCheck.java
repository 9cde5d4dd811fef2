package dev.colony.deploy.cli;

import com.typesafe.config.Config;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.openai.ModelProbe;
import dev.colony.inference.openai.OpenAiSettings;
import java.net.URI;
import java.time.Duration;

/** Refuses a model server that cannot be used before anything depends on it. */
final class ModelCheck {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private ModelCheck() {}

  static void check(URI server, Config config) {
    try {
      ModelProbe.check(server, PATIENCE, OpenAiSettings.fromConfig(config));
    } catch (InferenceException failure) {
      throw new CommandFailure(
          ExitCode.MODEL_UNAVAILABLE, "--model-url: " + failure.getMessage(), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
