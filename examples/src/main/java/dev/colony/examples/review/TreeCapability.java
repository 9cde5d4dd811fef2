package dev.colony.examples.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.action.ActionType.Effect;
import dev.colony.agent.author.ActionExecutor;
import dev.colony.agent.author.AgentCapability;
import dev.colony.agent.author.AgentCapability.CapabilityContext;
import dev.colony.agent.author.Param;
import dev.colony.agent.author.Registered;
import dev.colony.blackboard.Write;
import dev.colony.blackboard.value.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Looks into a source tree on the node's machine, and publishes what was found in it. */
@Registered(value = "example.tree", summary = "Looks into a source tree.")
public final class TreeCapability extends AgentCapability {

  /** The entry that a published report becomes. */
  static final String REPORT = "report";

  private static final int PARTS = 4;
  private static final int FILES = 4;
  private static final int LOOKED_AT = 10_000;
  private static final int FINDINGS = 20;
  private static final int LINE_CHARS = 160;
  private static final Pattern SOURCE =
      Pattern.compile(".*\\.(java|kt|scala|py|js|ts|go|rs|c|h|cc|cpp|rb|sh|md)");
  private static final Pattern OPEN = Pattern.compile("\\b(TODO|FIXME|XXX|HACK)\\b");

  /**
   * Which tree.
   *
   * @param root its directory, an absolute path on every node that the agent may live on
   */
  public record Tree(String root) {}

  /** A directory of the tree with its largest files, by their paths below the root. */
  public record Part(String part, List<String> files) {}

  /** A line that says that something is left to do. */
  public record OpenEnd(int line, String text) {}

  /** What was found in a file. */
  public record Checked(String path, int lines, List<OpenEnd> openEnds) {}

  /** What became of a report. */
  public record Published(String entry, int files, int openEnds) {}

  private final Path root;

  public TreeCapability(CapabilityContext context, Tree tree) {
    super(context);
    this.root = Path.of(tree.root());
  }

  @ActionExecutor(
      key = "survey_tree",
      summary = "Surveys the source tree: its largest parts, and the largest files of each.")
  List<Part> survey() throws IOException {
    Map<String, List<Path>> parts = new TreeMap<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          private int seen;

          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return directory.equals(root) || !passedOver(directory)
                ? FileVisitResult.CONTINUE
                : FileVisitResult.SKIP_SUBTREE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (SOURCE.matcher(file.getFileName().toString()).matches()) {
              parts.computeIfAbsent(part(file), part -> new ArrayList<>()).add(file);
              seen++;
            }
            return seen < LOOKED_AT ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
            return FileVisitResult.CONTINUE;
          }
        });
    return parts.entrySet().stream()
        .sorted((a, b) -> Long.compare(chars(b.getValue()), chars(a.getValue())))
        .limit(PARTS)
        .map(one -> new Part(one.getKey(), largest(one.getValue())))
        .toList();
  }

  @ActionExecutor(
      key = "check_file",
      summary = "Checks a file for open ends: lines that say that something is left to do.")
  Checked check(@Param("the file's path, as the survey gives it") String path) throws IOException {
    Path file = root.resolve(path).normalize();
    if (!file.startsWith(root) || !Files.isRegularFile(file)) {
      throw AgentException.refused("the tree has no file " + path);
    }
    List<OpenEnd> openEnds = new ArrayList<>();
    int number = 0;
    try (Stream<String> lines = Files.lines(file)) {
      for (String line : (Iterable<String>) lines::iterator) {
        number++;
        if (openEnds.size() < FINDINGS && OPEN.matcher(line).find()) {
          openEnds.add(new OpenEnd(number, Text.head(line.strip(), LINE_CHARS)));
        }
      }
    } catch (UncheckedIOException unreadable) {
      throw AgentException.refused(path + " is no text: " + unreadable.getCause().getMessage());
    }
    return new Checked(path, number, openEnds);
  }

  @ActionExecutor(
      key = "publish_report",
      summary = "Publishes the report of a review where everyone reads it.",
      effect = Effect.EXTERNAL,
      approval = true)
  Published publish(@Param("what the files were found to have: any JSON") JsonNode report) {
    blackboard()
        .write(Write.of(REPORT, JsonNodeFactory.instance.objectNode().set("report", report)))
        .toCompletableFuture()
        .join();
    int openEnds = report.findValues("openEnds").stream().mapToInt(JsonNode::size).sum();
    return new Published(REPORT, report.findValues("openEnds").size(), openEnds);
  }

  /** What was built, and what is hidden. */
  private static boolean passedOver(Path directory) {
    String name = directory.getFileName().toString();
    return name.startsWith(".") || name.equals("target") || name.equals("build");
  }

  /** The directory that a file stands in, below the root. */
  private String part(Path file) {
    Path below = root.relativize(file).getParent();
    return below == null ? "." : below.toString().replace('\\', '/');
  }

  private List<String> largest(List<Path> files) {
    return files.stream()
        .sorted((a, b) -> Long.compare(chars(List.of(b)), chars(List.of(a))))
        .limit(FILES)
        .map(file -> root.relativize(file).toString().replace('\\', '/'))
        .toList();
  }

  private static long chars(List<Path> files) {
    return files.stream().mapToLong(file -> file.toFile().length()).sum();
  }
}
