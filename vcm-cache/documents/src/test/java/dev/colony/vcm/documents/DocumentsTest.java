package dev.colony.vcm.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceReading.FileText.Why;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What documents are read to, and which are left out. */
class DocumentsTest {

  private static final Documents DOCUMENTS = new Documents();

  private static FileText read(String name, byte[] document) {
    return DOCUMENTS.read(name, document);
  }

  private static String text(String name, String document) {
    return ((FileText.Text) read(name, document.getBytes(StandardCharsets.UTF_8))).text();
  }

  @Test
  void linesOfAPageOfHtmlAreThoseOfItsFile() {
    assertThat(
            text(
                "index.html",
                """
                <!DOCTYPE html>
                <html><head><title>Ferries</title>
                <style>p { color: red }</style>
                </head><body class="x">
                <!-- none reads this -->
                <h1>The   <em>blue</em> ferry</h1>
                <p>leaves at&nbsp;nine &amp; returns
                   at <b>fi</b>ve.</p>
                <table><tr><td>adult</td><td>12</td></tr></table>
                <script>
                  const harbour = "Kollund";
                </script>
                <pre>
                  kept   as it is
                </pre>
                </body></html>
                """))
        .isEqualTo(
            """

            Ferries



            The blue ferry
            leaves at\u00a0nine & returns
            at five.
            adult 12

              const harbour = "Kollund";


              kept   as it is
            """);
  }

  @Test
  void blocksAreTheLinesOfHtmlThatNoPersonWrote() {
    String row = "<p>The ferry</p><ul><li>leaves</li><li>returns</li></ul>";

    assertThat(text("a.htm", "<body>" + row.repeat(60) + "<script>var x=1</script></body>"))
        .isEqualTo("The ferry\nleaves\nreturns\n".repeat(60));
  }

  @Test
  void htmlIsReadInTheEncodingThatItDeclares() {
    String html = "<meta charset=\"iso-8859-2\"><p>Zażółć gęślą jaźń</p>";

    assertThat(read("a.html", html.getBytes(Charset.forName("ISO-8859-2"))))
        .isEqualTo(new FileText.Text("Zażółć gęślą jaźń\n", 18));
  }

