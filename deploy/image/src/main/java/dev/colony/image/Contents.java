package dev.colony.image;

import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What is where in the image, and how it is run; the Dockerfile says the same. */
final class Contents {

  /** Numeric, so that Kubernetes can tell that it is not root; no user of the base has it. */
  static final int USER_ID = 10001;

  static final String USER = USER_ID + ":" + USER_ID;

  static final String JAVA_HOME = "/opt/java";
  static final String HOME = "/opt/colony";
  static final String LIBRARIES = HOME + "/libraries";
  static final String APPLICATION = HOME + "/application";
  static final String OPTIONS = APPLICATION + "/java.options";

  /** Licence, notice, third parties and the bill of materials. */
  static final String LEGAL = APPLICATION + "/legal";

  static final String CLASS_PATH = APPLICATION + "/class.path";

  /** Where an image built on this one, or a volume, puts jars with agents of one's own. */
  static final String AGENTS = HOME + "/agents";

  static final String CACHE = HOME + "/cache/colony.aot";

  static final String MAIN = "dev.colony.cli.Main";

  /** The JVM is the first process, so that SIGTERM reaches it; there is no shell. */
  static final List<String> ENTRY_POINT =
      List.of(
          JAVA_HOME + "/bin/java",
          "-XX:AOTCache=" + CACHE,
          "@" + OPTIONS,
          "@" + CLASS_PATH,
          MAIN,
          "node");

  /** Remoting, management, the HTTP API. */
  static final List<Integer> PORTS = List.of(25520, 7626, 8080);

  static final Map<String, String> LABELS =
      Map.of(
          "org.opencontainers.image.title", "colony",
          "org.opencontainers.image.description", "A node of Colony on Pekko",
          "org.opencontainers.image.licenses", "Apache-2.0");

  /**
   * Of all files. The JVM takes an AOT cache only for jars and a runtime of the size and time that
   * it was trained with, so the time is the same here, in the layers and where they are unpacked.
   */
  static final Instant TIME = Instant.ofEpochSecond(1);

  static final FileTime FILE_TIME = FileTime.from(TIME);

  private Contents() {}
}
