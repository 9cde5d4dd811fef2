package dev.colony.vcm.documents;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.GroupingSettings;
import dev.colony.vcm.mapping.MappingResult;
import dev.colony.vcm.mapping.PageMapper;
import dev.colony.vcm.mapping.TokenCounter;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.FileTreeSource;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.WatchSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts;
import org.apache.poi.xwpf.usermodel.XWPFDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A folder of code, documents of five formats, texts of eight encodings and what is no text: each
 * is on a page by a word of its own, or counted with its reason.
 */
class MixedFolderTest {

  private static final Config CONFIG = ConfigFactory.load();

  /** For each encoding its mark, and a sentence with characters that tell it. */
  private enum Encoding {
    UTF_8("UTF-8", "", "Die Fähre „Möwe“ kostet 12 €."),
    UTF_8_MARKED("UTF-8", "EFBBBF", "Le bac « Goéland » coûte 12 €."),
    UTF_16_LE_MARKED("UTF-16LE", "FFFE", "Паром отходит в девять часов."),
    UTF_16_BE_MARKED("UTF-16BE", "FEFF", "フェリーは九時に出ます。"),
    UTF_16_LE("UTF-16LE", "", "El transbordador, ¿cuándo sale? Mañana.\n"),
    UTF_16_BE("UTF-16BE", "", "Færgen går fra Åbenrå klokken ni.\n"),
    WINDOWS_1252("windows-1252", "", "Die Fähre fährt – außer Ostern – um „neun“."),
    SHIFT_JIS("windows-31j", "", "港で待ってください。フェリーは九時に出ます。");

    private final Charset charset;
    private final String mark;
    private final String sentence;

    Encoding(String charset, String mark, String sentence) {
      this.charset = Charset.forName(charset);
      this.mark = mark;
      this.sentence = sentence;
    }

    byte[] of(String text) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(HexFormat.of().parseHex(mark));
      bytes.writeBytes(text.getBytes(charset));
      return bytes.toByteArray();
    }
  }

  @TempDir private Path folder;

  private final Map<String, String> telling = new TreeMap<>();

  private void put(String name, byte[] content, String word) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.write(file, content);
    telling.put(name, word);
  }

  private static byte[] pdf(String line) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PDDocument pdf = new PDDocument()) {
      PDPage page = new PDPage();
      pdf.addPage(page);
      try (PDPageContentStream stream = new PDPageContentStream(pdf, page)) {
        stream.beginText();
        stream.setFont(new PDType1Font(Standard14Fonts.FontName.HELVETICA), 12);
        stream.newLineAtOffset(72, 700);
        stream.showText(line);
        stream.endText();
      }
      pdf.save(bytes);
    }
    return bytes.toByteArray();
  }

  private static byte[] word(String paragraph) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (XWPFDocument word = new XWPFDocument();
        OutputStream out = bytes) {
      word.createParagraph().createRun().setText(paragraph);
      word.write(out);
    }
    return bytes.toByteArray();
  }

  private void texts() throws IOException {
    for (Encoding encoding : Encoding.values()) {
      String name = encoding.name().toLowerCase(Locale.ROOT);
      put(
          "texts/" + name + ".txt",
          encoding.of("quay" + encoding.ordinal() + "\n" + encoding.sentence),
          encoding.sentence.strip());
      String code =
          "class Quay%d { // %s\n}\n".formatted(encoding.ordinal(), encoding.sentence.strip());
      put("src/" + name + "/Quay.java", encoding.of(code), "class Quay" + encoding.ordinal());
    }
  }

  private void documents() throws IOException {
    for (int i = 0; i < 4; i++) {
      put("d%d/report.pdf".formatted(i), pdf("The pier lamprey" + i), "lamprey" + i);
      put("d%d/letter.docx".formatted(i), word("The pier haddock" + i), "haddock" + i);
      put(
          "d%d/page.html".formatted(i),
          Encoding.values()[2 * i].of(
              "<html><body><p>The <b>pier</b> sturgeon%d</p></body></html>".formatted(i)),
          "sturgeon" + i);
      put(
          "d%d/count.ipynb".formatted(i),
          "{\"cells\":[{\"cell_type\":\"code\",\"source\":[\"pier = 'herring%d'\"]}]}"
              .formatted(i)
              .getBytes(StandardCharsets.UTF_8),
          "herring" + i);
      put(
          "d%d/mail.eml".formatted(i),
          "Subject: The pier\nContent-Transfer-Encoding: base64\n\n%s\n"
              .formatted(
                  Base64.getEncoder()
                      .encodeToString(("halibut" + i).getBytes(StandardCharsets.UTF_8)))
              .getBytes(StandardCharsets.US_ASCII),
          "halibut" + i);
    }
  }

  private void oneLine() throws IOException {
    String json = "{\"depths\":[" + "12,".repeat(20_000) + "0],\"fish\":\"turbot\"}";
    put("data/depths.json", json.getBytes(StandardCharsets.UTF_8), "\"fish\":\"turbot\"}");
    put(
        "web/app.min.js",
        ("var a=1;".repeat(5_000) + "plaice()").getBytes(StandardCharsets.UTF_8),
        "plaice()");
  }

  private MappingResult.Mapped map() {
    SourceSettings settings = SourceSettings.fromConfig(CONFIG);
    return (MappingResult.Mapped)
        new PageMapper(new GroupingSettings(8_192, 4), settings, new TokenCounter())
            .map(new FileTreeSource(folder, settings, WatchSettings.USUAL), SourceProgress.SILENT);
  }

  @Test
  void eachIsFoundByAWordOfItsOwnOrNamedAsLeftOut() throws IOException {
    texts();
    documents();
    oneLine();
    put(
        "left/model.bin",
        ("version https://git-lfs.github.com/spec/v1\n").getBytes(StandardCharsets.UTF_8),
        "");
    put("left/broken.pdf", "%PDF-1.4 no more".getBytes(StandardCharsets.UTF_8), "");
    put(
        "left/Beds.java",
        "// Generated from beds. DO NOT EDIT.\n".getBytes(StandardCharsets.UTF_8),
        "");
    put("left/image.png", HexFormat.of().parseHex("89504e470d0a1a0a0000000d49484452"), "");
    put("left/node_modules/a/index.js", "x".getBytes(StandardCharsets.UTF_8), "");

    MappingResult.Mapped mapped = map();
    String text =
        mapped.pages().stream().map(VirtualContextPage::text).collect(Collectors.joining());
    List<String> missing = new ArrayList<>();
    telling.forEach((name, word) -> {
      if (!word.isEmpty() && !text.contains(word)) {
        missing.add(name + ": " + word);
      }
    });
    assertThat(missing).isEmpty();
    assertThat(telling).hasSizeGreaterThan(40);
    assertThat(mapped.map().files()).isEqualTo(telling.size() - 5);
    assertThat(mapped.skipped().line())
        .contains(
            "left out 4 files, 1 folder: 1 binary, 1 Git LFS pointer, 1 generated, 1 broken"
                + " document, 1 vendored folder (left/node_modules)");
    assertThat(text).containsPattern("\\[1:\\d{5}\\] [^\\n]*\"fish\":\"turbot\"}");
    assertThat(map().map().id()).as("mapped again").isEqualTo(mapped.map().id());
  }
}
