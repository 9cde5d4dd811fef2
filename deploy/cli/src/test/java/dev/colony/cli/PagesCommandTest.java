package dev.colony.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.cli.ColonyProcess.Finished;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.poi.xwpf.usermodel.XWPFDocument;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands for pages against a real Redis, as a person types them. */
class PagesCommandTest {

  private static BoardRig rig;

  @TempDir private Path tree;

  @BeforeAll
  static void start() {
    rig = new BoardRig();
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void write() throws IOException {
    for (String name : List.of("Shelf", "Order", "Letter")) {
      Path file = tree.resolve(name.toLowerCase(Locale.ROOT) + "/" + name + ".java");
      Files.createDirectories(file.getParent());
      String used = name.equals("Order") ? "import shelf.Shelf;\n" : "";
      Files.writeString(
          file, used + "class %s {}\n".formatted(name) + "// no more than this\n".repeat(1_500));
    }
  }

  private static String[] line(String... arguments) {
    return Rig.with(
        List.of("pages"), List.of(arguments), List.of("--state", rig.state().toString()));
  }

  private static Finished run(String... arguments) {
    return CommandLineRun.of(line(arguments));
  }

  private static Finished done(String... arguments) {
    Finished finished = run(arguments);
    assertThat(finished.status()).as(finished.err()).isZero();
    return finished;
  }

  @Test
  void aTreeIsMappedListedAndItsGraphShown() {
    JsonNode mapped = done("map", tree.toString(), "--json").json();
    String map = mapped.path("map").asText();
    assertThat(mapped.path("files").asInt()).isEqualTo(3);
    assertThat(mapped.path("edges").asInt()).isPositive();
    assertThat(done("map", tree.toString()).out()).startsWith("map " + map + ": 3 files on ");

    JsonNode pages = done("list", map, "--json").json().path("pages");
    assertThat(pages).hasSize(mapped.path("pages").asInt());
    assertThat(pages.path(0).path("lines").path(0).asText()).contains("Letter.java:1-");
    assertThat(done("list", map, "--skip", "1", "--limit", "1").out().lines()).hasSize(1);

    JsonNode edges = done("graph", map, "--json").json().path("edges");
    assertThat(edges).hasSize(mapped.path("edges").asInt());
    assertThat(done("graph", map, "--limit", "1").out()).contains(" -> ").hasLineCount(1);
    assertThat(done("graph", map, "--dot").out())
        .startsWith("digraph pages {")
        .contains("\"order/Order.java\"", " -> ");
  }

  @Test
  void documentsAreMappedAndWhatIsLeftOutIsSaidByReason() throws IOException {
    Files.writeString(tree.resolve("mail.eml"), "Subject: the shelf\n\nIt is full.\n");
    try (XWPFDocument word = new XWPFDocument();
        OutputStream out = Files.newOutputStream(tree.resolve("fares.docx"))) {
      word.createParagraph().createRun().setText("An adult pays twelve.");
      word.write(out);
    }
    Files.write(tree.resolve("shelf.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, 0, 0, 13});
    Files.writeString(
        tree.resolve("model.bin"), "version https://git-lfs.github.com/spec/v1\noid sha256:4d\n");
    Files.createDirectory(tree.resolve("node_modules"));

    Finished finished = done("map", tree.toString(), "--json");
    assertThat(finished.json().path("leftOut"))
        .isEqualTo(
            JsonNodeFactory.instance
                .objectNode()
                .put("binary", 1)
                .put("lfsPointer", 1)
                .put("vendoredFolders", 1));
    assertThat(finished.json().path("files").asInt()).isEqualTo(5);
    assertThat(finished.err())
        .contains(
            "left out 2 files, 1 folder: 1 binary, 1 Git LFS pointer, 1 vendored folder"
                + " (node_modules)")
        .doesNotContain("ERROR", "WARN");
    String map = finished.json().path("map").asText();
    assertThat(done("find", map, "fares.docx:1").out()).contains("fares.docx:1-1");
    assertThat(done("find", map, "mail.eml:3").out()).contains("mail.eml:1-3");
  }

  @Test
  void aLineFindsItsPageAndAPageItsLines() {
    String map = done("map", tree.toString(), "--json").json().path("map").asText();
    JsonNode whole = done("find", map, "order/Order.java", "--json").json().path("pages");
    assertThat(whole).hasSizeGreaterThan(1);
    String page = whole.path(1).path("page").asText();
    String lines = whole.path(1).path("lines").path(0).asText();
    String first = lines.replaceAll("-\\d+$", "");
    assertThat(done("find", map, first).out()).startsWith(page).contains(lines);
    assertThat(done("find", map, page).out()).startsWith(page).contains(lines);
    Rig.assertOneLine(run("find", map, "order/Order.java:99999"), 1, "no page of map");
    Rig.assertOneLine(run("find", map, "none"), 1, "has none");
  }

  @Test
  void theSameTextUnderAnotherLabelIsAnotherMap() {
    String shared = done("map", tree.toString(), "--json").json().path("map").asText();
    String secret =
        done("map", tree.toString(), "--json", "--sensitivity", "restricted", "--own")
            .json()
            .path("map")
            .asText();
    assertThat(secret).isNotEqualTo(shared);
  }

  @Test
  void anothersOwnAndWhatNobodyIsClearedForIsRefusedInOneLine() {
    String own =
        done("map", tree.toString(), "--own", "--tenant", "acme", "--json")
            .json()
            .path("map")
            .asText();
    assertThat(done("list", own, "--tenant", "acme").out()).contains("Order.java");
    Rig.assertOneLine(run("list", own, "--tenant", "desk"), 1, "is another tenant's");
    Rig.assertOneLine(run("branch", own, "--session", "s"), 1, "is another tenant's");
    String secret =
        done("map", tree.toString(), "--sensitivity", "confidential", "--json")
            .json()
            .path("map")
            .asText();
    Rig.assertOneLine(run("list", secret), 1, "tenant local is cleared up to internal");
  }

  @Test
  void whatIsOnABlackboardIsMapped() {
    CommandLineRun.of(
        "board",
        "put",
        "tenant:local:colony:c",
        "finding:1",
        "{\"a\":1}",
        "--state",
        rig.state().toString());
    JsonNode mapped = done("map", "blackboard:tenant:local:colony:c", "--json").json();
    assertThat(mapped.path("files").asInt()).isEqualTo(1);
    assertThat(done("list", mapped.path("map").asText()).out()).contains("finding:1:1-3");
  }

  @Test
  void sessionsBranchAMapAndMergeOrDiscardTheirChanges(@TempDir Path texts) throws IOException {
    String map = done("map", tree.toString(), "--json").json().path("map").asText();
    String page = done("list", map, "--json").json().path("pages").path(0).path("page").asText();
    Path text = Files.writeString(texts.resolve("note.txt"), "written in a branch\n");
    Path other = Files.writeString(texts.resolve("other.txt"), "written elsewhere\n");
    assertThat(done("branch", map, "--session", "one").out()).contains("open, 0 pages changed");
    done("branch", map, "--session", "two");
    done("branch", map, "--session", "one", "--write", text.toString(), "--at", page);
    done("branch", map, "--session", "two", "--write", other.toString(), "--at", page);
    JsonNode merged = done("branch", map, "--session", "one", "--merge", "--json").json();
    assertThat(merged.path("status").asText()).isEqualTo("merged");

    Finished conflict = run("branch", map, "--session", "two", "--merge");
    assertThat(conflict.status()).isEqualTo(1);
    assertThat(conflict.out()).contains("conflict at " + page);
    assertThat(done("branch", map, "--session", "two", "--settle", "theirs").out())
        .contains("merged, 0 pages changed");
    done("branch", map, "--session", "two");
    done("branch", map, "--session", "two", "--remove", page);
    assertThat(done("branch", map, "--session", "two", "--discard").out()).contains("discarded");

    Rig.assertOneLine(run("branch", "no-map", "--session", "one"), 1, "no page map no-map");
    Rig.assertOneLine(
        run("branch", map, "--session", "three", "--merge"), 1, "has no branch of map");
    Rig.assertOneLine(
        run("branch", map, "--session", "two", "--settle", "both"), 2, "must be ours or theirs");
    Rig.assertOneLine(
        run("branch", map, "--session", "one", "--write", "/no/such/file"), 2, "/no/such/file");
  }

  @Test
  void theTableOfAClusterWithoutReplicasIsEmpty() {
    assertThat(done("table", "--json").json().path("replicas")).isEmpty();
    assertThat(done("table").out()).startsWith("no replica has reported its pages");
  }

  @Test
  void pagesAreLockedWatchedExtendedAndUnlocked() {
    String page = "p".repeat(26);
    RunningCommand watching = CommandLineRun.start(line("watch", page, "--count", "3", "--json"));
    watching.awaitErr("watching");
    assertThat(done("lock", page, "--seconds", "60").out())
        .startsWith(page + " locked by operator:cli until ");
    JsonNode locks = done("extend", page, "--seconds", "120", "--json").json().path("locks");
    assertThat(locks).hasSize(1);
    assertThat(done("table").out()).contains(page + " locked by operator:cli until ");
    assertThat(done("unlock", page).out()).startsWith("operator:cli has no page locked");
    Finished watched = watching.await();
    assertThat(watched.status()).as(watched.err()).isZero();
    assertThat(watched.out().lines())
        .hasSize(3)
        .allMatch(line -> line.contains(page))
        .last()
        .asString()
        .contains("\"change\":\"unlocked\"");

    Rig.assertOneLine(run("extend", page), 1, "has no lock of page " + page);
    Rig.assertOneLine(run("lock", page, "--seconds", "9999"), 1, "3600 s");
    Rig.assertOneLine(run("lock", "page"), 2, "26 characters of base32");
    Rig.assertOneLine(run("table", "--replica", "nowhere"), 1, "no replica nowhere is known");
  }

  @Test
  void whatCannotBeShownIsSaidInOneLine() {
    Rig.assertOneLine(run("list", "no-map"), 1, "no page map no-map");
    Rig.assertOneLine(run("load", "no-map"), 2, "no-map is no id of a map");
    Rig.assertOneLine(run("load", "a".repeat(26), "--tokens", "0"), 2, "--tokens is 0");
    Rig.assertOneLine(run("map", "/no/such/place"), 2, "/no/such/place");
    Rig.assertOneLine(run("map", "ftp:host"), 2, "no source has the scheme ftp");
    Rig.assertOneLine(run("map", "git:" + tree), 2, "is in no git repository");
    Rig.assertOneLine(run("map", "blackboard:tenant:other"), 2, "is of tenant other");
    Rig.assertOneLine(run("map", "blackboard:tenant:local"), 2, "holds no entries");
    Rig.assertOneLine(run("map", "text:" + tree.resolve("none")), 2, "no such file");
    Rig.assertOneLine(
        run("map", tree.toString(), "--sensitivity", "secret"), 2, "secret is no class");
  }
}
