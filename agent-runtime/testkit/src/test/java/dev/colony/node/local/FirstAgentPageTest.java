package dev.colony.node.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.testkit.FakeModel;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/getting-started/first-agent.md, as a user runs it: in an empty folder. */
class FirstAgentPageTest {

  private static final int MOST_LINES = 30;
  private static final Pattern PROGRAM = Pattern.compile("(?ms)^```java\\n(.*?)^```\\n");

  /** Makes a method of the program a tool; a test takes it out. */
  private static final String TOOL = "@ActionExecutor(summary";

  @TempDir private Path folder;

  private final FakeModel model = FakeModel.start();

  @AfterEach
  void verify() {
    model.close();
  }

  private static String program() throws IOException {
    Path page =
        Stream.iterate(Path.of("").toAbsolutePath(), Objects::nonNull, Path::getParent)
            .map(above -> above.resolve("docs/getting-started/first-agent.md"))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow();
    return PROGRAM
        .matcher(Files.readString(page))
        .results()
        .map(block -> block.group(1))
        .findFirst()
        .orElseThrow();
  }

  /** What a program prints, which is compiled without the names of its parameters. */
  private String ran(String program) throws Exception {
    Path source = folder.resolve("Glossary.java");
    Files.writeString(source, program);
    String path =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(one -> !one.endsWith("test-classes") && !one.contains("logback"))
            .collect(Collectors.joining(File.pathSeparator));
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                path,
                "-d",
                folder.resolve("classes").toString(),
                source.toString());
    assertThat(compiled).isZero();
    Path output = folder.resolve("said.txt");
    ProcessBuilder java =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--sun-misc-unsafe-memory-access=allow",
                    "-cp",
                    folder.resolve("classes") + File.pathSeparator + path,
                    "com.example.harbour.Glossary"))
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    java.environment().keySet().removeIf(name -> name.startsWith("COLONY_"));
    java.environment().put("COLONY_MODEL_URL", model.uri().toString());
    Process process = java.start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output);
  }

  @Test
  void oneFileOfThirtyLinesAnswers() throws Exception {
    assertThat(program().lines()).hasSizeLessThanOrEqualTo(MOST_LINES);
    model.expect("What is a bow?").act("glossary.look_up", Map.of("term", "bow"));
    model.expect("front of a ship").complete("the front of a ship");
    assertThat(ran(program())).endsWith("the front of a ship\n");
    assertThat(folder.resolve(".colony/redis/redis.pid")).as("its Redis has ended").doesNotExist();
  }

  @Test
  void aForgottenAnnotationIsSaidInOneLine() throws Exception {
    String without = program().replaceFirst("(?m)^ *@ActionExecutor.*\\n", "");
    assertThat(without).doesNotContain(TOOL);
    assertThat(ran(without))
        .contains(
            "IllegalArgumentException: Glossary offers no tool: annotate a method with"
                + " @ActionExecutor");
  }
}
