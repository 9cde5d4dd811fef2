package dev.colony.examples.mapped;

import dev.colony.agent.AgentBlueprint;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.registry.BlueprintFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The blueprint files of the examples, which are in its jar. */
public final class BlueprintFiles {

  private BlueprintFiles() {}

  /**
   * The blueprint of a file.
   *
   * @param name as in {@code impact.json}
   * @throws IllegalStateException if there is none of that name, or it is wrong
   */
  public static AgentBlueprint named(String name) {
    return switch (BlueprintFile.read(text("/" + name), AgentTypes.installed())) {
      case BlueprintFile.Read read -> read.file().blueprint();
      case BlueprintFile.Refused refused ->
          throw new IllegalStateException(name + ":" + refused.problems().getFirst());
    };
  }

  /** A file of the jar as text. */
  public static String text(String resource) {
    try (InputStream file = BlueprintFiles.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("there is no " + resource + " in the examples");
      }
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
