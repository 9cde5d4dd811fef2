package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The graph of modules in the docs is what the build says; {@code -Ddocs.write=true} renews it. */
class ModuleGraphTest {

  private static final String BEGIN = "<!-- from the build: begin -->\n";
  private static final String END = "<!-- from the build: end -->\n";

  @Test
  void theArrowsAreThoseOfTheBuild() throws Exception {
    Path document = ProjectRoot.find().resolve("docs/concepts/architecture.md");
    String text = Files.readString(document);
    assertThat(text).contains(BEGIN, END);
    int begin = text.indexOf(BEGIN) + BEGIN.length();
    int end = text.indexOf(END);
    String wanted = mermaid(arrows(MavenBuild.read(ProjectRoot.find())));
    if (Boolean.getBoolean("docs.write")) {
      Files.writeString(document, text.substring(0, begin) + wanted + text.substring(end));
    } else {
      assertThat(text.substring(begin, end))
          .as("docs/concepts/architecture.md; renew it with -Ddocs.write=true")
          .isEqualTo(wanted);
    }
  }

  /** From each module to those of ours that it is compiled against, by their artifacts' names. */
  private static Map<String, Set<String>> arrows(BuildFacts build) {
    Map<String, Set<String>> arrows = new TreeMap<>();
    build
        .dependencies()
        .forEach((folder, dependencies) ->
            arrows.put(
                GradleBuild.artifact(folder.replace('/', ':')),
                dependencies.stream()
                    .filter(one -> !one.test() && one.name().startsWith(":"))
                    .map(one -> one.name().substring(1))
                    .collect(Collectors.toCollection(TreeSet::new))));
    // a list of versions, which is compiled against nothing
    arrows.remove("colony-bom");
    return arrows;
  }

  /** Without the arrows that others imply. */
  private static String mermaid(Map<String, Set<String>> arrows) {
    StringBuilder graph = new StringBuilder("```mermaid\nflowchart TD\n");
    arrows.forEach((from, all) ->
        all.stream()
            .filter(to ->
                all.stream().noneMatch(by -> !by.equals(to) && reached(arrows, by).contains(to)))
            .forEach(to -> graph.append("  %s --> %s\n".formatted(from, to))));
    return graph.append("```\n").toString();
  }

  private static Set<String> reached(Map<String, Set<String>> arrows, String from) {
    Set<String> reached = new HashSet<>();
    for (String next : arrows.getOrDefault(from, Set.of())) {
      if (reached.add(next)) {
        reached.addAll(reached(arrows, next));
      }
    }
    return reached;
  }
}
