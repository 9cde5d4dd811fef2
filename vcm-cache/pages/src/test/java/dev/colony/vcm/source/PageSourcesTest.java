package dev.colony.vcm.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import com.typesafe.config.ConfigFactory;
import dev.colony.blackboard.Blackboard;
import dev.colony.blackboard.Blackboards;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.Write;
import dev.colony.testkit.board.InMemoryBlackboards;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.FileTreeSource.FileTreeProvider;
import dev.colony.vcm.source.SourceReading.FileText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageSourcesTest {

  private static final SourceContext CONTEXT = new SourceContext(ConfigFactory.load(), "acme");
  private static final PageSources SOURCES = PageSources.installed();

  @TempDir private Path folder;

  @Test
  void aSpecIsReadAsAUriIs() {
    assertThat(SourceSpec.parse("git:../a%20b?history=5&x=%26#feature/one"))
        .isEqualTo(
            new SourceSpec(
                "git", "../a%20b", Map.of("history", "5", "x", "&"), Optional.of("feature/one")));
    assertThat(SourceSpec.parse("text:-").place()).isEqualTo("-");
    assertThat(SourceSpec.parse("file:///tmp/a?b#c").place()).isEqualTo("/tmp/a?b#c");
    for (String path : List.of("src", "./src", "/a/b:c", "C:\\src", "a#b", ".", "é:x")) {
      assertThat(SourceSpec.parse(path))
          .isEqualTo(new SourceSpec("file", path, Map.of(), Optional.empty()));
    }
    assertThatThrownBy(() -> SourceSpec.parse("git:.?history"))
        .hasMessage("git:.?history: write each parameter once, as NAME=VALUE, with & between them");
    assertThatThrownBy(() -> SourceSpec.parse("git:.?a=1&a=2")).hasMessageContaining("once");
  }

  @Test
  void whatNamesNoSourceIsRefusedInOneLine() {
    assertThat(refusal("ftp:host"))
        .startsWith("ftp:host: no source has the scheme ftp; give a directory or one of ")
        .contains("file:DIRECTORY", "git:PATH?history=N#REVISION", "blackboard:", "text:FILE");
    assertThat(refusal("git:.?history=-1")).isEqualTo("git:.: history is -1, must be 0 to 100000");
    assertThat(refusal("file:")).contains("names no directory");
    assertThat(refusal("text:")).contains("names no file");
    assertThat(refusal("text:-")).contains("nothing is piped");
    assertThat(refusal("text:" + folder)).contains("is a directory");
    assertThat(refusal("text:" + folder.resolve("none"))).contains("no such file");
    assertThat(refusal("blackboard:tenant:other"))
        .isEqualTo(
            "blackboard:tenant:other: is of tenant other, and the pages are to be of tenant acme");
    assertThat(refusal("blackboard:desk")).contains("not a scope path: desk");
    assertThat(refusal("blackboard:tenant:acme")).contains("there is no blackboard");
  }

  @Test
  void twoSourcesOfOneSchemeAreRefused() {
    assertThatThrownBy(
            () -> PageSources.of(List.of(new FileTreeProvider(), new FileTreeProvider())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("sources file: are opened by both");
  }

  @Test
  void aTextIsAFileOrWhatIsPiped() throws IOException {
    Path file = folder.resolve("notes.txt");
    Files.writeString(file, "one\ntwo\n");
    assertThat(texts("text:" + file, CONTEXT)).isEqualTo(Map.of("notes.txt", "one\ntwo\n"));
    assertThat(SOURCES.open("text:" + file, CONTEXT).file("notes.txt"))
        .contains(new FileText.Text("one\ntwo\n", 8));

    byte[] piped = "piped\n".getBytes(StandardCharsets.UTF_8);
    ContextPageSource source =
        SOURCES.open("text:-", CONTEXT.withInput(new ByteArrayInputStream(piped)));
    assertThat(texts(source)).isEqualTo(Map.of("stdin", "piped\n"));
    assertThat(texts(source)).as("read twice").isEqualTo(Map.of("stdin", "piped\n"));
    assertThat(
            refusal(
                SOURCES.open("text:-", CONTEXT.withInput(new ByteArrayInputStream(new byte[0])))))
        .isEqualTo("text:stdin: is empty");
  }

  @Test
  void theEntriesOfAScopeAreFiles() throws Exception {
    try (Blackboards blackboards = new InMemoryBlackboards()) {
      Scope scope = Scope.colony("acme", "billing");
      Blackboard board = blackboards.open(scope, "test");
      SourceContext context = CONTEXT.withBlackboards(blackboards);
      assertThat(refusal("blackboard:" + scope.path(), context)).contains("holds no entries");
      board.write(Write.of("note:1", TextNode.valueOf("plain text"))).toCompletableFuture().join();
      board
          .write(
              Write.of(
                  "finding:1", JsonNodeFactory.instance.objectNode().put("b", 1).put("a", "x")))
          .toCompletableFuture()
          .join();

      ContextPageSource source = SOURCES.open("blackboard:" + scope.path(), context);
      assertThat(texts(source))
          .isEqualTo(
              Map.of("note:1", "plain text", "finding:1", "{\n  \"b\" : 1,\n  \"a\" : \"x\"\n}"));
      assertThat(texts("blackboard:" + scope.path() + "?keys=note:*", context))
          .containsOnlyKeys("note:1");

      BlockingQueue<String> told = new LinkedBlockingQueue<>();
      SourceWatch watch = source.watch(listener(told)).orElseThrow();
      try {
        board.write(Write.of("note:2", TextNode.valueOf("more"))).toCompletableFuture().join();
        assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("anything");
      } finally {
        watch.close();
      }
      Map<String, String> before = stamps(source);
      board.write(Write.of("note:1", TextNode.valueOf("changed"))).toCompletableFuture().join();
      assertThat(stamps(source).get("note:1")).isNotEqualTo(before.get("note:1"));
      assertThat(stamps(source).get("note:2")).isEqualTo(before.get("note:2"));
    }
  }

  @Test
  void aWatchTellsOfWhatChangesInATree() throws Exception {
    Files.writeString(folder.resolve("a.txt"), "a");
    Files.writeString(folder.resolve(".gitignore"), "target/\n");
    Files.createDirectory(folder.resolve("target"));
    ContextPageSource source = SOURCES.open(folder.toString(), CONTEXT);
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    SourceWatch watch = source.watch(listener(told)).orElseThrow();
    try {
      Files.writeString(folder.resolve("target/out"), "ignored");
      Files.writeString(folder.resolve("a.txt"), "changed");
      awaitTold(told, "[a.txt]");
      Files.createDirectory(folder.resolve("sub"));
      awaitTold(told, "anything");
      Files.writeString(folder.resolve("sub/b.txt"), "b");
      awaitTold(told, "[sub/b.txt]");
      Files.delete(folder.resolve("sub/b.txt"));
      awaitTold(told, "[sub/b.txt]");
    } finally {
      watch.close();
    }
    told.clear();
    Files.writeString(folder.resolve("a.txt"), "after the end");
    assertThat(told).isEmpty();
  }

  /** What is written at once may be told of in two calls, so that one comes twice. */
  private static void awaitTold(BlockingQueue<String> told, String expected)
      throws InterruptedException {
    String one = told.poll(30, TimeUnit.SECONDS);
    while (!expected.equals(one)) {
      assertThat(one).as("before " + expected).isNotNull().doesNotContain("target");
      one = told.poll(30, TimeUnit.SECONDS);
    }
  }

  private static SourceWatch.Listener listener(BlockingQueue<String> told) {
    return new SourceWatch.Listener() {
      @Override
      public void changed(Set<String> paths) {
        told.add(paths.stream().sorted().toList().toString());
      }

      @Override
      public void anything() {
        told.add("anything");
      }
    };
  }

  private static Map<String, String> texts(String spec, SourceContext context) {
    return texts(SOURCES.open(spec, context));
  }

  private static Map<String, String> texts(ContextPageSource source) {
    return files(source).stream()
        .collect(
            Collectors.toMap(
                SourceFile::path, file -> ((FileText.Text) file.content().get()).text()));
  }

  private static Map<String, String> stamps(ContextPageSource source) {
    return files(source).stream().collect(Collectors.toMap(SourceFile::path, SourceFile::stamp));
  }

  private static List<SourceFile> files(ContextPageSource source) {
    return ((SourceReading.Read) source.read(SourceProgress.SILENT)).files();
  }

  private static String refusal(String spec) {
    return refusal(spec, CONTEXT);
  }

  private static String refusal(String spec, SourceContext context) {
    return refusal(SOURCES.open(spec, context));
  }

  private static String refusal(ContextPageSource source) {
    return ((SourceReading.Refused) source.read(SourceProgress.SILENT)).reason();
  }
}
