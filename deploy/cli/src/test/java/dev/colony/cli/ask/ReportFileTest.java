package dev.colony.cli.ask;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.cli.ask.Document.Coverage;
import dev.colony.cli.ask.Document.Links;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.inference.Usage;
import dev.colony.library.research.Evidence;
import java.io.StringReader;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/** Reports as they stand in files. */
class ReportFileTest {

  /** What a file's name, a line of code or a model may hold. */
  private static final String HOSTILE =
      "\"><script>alert(1)</script>'&amp;[x](javascript:alert(2))`|\u001b[31m\u202e";

  @TempDir private Path directory;

  private static Evidence lines(String file, String text) {
    return new Evidence(file, 12, 13, text, 4.5, "p", "a", "c");
  }

  private Document document(String any, Links links) {
    return new Document(
        "Where is " + any + "?",
        List.of("Before: " + any),
        "It is here: " + any + "\n- second line",
        List.of(lines("src/" + any + ".java", "```\n" + any + "\n")),
        List.of("not read: " + any),
        Optional.of(new Coverage(List.of(new Coverage.Part("src/" + any, 200, 50, true)))),
        any,
        links,
        new Document.Took(
            "r-1",
            2,
            new AskReport.StatsForm(
                1,
                40,
                3,
                9,
                7,
                List.of(any),
                new Usage(1_000, 640, 50),
                0.64,
                new BigDecimal("0.125"),
                0,
                0,
                Map.of(),
                2_300)));
  }

  private String written(String name, Document document) throws Exception {
    Path file = directory.resolve(name);
    ReportFile.of(file).write(document);
    return Files.readString(file);
  }

  @Test
  void htmlOfWhateverComesIsTextAndWellFormed() throws Exception {
    String html =
        written("r.html", document(HOSTILE, Links.between(directory.resolve("r.html"), directory)));
    assertThat(html)
        .doesNotContain("<script")
        .doesNotContain("\u001b")
        .doesNotContain("\u202e")
        .contains("default-src 'none'");
    // As XML it is read by what knows every element and each attribute.
    String body = html.substring(html.indexOf("<body>")).replace("</html>", "");
    org.w3c.dom.Document parsed =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(body)));
    assertThat(parsed.getElementsByTagName("script").getLength()).isZero();
    assertThat(parsed.getElementsByTagName("svg").getLength()).isEqualTo(1);
    String link =
        parsed
            .getElementsByTagName("a")
            .item(0)
            .getAttributes()
            .getNamedItem("href")
            .getNodeValue();
    assertThat(link).startsWith("./src/").endsWith(".java#L12-L13").doesNotContain(":");
    assertThat(parsed.getElementsByTagName("pre").item(0).getTextContent())
        .contains("<script>alert(1)</script>");
  }

  @Test
  void markdownOfWhateverComesIsText() throws Exception {
    String text = written("r.md", document(HOSTILE, Links.NONE));
    assertThat(text.lines().filter(line -> line.contains("<script")))
        .as("only within the fence of the lines, or escaped")
        .allMatch(line -> line.contains("\\<script") || line.startsWith("  "));
    assertThat(text).contains("  ````text\n  ```\n").contains("\\- second line");
    assertThat(text).contains("\\[x\\](").doesNotContain("\u001b");
    assertThat(text.lines().filter(line -> line.contains("[x](")))
        .allMatch(line -> line.startsWith("  "));
    assertThat(text).contains("| █████░░░░░░░░░░░░░░░ | 25% | cited |");
    assertThat(text).contains("| of these cached | 64% |").contains("| money | 0.125 |");
  }

  @Test
  void linksLeadFromTheReportToTheLines() throws Exception {
    Path file = Files.createDirectories(directory.resolve("out")).resolve("r.md");
    Links links = Links.between(file, directory.resolve("tree"));
    assertThat(links.of(lines("a b/ü.java", ""))).hasValue("../tree/a%20b/%C3%BC.java#L12-L13");
    Links inside = Links.between(directory.resolve("r.md"), directory);
    assertThat(inside.of(new Evidence("javascript:alert(1)", 3, 3, "", 1, "p", "a", "c")))
        .hasValue("./javascript%3Aalert%281%29#L3");
    assertThat(Links.NONE.of(lines("a", ""))).isEmpty();
  }

  @Test
  void aReportTakesThePlaceOfAnotherWholeAndLeavesNothingBehind() throws Exception {
    Files.writeString(directory.resolve("r.md"), "old");
    String text = written("r.md", document("plain", Links.NONE));
    assertThat(text).startsWith("# Where is plain?\n");
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).containsExactly(directory.resolve("r.md"));
    }
  }

  @Test
  void whatCannotBeWrittenIsRefusedBeforeAnythingIsAsked() {
    assertThatThrownBy(() -> ReportFile.of(directory.resolve("r.pdf")))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("ends with .md or .html");
    assertThatThrownBy(() -> ReportFile.of(directory.resolve("none/r.md")))
        .hasMessageContaining("its directory cannot be written");
    assertThatThrownBy(() -> ReportFile.of(Files.createDirectory(directory.resolve("d.html"))))
        .hasMessageContaining("is a directory");
  }
}