  @Test
  void cellsOfANotebookAreReadWithWhatTheyPutOut() {
    assertThat(
            text(
                "a.ipynb",
                """
                {"cells": [
                  {"cell_type": "markdown", "source": ["# Ferries\\n", "of the fjord"]},
                  {"cell_type": "code", "source": "count(ferries)", "outputs": [
                    {"output_type": "stream", "text": ["three\\n"]},
                    {"data": {"text/plain": ["3"], "image/png": "iVBORw0KGgo"}},
                    {"ename": "KeyError", "evalue": "'Kollund'", "traceback": []}]}],
                 "nbformat": 4}
                """))
        .isEqualTo(
            """
            [cell 1 markdown]
            # Ferries
            of the fjord
            [cell 2 code]
            count(ferries)
            [output]
            three
            [output]
            3
            [output]
            KeyError: 'Kollund'
            """);
    assertThat(read("a.ipynb", "{\"cells\": 1}".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(new FileText.Left(Why.DAMAGED));
  }

  @Test
  void mailIsReadByItsFieldsAndItsPlainText() {
    String attachment = Base64.getEncoder().encodeToString(new byte[] {1, 2, 3});

    assertThat(
            text(
                "a.eml",
                """
                Received: from somewhere
                From: =?UTF-8?Q?J=C3=BCrgen?= <j@example.org>
                To: harbour@example.org
                Subject: The ferry
                MIME-Version: 1.0
                Content-Type: multipart/mixed; boundary="b"

                --b
                Content-Type: multipart/alternative; boundary="c"

                --c
                Content-Type: text/plain; charset=iso-8859-1
                Content-Transfer-Encoding: quoted-printable

                The F=E4hre leaves at nine.
                --c
                Content-Type: text/html

                <p>The ferry leaves at nine.</p>
                --c--
                --b
                Content-Type: application/pdf; name="fares.pdf"
                Content-Disposition: attachment; filename="fares.pdf"
                Content-Transfer-Encoding: base64

                %s
                --b--
                """
                    .formatted(attachment)))
        .isEqualTo(
            """
            From: Jürgen <j@example.org>
            To: harbour@example.org
            Subject: The ferry

            The Fähre leaves at nine.
            [attached: fares.pdf]
            """);
  }

  @Test
  void messagesOfAMailboxAreReadOneAfterTheOther() {
    assertThat(
            text(
                "a.mbox",
                """
                From j@example.org Thu Jan  1 00:00:00 1970
                Subject: one

                The ferry leaves.

                From k@example.org Thu Jan  1 00:00:00 1970
                Subject: two
                Content-Type: text/html

                <p>The ferry <b>returns</b>.</p>
                """))
        .isEqualTo(
            """
            [message 1]
            Subject: one

            The ferry leaves.
            [message 2]
            Subject: two

            The ferry returns.
            """);
    assertThat(read("a.mbox", "plain".getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(new FileText.Left(Why.DAMAGED));
  }

  private static byte[] archive(String entry, int copies, byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      zip.setLevel(Deflater.BEST_SPEED);
      for (int i = 0; i < copies; i++) {
        zip.putNextEntry(new ZipEntry(i == 0 ? entry : i + entry));
        zip.write(content);
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void whatUnpacksToTooMuchIsLeftOut() throws IOException {
    byte[] zeros = new byte[1 << 20];
    assertThat(read("bomb.docx", archive("word/document.xml", 129, zeros)))
        .isEqualTo(new FileText.Left(Why.OVERSIZED));
    assertThat(read("many.xlsx", archive("a", 5_002, new byte[1])))
        .isEqualTo(new FileText.Left(Why.OVERSIZED));

    ByteArrayOutputStream pdf = new ByteArrayOutputStream();
    pdf.writeBytes(
        "%PDF-1.4\n1 0 obj\n<</Filter/FlateDecode>>\nstream\n".getBytes(StandardCharsets.US_ASCII));
    try (DeflaterOutputStream packed = new DeflaterOutputStream(pdf)) {
      for (int i = 0; i < 129; i++) {
        packed.write(zeros);
      }
    }
    assertThat(read("bomb.pdf", pdf.toByteArray())).isEqualTo(new FileText.Left(Why.OVERSIZED));
  }

  @Test
  void nothingThatADocumentRefersToIsRead(@TempDir Path folder) throws IOException {
    Path secret = Files.writeString(folder.resolve("secret.txt"), "Kollund");
    String entity = "<!DOCTYPE d [<!ENTITY s SYSTEM \"%s\">]>".formatted(secret.toUri());
    String body =
        entity
            + "<w:document"
            + " xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body><w:p><w:r><w:t>ferry"
            + " &s;</w:t></w:r></w:p></w:body></w:document>";

    assertThat(read("a.docx", word(body))).isEqualTo(new FileText.Left(Why.DAMAGED));
    assertThat(
            text(
                "a.html",
                entity
                    + "<p>ferry &s;</p><iframe src=\"%s\"></iframe><img src=\"%s\">"
                        .formatted(secret.toUri(), secret.toUri())))
        .contains("ferry")
        .doesNotContain("Kollund");
    assertThat(read("b.docx", word(body.replace(entity, "").replace("&s;", ""))))
        .isEqualTo(new FileText.Text("ferry", 5));
  }

  private static byte[] word(String body) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
      Map<String, String> parts =
          Map.of(
              "[Content_Types].xml",
              """
              <Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
              <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
              <Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
              </Types>
              """,
              "_rels/.rels",
              """
              <Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
              <Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>
              </Relationships>
              """,
              "word/document.xml",
              body);
      for (Map.Entry<String, String> part : parts.entrySet()) {
        zip.putNextEntry(new ZipEntry(part.getKey()));
        zip.write(part.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return bytes.toByteArray();
  }

  @Test
  void aDocumentThatDoesNotEndIsLeftOutAndSoAreOthersUntilItDoes() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Semaphore permits = new Semaphore(1);
    Documents documents =
        new Documents(
            Map.of(
                "slow",
                document -> {
                  boolean ended = false;
                  while (!ended) {
                    try {
                      end.await();
                      ended = true;
                    } catch (InterruptedException ignored) {
                      // as a library does that does not know of it
                    }
                  }
                  return "read";
                },
                "quick",
                document -> "read"),
            permits,
            Duration.ofMillis(20));

    assertThat(documents.read("a.slow", new byte[1])).isEqualTo(new FileText.Left(Why.SLOW));
    assertThat(documents.read("a.quick", new byte[1])).isEqualTo(new FileText.Left(Why.SLOW));
    end.countDown();
    permits.acquire();
    permits.release();
    assertThat(
            new Documents(Map.of("quick", document -> "read"), permits, Duration.ofMinutes(1))
                .read("a.quick", new byte[1]))
        .isEqualTo(new FileText.Text("read", 4));
  }

  @Test
  void whateverALibraryMakesOfABrokenDocumentItIsLeftOut() {
    Documents documents =
        new Documents(
            Map.of(
                "deep",
                document -> {
                  throw new StackOverflowError();
                },
                "wide",
                document -> {
                  throw new OutOfMemoryError();
                }),
            new Semaphore(1),
            Duration.ofMinutes(1));

    assertThat(documents.read("a.deep", new byte[1])).isEqualTo(new FileText.Left(Why.DAMAGED));
    assertThat(documents.read("a.wide", new byte[1])).isEqualTo(new FileText.Left(Why.DAMAGED));
  }
}
