package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import dev.colony.server.fixture.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** Each type and method that the tour of the code names is there, and the walk is short. */
class CodeTourTest {

  private static final Pattern NAMED = Pattern.compile("`(\\w+)#(\\w+)`");
  private static final Pattern STATION = Pattern.compile("(?m)^\\d+\\. `(\\w+)#\\w+` ");
  private static final int MOST_STATIONS = 15;

  @Test
  void theWalkOfARunTakesAtMostFifteenFiles() throws IOException {
    List<String> stations =
        STATION.matcher(tour()).results().map(station -> station.group(1)).toList();
    assertThat(stations).hasSizeBetween(10, MOST_STATIONS).doesNotHaveDuplicates();
  }

  @Test
  void everyTypeAndMethodIsThere() throws IOException {
    List<Path> sources = sources(ProjectRoot.find());
    Set<String> missing = new HashSet<>();
    NAMED
        .matcher(tour())
        .results()
        .forEach(named -> {
          List<Path> files =
              sources.stream()
                  .filter(file -> file.getFileName().toString().equals(named.group(1) + ".java"))
                  .toList();
          if (files.size() != 1 || !methods(files.getFirst()).contains(named.group(2))) {
            missing.add(named.group());
          }
        });
    assertThat(missing).isEmpty();
  }

  private static String tour() throws IOException {
    return Files.readString(ProjectRoot.find().resolve("docs/concepts/code-tour.md"));
  }

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(file -> file.toString().contains("/src/main/java/")).toList();
    }
  }

  /** The names of the methods that are declared in a file, by its own type or a nested one. */
  private static Set<String> methods(Path file) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    Set<String> names = new HashSet<>();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, List.of(), null, manager.getJavaFileObjects(file));
      new TreeScanner<Void, Void>() {
        @Override
        public Void visitMethod(MethodTree method, Void nothing) {
          names.add(method.getName().toString());
          return super.visitMethod(method, nothing);
        }
      }.scan(task.parse(), null);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return names;
  }
}
