package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The runtime has the modules that the jars need, and no others. */
class JavaRuntimeTest {

  private static final Pattern NEEDED = Pattern.compile("-> ((?:java|jdk)\\.[a-z.]+)");

  /**
   * Named by parts of libraries that no node comes to: annotation processors, bean properties of a
   * desktop, agents for instrumentation, and the vectors that Lucene takes where they are.
   */
  private static final Set<String> NOT_USED =
      Set.of("java.compiler", "java.desktop", "java.instrument", "jdk.incubator.vector");

  /** Found by name at run time. */
  private static final Set<String> NAMED_BY_NO_CLASS =
      Set.of("jdk.crypto.ec", "jdk.jcmd", "jdk.naming.dns", "jdk.zipfs");

  @Test
  void itsModulesAreThoseThatTheJarsNeed(@TempDir Path folder) throws Exception {
    Jars jars = Project.jars(Files.createDirectory(folder.resolve("jars")));
    Set<String> needed = new TreeSet<>();
    NEEDED
        .matcher(new Tool(folder).require(jdeps(jars)))
        .results()
        .forEach(module -> needed.add(module.group(1)));
    assertThat(needed).hasSizeGreaterThan(5).containsAll(NOT_USED);
    needed.removeAll(NOT_USED);
    needed.addAll(NAMED_BY_NO_CLASS);
    assertThat(JavaRuntime.MODULES).containsExactlyInAnyOrderElementsOf(needed);
  }

  private static List<String> jdeps(Jars jars) {
    List<String> command =
        new ArrayList<>(
            List.of(
                BuiltImage.jdk().resolve("bin/jdeps").toString(),
                "--multi-release",
                Integer.toString(JavaRuntime.LEAST),
                "--ignore-missing-deps",
                "-summary"));
    Stream.concat(jars.application().stream(), jars.libraries().stream())
        // says as a module that it requires another by a name that the other does not have
        .filter(jar -> !jar.getFileName().toString().startsWith("progressbar-"))
        .map(Path::toString)
        .forEach(command::add);
    return command;
  }
}
