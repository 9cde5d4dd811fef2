package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import dev.colony.testkit.FakeModel;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/getting-started/first-agent.md is examples/quickstart, and that is a project of its own. */
class QuickstartTest {

  private static final Path ROOT = ProjectRoot.find();
  private static final Path QUICKSTART = ROOT.resolve("examples/quickstart");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```\\n");

  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  /** Of the commands and what they print. */
  private static final String TYPED = "console";

  private static final String CLASS_PATH =
      "mvn org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath"
          + " -Dmdep.outputFile=target/jars.txt -DincludeScope=runtime";

  /** Of a first agent: a newcomer waits until they are here. */
  private static final int MOST_JARS = 57;

  private static final long MOST_BYTES = 67_000_000;

  @Test
  void thePageIsTheProjectWordForWord() throws IOException {
    List<String> files = new ArrayList<>();
    for (Path file : files()) {
      files.add(Files.readString(file));
    }
    assertThat(files).hasSizeGreaterThan(3);
    assertThat(blocks().filter(block -> !block.group(1).equals(TYPED)).map(block -> block.group(2)))
        .containsExactlyInAnyOrderElementsOf(files);
    String page = page();
    for (Path file : files()) {
      assertThat(page).contains("`" + QUICKSTART.relativize(file) + "`");
    }
  }

  @Test
  void itIsOfTheVersionOfThisBuild() throws IOException {
    String version =
        PublishedPoms.values(Files.readString(ROOT.resolve("pom.xml")), "revision").getFirst();
    assertThat(Files.readString(QUICKSTART.resolve("pom.xml")))
        .contains("<colony.version>" + version + "</colony.version>");
    assertThat(Files.readString(QUICKSTART.resolve("build.gradle.kts")))
        .contains("dev.colony:colony-bom:" + version);
  }

  /** The commands of the page, in an empty folder with nothing in it but the files of the page. */
  @Test
  void whatThePageSaysIsWhatHappens(@TempDir Path folder) throws Exception {
    String machine = System.getProperty("localRepository", "");
    Assumptions.assumeFalse(machine.isEmpty(), "Maven runs the tests");
    try (LocalRepository own =
            new LocalRepository(
                Path.of(machine), folder.resolve("repository"), PublishedPoms.of(ROOT));
        FakeModel model = FakeModel.start()) {
      model.expect("What is a bow?").act("glossary.look_up", Map.of("term", "bow"));
      model.expect("front of a ship").complete("the front of a ship");
      Path project = copied(folder.resolve("harbour"), own.folder());
      follow(project, model.uri());
      stands(project, model.uri());
    }
  }

  /** What a first agent has on its class path, by the poms as they are published. */
  private static void stands(Path project, URI model) throws Exception {
    said(project, CLASS_PATH, model);
    List<Path> jars =
        Stream.of(Files.readString(project.resolve("target/jars.txt")).strip().split(":"))
            .map(Path::of)
            .toList();
    long bytes = 0;
    for (Path jar : jars) {
      bytes += Files.size(jar);
    }
    assertThat(jars).hasSizeBetween(20, MOST_JARS);
    assertThat(bytes).isLessThan(MOST_BYTES);
    assertThat(page()).contains("| `agent-node` | %d |".formatted(jars.size()));
  }

  private static Path copied(Path project, Path repository) throws IOException {
    for (Path file : files()) {
      Path copy = project.resolve(QUICKSTART.relativize(file).toString());
      Files.createDirectories(copy.getParent());
      Files.copy(file, copy);
    }
    Path options = project.resolve(".mvn/maven.config");
    Files.createDirectories(options.getParent());
    Files.writeString(options, "-B\n-q\n-Dmaven.repo.local=" + repository + "\n");
    return project;
  }

  /**
   * @param model what stands for the model server that the page has found
   */
  private static void follow(Path project, URI model) throws Exception {
    Matcher typed = Pattern.compile("(?m)^\\$ (.*)\\n((?:[^$].*\\n)*)").matcher(commands());
    List<String> run = new ArrayList<>();
    while (typed.find()) {
      assertThat(said(project, typed.group(1), model)).as(typed.group(1)).isEqualTo(typed.group(2));
      run.add(typed.group(1));
    }
    assertThat(run).hasSize(1);
  }

  /** The first block of commands of the page. */
  private static String commands() throws IOException {
    return blocks()
        .filter(block -> block.group(1).equals(TYPED))
        .findFirst()
        .orElseThrow()
        .group(2);
  }

  /** What a command prints; its warnings go elsewhere. */
  private static String said(Path folder, String command, URI model) throws Exception {
    Path output = folder.resolveSibling("said.txt");
    Path errors = folder.resolveSibling("errors.txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", command)
            .directory(folder.toFile())
            .redirectError(errors.toFile())
            .redirectOutput(output.toFile());
    String java = System.getProperty("java.home");
    builder.environment().put("JAVA_HOME", java);
    builder.environment().put("PATH", java + "/bin:" + System.getenv("PATH"));
    builder.environment().keySet().removeIf(name -> name.startsWith("COLONY_"));
    builder.environment().put("COLONY_MODEL_URL", model.toString());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as(command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = COLOUR.matcher(Files.readString(output)).replaceAll("");
    assertThat(process.exitValue())
        .as("%s: %s%s", command, text, Files.readString(errors))
        .isZero();
    return text;
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(QUICKSTART)) {
      return all.filter(Files::isRegularFile)
          .filter(file ->
              Stream.of("target", "build", ".gradle", ".colony")
                  .noneMatch(made -> QUICKSTART.relativize(file).startsWith(made)))
          .sorted()
          .toList();
    }
  }

  private static Stream<MatchResult> blocks() throws IOException {
    return BLOCK.matcher(page()).results();
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/getting-started/first-agent.md"));
  }
}
