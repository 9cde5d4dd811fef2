package dev.colony.bench.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.server.fixture.ProjectRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Text is cut in one place, {@code dev.colony.blackboard.value.Text}, and in the inference gateway,
 * which stands on its own, in {@code dev.colony.inference.WellFormed}. ArchUnit sees that a method
 * is called, but not with which arguments, so the sources are searched.
 */
class TextCutsTest {

  private static final Pattern CUT =
      Pattern.compile(
          "\\.substring\\(\\s*0,|\\bis(High|Low|)Surrogate\\(|\\.subSequence\\(|\\.setLength\\(");

  /**
   * These part a text at a mark that they have found in it, cut what is ASCII, or empty a buffer.
   */
  private static final Set<String> AT_A_MARK =
      Set.of(
          "Action",
          "ActionCatalog",
          "Words",
          "AnalyzedPage",
          "Answer",
          "AnswerComposer",
          "AnswerPrinter",
          "BudgetSettings",
          "ChildrenCapability",
          "ClientSetup",
          "CpuTime",
          "CutReply",
          "EcmaPattern",
          "EntityClient",
          "EventStream",
          "Examples",
          "GitHistory",
          "GitSource",
          "GroupPacker",
          "HistoryPage",
          "KeyGlob",
          "LineKinds",
          "LostLogs",
          "MappedFile",
          "NodeOptions",
          "OpenApiDocument",
          "PageText",
          "Passages",
          "PlanState",
          "PlanningActionPolicy",
          "PolicyTypes",
          "Position",
          "QueryTerms",
          "RedisBoardStore",
          "RedisInbox",
          "RefResolver",
          "References",
          "HttpExchanges",
          "ReplyBuilder",
          "ReplyForms",
          "ReplySchema",
          "ReportFile",
          "ResponsesForms",
          "Salience",
          "SchemaStructure",
          "SourceSpec",
          "SourceTree",
          "SseParser",
          "TableEntries",
          "Transcript",
          "WaitIndexKeys");

  /** These cut between tokens of the tokenizer, which are bytes, or into its pieces. */
  private static final Set<String> OF_TOKENS = Set.of("Generation", "O200kPieces");

  @Test
  void textIsCutInOnePlace() throws Exception {
    Set<String> cutting = new TreeSet<>();
    Path root = ProjectRoot.find();
    for (String module : MavenBuild.read(root).modules()) {
      Path main = root.resolve(module).resolve("src/main/java");
      if (Files.exists(main)) {
        try (Stream<Path> files = Files.walk(main)) {
          for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
            if (CUT.matcher(Files.readString(file)).find()) {
              cutting.add(file.getFileName().toString().replace(".java", ""));
            }
          }
        }
      }
    }
    assertThat(cutting)
        .as("cut text with Text.head, Text.cut or Text.line, which part no surrogate pair")
        .isEqualTo(
            Stream.of(AT_A_MARK, OF_TOKENS, Set.of("Text", "WellFormed"))
                .flatMap(Set::stream)
                .collect(Collectors.toCollection(TreeSet::new)));
  }
}
