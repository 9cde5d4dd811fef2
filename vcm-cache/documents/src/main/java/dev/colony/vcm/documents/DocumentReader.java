package dev.colony.vcm.documents;

import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceReading.FileText.Why;
import dev.colony.vcm.source.TextReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.io.IOUtils;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.poi.extractor.ExtractorFactory;
import org.apache.poi.extractor.POITextExtractor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The texts of documents. Each page of a PDF begins with a line {@code [page N]}, so that what is
 * cited can be found in it; of an office document a paragraph, a row or a slide's text is a line.
 * Equal documents have equal texts. Thread-safe.
 */
final class DocumentReader {

  private static final Logger LOG = LoggerFactory.getLogger(DocumentReader.class);

  private static final String PDF = ".pdf";
  private static final Set<String> OFFICE = Set.of(".docx", ".xlsx", ".pptx", ".xls");

  private final long mostBytes;
  private final TextReader texts;

  /**
   * @param mostBytes of a document
   */
  DocumentReader(long mostBytes, TextReader texts) {
    this.mostBytes = mostBytes;
    this.texts = texts;
  }

  /** Whether a file is a document, by its name. */
  boolean reads(String path) {
    String ending = ending(path);
    return ending.equals(PDF) || OFFICE.contains(ending);
  }

  private static String ending(String path) {
    int dot = path.lastIndexOf('.');
    return dot < 0 ? "" : path.substring(dot).toLowerCase(Locale.ROOT);
  }

  /**
   * The text of a document. One that is no document of its kind, is encrypted or damaged counts as
   * binary. Blocks.
   */
  FileText read(Path document) {
    try {
      if (Files.size(document) > mostBytes) {
        return new FileText.Left(Why.OVERSIZED);
      }
      String text = ending(document.toString()).equals(PDF) ? pdf(document) : office(document);
      return texts.of(clean(text).getBytes(StandardCharsets.UTF_8));
    } catch (IOException | RuntimeException damaged) {
      LOG.debug("{} has no text that can be read", document, damaged);
      return new FileText.Left(Files.isReadable(document) ? Why.BINARY : Why.UNREADABLE);
    }
  }

  private static String pdf(Path document) throws IOException {
    try (PDDocument pdf =
        Loader.loadPDF(document.toFile(), IOUtils.createTempFileOnlyStreamCache())) {
      PDFTextStripper stripper = new PDFTextStripper();
      stripper.setLineSeparator("\n");
      StringBuilder text = new StringBuilder();
      for (int page = 1; page <= pdf.getNumberOfPages(); page++) {
        stripper.setStartPage(page);
        stripper.setEndPage(page);
        String own = stripper.getText(pdf).strip();
        if (!own.isEmpty()) {
          text.append("[page ").append(page).append("]\n").append(own).append('\n');
        }
      }
      return text.toString();
    }
  }

  private static String office(Path document) throws IOException {
    try (POITextExtractor extractor = ExtractorFactory.createExtractor(document.toFile())) {
      return extractor.getText().strip();
    }
  }

  /** With line feeds between lines, and without other control characters but tabs. */
  private static String clean(String text) {
    return text.replaceAll("\\r\\n?|[\\u000B\\f\\u0085\\u2028\\u2029]", "\n")
        .replaceAll("[\\p{Cc}&&[^\\n\\t]]", "");
  }
}
