package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * What cannot be used is said in a line before anything is built; what the docs show is understood.
 */
class ImageCommandTest {

  private static final Pattern SHOWN = Pattern.compile("(?m)^\\$ \\./colony image *([^#\\n]*)");

  @TempDir private Path folder;
  private Path libraries;

  @BeforeEach
  void aFolderOfJars() throws IOException {
    libraries = Files.createDirectory(folder.resolve("lib"));
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(libraries.resolve("cli.jar")))) {
      jar.putNextEntry(new JarEntry("dev/colony/cli/Main.class"));
    }
  }

  @Test
  void aFolderWithoutOurJarsIsRefused() throws IOException {
    Files.delete(libraries.resolve("cli.jar"));
    assertThat(refusal("--output", folder.resolve("out.tar").toString()))
        .contains(libraries.toString(), "holds no jars of Colony");
  }

  @Test
  void anOutputThatCannotBeWrittenIsRefused() {
    assertThat(refusal("--output", folder.resolve("none/out.tar").toString()))
        .contains("none", "create it");
    assertThat(refusal("--output", folder.toString())).contains("is a folder");
    assertThat(refusal("--lay-out", libraries.toString())).contains("is there already");
  }

  @Test
  void aNameOrABaseThatIsNoneIsRefused() {
    assertThat(refusal("--name", "Two Words")).contains("'Two Words' is no name of an image");
    assertThat(refusal("--base", "Two Words")).contains("'Two Words' is no name of an image");
    assertThat(refusal("--base", "tar://" + folder.resolve("none.tar")))
        .contains("none.tar cannot be read");
  }

  @Test
  void theCommandsOfTheDocumentsAreUnderstood() throws IOException {
    for (String document : List.of("README.md", "docs/image.md")) {
      List<String> commands =
          SHOWN
              .matcher(Files.readString(Project.root().resolve(document)))
              .results()
              .map(found -> found.group(1))
              .toList();
      assertThat(commands).as(document).isNotEmpty();
      for (String command : commands) {
        String[] words =
            ("--libraries lib --sources . --colony-version 1 " + command).strip().split(" +");
        assertThatCode(() -> new CommandLine(new ImageCommand()).parseArgs(words))
            .as(command)
            .doesNotThrowAnyException();
      }
    }
  }

  private String refusal(String option, String value) {
    StringWriter err = new StringWriter();
    int status =
        Main.commandLine()
            .setErr(new PrintWriter(err))
            .execute(
                "--libraries",
                libraries.toString(),
                "--sources",
                Project.root().toString(),
                "--colony-version",
                "1",
                option,
                value);
    assertThat(status).as(err.toString()).isEqualTo(2);
    assertThat(err.toString().strip()).startsWith("colony: ").doesNotContain("\n");
    return err.toString();
  }
}
