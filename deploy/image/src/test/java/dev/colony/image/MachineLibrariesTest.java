package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The base where there are no packages. */
class MachineLibrariesTest {

  private static final Pattern RESOLVED = Pattern.compile("=> (\\S+)");

  @TempDir private Path root;

  @Test
  void javaFindsAllThatItIsLinkedAgainstInThem() throws IOException {
    Path jdk = BuiltImage.jdk();
    Set<Path> libraries = LinkedLibraries.of(jdk);
    assertThat(LinkedLibraries.missing(libraries, root)).contains("libc.so.6");

    MachineLibraries.copy(libraries, root);

    assertThat(LinkedLibraries.missing(libraries, root)).isEmpty();
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> all = files.filter(Files::isRegularFile).toList();
      Path loader =
          all.stream()
              .filter(file -> file.getFileName().toString().startsWith("ld-"))
              .findFirst()
              .orElseThrow();
      String path =
          String.join(
              ":", all.stream().map(file -> file.getParent().toString()).distinct().toList());
      String linked =
          new Tool(root)
              .require(
                  List.of(
                      loader.toString(),
                      "--inhibit-cache",
                      "--library-path",
                      path,
                      "--list",
                      jdk.resolve("bin/java").toString()));
      assertThat(RESOLVED.matcher(linked).results().map(found -> found.group(1)))
          .isNotEmpty()
          .allMatch(file -> file.startsWith(root.toString()) || file.startsWith(jdk.toString()));
    }
  }
}
