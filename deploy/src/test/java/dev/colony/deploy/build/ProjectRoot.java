package dev.colony.deploy.build;

import java.nio.file.Files;
import java.nio.file.Path;

/** The project's root folder, from whichever module the tests run in. */
public final class ProjectRoot {

  private ProjectRoot() {}

  /** The folder that holds all modules. */
  public static Path find() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("settings.gradle.kts"))) {
      folder = folder.getParent();
      if (folder == null) {
        throw new IllegalStateException(
            "no settings.gradle.kts above " + Path.of("").toAbsolutePath());
      }
    }
    return folder;
  }
}
