package dev.colony.vcm.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.MappingResult.SkippedFiles;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.PageSources;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.encryption.AccessPermission;
import org.apache.pdfbox.pdmodel.encryption.StandardProtectionPolicy;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;
import org.apache.poi.xslf.usermodel.XMLSlideShow;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;
import org.apache.poi.xwpf.usermodel.XWPFDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentSourceTest {

  private static final Config CONFIG = ConfigFactory.load();

  @TempDir private Path folder;

  private ContextPageSource source() {
    return source(CONFIG);
  }

  private ContextPageSource source(Config config) {
    return PageSources.installed().open("documents:" + folder, new SourceContext(config, "acme"));
  }

  private static Map<String, FileText> read(ContextPageSource source) {
    return ((SourceReading.Read) source.read(SourceProgress.SILENT))
        .files().stream()
            .collect(Collectors.toMap(file -> file.path(), file -> file.content().get()));
  }

  private static String text(FileText text) {
    return ((FileText.Text) text).text();
  }

  private void pdf(String name, String... pages) throws IOException {
    try (PDDocument pdf = document(pages)) {
      pdf.save(folder.resolve(name).toFile());
    }
  }

  private static PDDocument document(String... pages) throws IOException {
    PDDocument pdf = new PDDocument();
    for (String line : pages) {
      PDPage page = new PDPage();
      pdf.addPage(page);
      try (PDPageContentStream stream = new PDPageContentStream(pdf, page)) {
        stream.beginText();
        stream.setFont(new PDType1Font(Standard14Fonts.FontName.HELVETICA), 12);
        stream.newLineAtOffset(72, 700);
        stream.showText(line);
        stream.endText();
      }
    }
    return pdf;
  }

  private void write(String name, Writer document) throws IOException {
    try (OutputStream out = Files.newOutputStream(folder.resolve(name))) {
      document.write(out);
    }
  }

  private interface Writer {
    void write(OutputStream out) throws IOException;
  }

  private void offices() throws IOException {
    try (XWPFDocument word = new XWPFDocument()) {
      word.createParagraph().createRun().setText("The ferry leaves at nine.");
      word.createParagraph().createRun().setText("It returns at five.");
      write("letter.docx", word::write);
    }
    try (XSSFWorkbook sheet = new XSSFWorkbook()) {
      var row = sheet.createSheet("Fares").createRow(0);
      row.createCell(0).setCellValue("adult");
      row.createCell(1).setCellValue(12.5);
      write("fares.xlsx", sheet::write);
    }
    try (XMLSlideShow slides = new XMLSlideShow()) {
      slides.createSlide().createTextBox().setText("Welcome aboard");
      write("talk.pptx", slides::write);
    }
  }

  @Test
  void documentsAreTextsUnderTheirOwnNames() throws IOException {
    pdf("timetable.PDF", "Harbour at nine", "Island at ten");
    offices();
    Files.writeString(folder.resolve("notes.txt"), "plain\n");

    Map<String, FileText> read = read(source());
    assertThat(text(read.get("timetable.PDF")))
        .isEqualTo("[page 1]\nHarbour at nine\n[page 2]\nIsland at ten\n");
    assertThat(text(read.get("letter.docx")))
        .isEqualTo("The ferry leaves at nine.\nIt returns at five.");
    assertThat(text(read.get("fares.xlsx"))).isEqualTo("Fares\nadult\t12.5");
    assertThat(text(read.get("talk.pptx"))).contains("Welcome aboard");
    assertThat(text(read.get("notes.txt"))).isEqualTo("plain\n");
    assertThat(read(source())).as("read again").isEqualTo(read);
    assertThat(source().file("letter.docx")).contains(read.get("letter.docx"));
    assertThat(source().file("../letter.docx")).isEmpty();
  }

  @Test
  void aLineOfADocumentFindsItsPageAndBack() throws IOException {
    pdf("timetable.pdf", "Harbour at nine", "Island at ten");
    MappingResult.Mapped mapped =
        (MappingResult.Mapped)
            new PageMapper(
                    new GroupingSettings(256, 2),
                    SourceSettings.fromConfig(CONFIG),
                    new TokenCounter())
                .map(source(), SourceProgress.SILENT);

    VirtualContextPage page = mapped.pages().getFirst();
    PageLines lines = new PageLines(Map.of(page.id(), page.segments()));
    assertThat(lines.page("timetable.pdf", 4)).contains(page.id());
    assertThat(lines.lines(page.id())).containsExactly(new PageSegment("timetable.pdf", 1, 4));
    assertThat(page.text()).contains("[page 2]\nIsland at ten");
  }

  @Test
  void whatIsNoReadableDocumentIsLeftOutAndCounted() throws IOException {
    Files.writeString(folder.resolve("broken.pdf"), "no pdf at all");
    Files.write(folder.resolve("broken.docx"), new byte[] {'P', 'K', 3, 4, 0, 0});
    pdf("bare.pdf");
    try (PDDocument secret = document("hidden")) {
      secret.protect(new StandardProtectionPolicy("owner", "user", new AccessPermission()));
      secret.save(folder.resolve("secret.pdf").toFile());
    }
    Files.writeString(folder.resolve("notes.txt"), "plain\n");

    Map<String, FileText> read = read(source());
    assertThat(List.of("broken.pdf", "broken.docx"))
        .allSatisfy(
            name -> assertThat(read.get(name)).isEqualTo(new FileText.Left(FileText.Why.DAMAGED)));
    assertThat(read.get("secret.pdf")).isEqualTo(new FileText.Left(FileText.Why.ENCRYPTED));
    assertThat(read.get("bare.pdf")).isEqualTo(new FileText.Left(FileText.Why.EMPTY));

    Config small =
        ConfigFactory.parseString("colony.vcm.documents.max-document-bytes = 10")
            .withFallback(CONFIG);
    assertThat(read(source(small)).get("secret.pdf"))
        .isEqualTo(new FileText.Left(FileText.Why.OVERSIZED));
    MappingResult.Mapped mapped =
        (MappingResult.Mapped)
            new PageMapper(
                    new GroupingSettings(256, 2),
                    SourceSettings.fromConfig(CONFIG),
                    new TokenCounter())
                .map(source(), SourceProgress.SILENT);
    assertThat(mapped.skipped())
        .isEqualTo(
            new SkippedFiles(
                Map.of(FileText.Why.EMPTY, 1, FileText.Why.DAMAGED, 2, FileText.Why.ENCRYPTED, 1),
                List.of(),
                List.of()));
  }

  @Test
  void badInputIsRefusedInOneLine() {
    SourceContext context = new SourceContext(CONFIG, "acme");
    assertThat(refusal(PageSources.installed().open("documents:", context)))
        .isEqualTo("documents: names no directory; write documents:DIRECTORY");
    assertThat(refusal(PageSources.installed().open("documents:" + folder + "/none", context)))
        .endsWith("/none: no such directory");
    Config bad =
        ConfigFactory.parseString("colony.vcm.documents.max-document-bytes = 0")
            .withFallback(CONFIG);
    assertThat(refusal(source(bad)))
        .isEqualTo(
            "Invalid value at 'colony.vcm.documents.max-document-bytes': is 0, but must be 1 B to"
                + " 1 GiB");
  }

  private static String refusal(ContextPageSource source) {
    return ((SourceReading.Refused) source.read(SourceProgress.SILENT)).reason();
  }
}
