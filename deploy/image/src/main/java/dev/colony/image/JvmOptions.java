package dev.colony.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The options of a node's JVM, an argument file of the {@code java} command with comments. */
final class JvmOptions {

  private static final String RESOURCE = "java.options";

  private JvmOptions() {}

  /** As the image has it. */
  static String text() {
    try (InputStream resource = JvmOptions.class.getResourceAsStream(RESOURCE)) {
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The options alone. */
  static List<String> list() {
    return text().lines().filter(line -> line.startsWith("-")).toList();
  }
}
