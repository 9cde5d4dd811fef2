package dev.colony.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A source tree that is written for a test. */
public final class SmallTree {

  private SmallTree() {}

  /** So many folders with a file each, no two alike, each about a page of 256 tokens. */
  public static Path write(Path folder, int files) throws IOException {
    for (int file = 0; file < files; file++) {
      StringBuilder text = new StringBuilder("class Part" + file + " {\n");
      for (int line = 0; line < 12; line++) {
        text.append("  int value%d = compute(%d, \"part %d\");\n".formatted(line, 7 * line, file));
      }
      Path parent = Files.createDirectories(folder.resolve("part" + file));
      Files.writeString(parent.resolve("Part" + file + ".java"), text.append("}\n"));
    }
    return folder;
  }
}
