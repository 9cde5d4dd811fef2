package dev.colony.deploy.cli;

import com.typesafe.config.Config;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.inference.InferenceException;
import dev.colony.inference.openai.ModelProbe;
import dev.colony.inference.openai.OpenAiSettings;
import java.net.URI;

/** Refuses a model server that cannot be used before anything depends on it. */
final class ModelCheck {

  private ModelCheck() {}

  static void check(URI server, Config config) {
    try {
      OpenAiSettings settings = OpenAiSettings.fromConfig(config);
      ModelProbe.check(server, settings.probeTimeout(), settings);
    } catch (InferenceException failure) {
      throw new CommandFailure(
          ExitCode.MODEL_UNAVAILABLE, "--model-url: " + failure.getMessage(), failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "interrupted", interrupted);
    }
  }
}
