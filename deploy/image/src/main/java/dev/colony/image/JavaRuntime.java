package dev.colony.image;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A Java runtime of the modules that a node uses, linked from a JDK. */
final class JavaRuntime {

  /** The first with one-step AOT caches (JEP 514) and compact object headers (JEP 519). */
  static final int LEAST = 25;

  /**
   * What the classes of the image need, and what no class names: TLS with the curves of today,
   * service names in DNS, Kerberos for those whose proxy wants it, and what {@code jcmd} needs to
   * look into a running node.
   */
  static final List<String> MODULES =
      List.of(
          "java.base",
          "java.logging",
          "java.management",
          "java.naming",
          "java.net.http",
          "java.security.jgss",
          "java.sql",
          "java.xml",
          "jdk.crypto.ec",
          "jdk.jcmd",
          "jdk.jfr",
          "jdk.management",
          "jdk.naming.dns",
          "jdk.unsupported",
          "jdk.zipfs");

  private JavaRuntime() {}

  /**
   * Links it into the folder, which must not exist.
   *
   * @param jdk of {@value #LEAST} or newer, with the tool {@code jlink}
   */
  static void link(Path jdk, Path folder) {
    Path jlink = jdk.resolve("bin/jlink");
    if (!Files.isExecutable(jlink)) {
      throw ImageFailure.badInput("needs a JDK with jlink, not " + jdk + ": set JAVA_HOME to one");
    }
    new Tool(folder.getParent())
        .require(
            List.of(
                jlink.toString(),
                "--add-modules",
                String.join(",", MODULES),
                "--no-header-files",
                "--no-man-pages",
                "--strip-java-debug-attributes",
                "--output",
                folder.toString()));
  }
}
