package dev.colony.vcm.documents;

import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import dev.colony.vcm.source.ContextPageSource;
import dev.colony.vcm.source.ContextPageSource.SourceFile;
import dev.colony.vcm.source.ContextPageSource.SourceProgress;
import dev.colony.vcm.source.ContextPageSource.SourceWatch;
import dev.colony.vcm.source.ContextPageSourceProvider;
import dev.colony.vcm.source.ContextPageSourceProvider.SourceContext;
import dev.colony.vcm.source.FileTreeSource.FileTreeProvider;
import dev.colony.vcm.source.SourceReading;
import dev.colony.vcm.source.SourceReading.FileText;
import dev.colony.vcm.source.SourceReading.FileText.Why;
import dev.colony.vcm.source.SourceSettings;
import dev.colony.vcm.source.SourceSpec;
import dev.colony.vcm.source.TextReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.io.IOUtils;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
import org.apache.poi.extractor.ExtractorFactory;
import org.apache.poi.extractor.POITextExtractor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code documents:DIRECTORY}: a {@link DocumentSource}. */
public final class DocumentsProvider implements ContextPageSourceProvider {

  @Section("colony.vcm.documents")
  private record Keys(@Range(min = "1 B", max = "1 GiB") long maxDocumentBytes) {}

  @Override
  public String scheme() {
    return "documents";
  }

  @Override
  public String form() {
    return "documents:DIRECTORY";
  }

  @Override
  public ContextPageSource open(SourceSpec spec, SourceContext context) {
    if (spec.place().isEmpty()) {
      throw new IllegalArgumentException("documents: names no directory; write " + form());
    }
    long mostBytes = Settings.read(Keys.class, context.config()).maxDocumentBytes();
    SourceSpec tree =
        new SourceSpec(SourceSpec.FILE, spec.place(), spec.parameters(), spec.fragment());
    return new DocumentSource(
        Path.of(spec.place()),
        new FileTreeProvider().open(tree, context),
        new DocumentReader(mostBytes, new TextReader(SourceSettings.fromConfig(context.config()))));
  }

  /**
   * A directory's text files together with the texts of its PDF and office documents, each under
   * the document's own name. Which files there are, and what a watch tells of, is as of a file
   * tree.
   */
  static final class DocumentSource implements ContextPageSource {

    private final Path root;
    private final ContextPageSource tree;
    private final DocumentReader reader;

    DocumentSource(Path root, ContextPageSource tree, DocumentReader reader) {
      this.root = root;
      this.tree = tree;
      this.reader = reader;
    }

    @Override
    public SourceReading read(SourceProgress progress) {
      return withDocuments(tree.read(progress));
    }

    @Override
    public SourceReading reread(
        SourceReading.Read before, Set<String> changed, SourceProgress progress) {
      return withDocuments(tree.reread(before, changed, progress));
    }

    private SourceReading withDocuments(SourceReading reading) {
      return switch (reading) {
        case SourceReading.Refused refused -> refused;
        case SourceReading.Read read ->
            new SourceReading.Read(
                read.label(),
                read.files().stream().map(this::document).toList(),
                read.unreadable(),
                read.coChange(),
                Optional.of("documents:" + root.toAbsolutePath().normalize()));
      };
    }

    private SourceFile document(SourceFile file) {
      return reader.reads(file.path())
          ? new SourceFile(file.path(), file.stamp(), () -> reader.read(root.resolve(file.path())))
          : file;
    }

    @Override
    public Optional<FileText> file(String path) {
      // The tree says whether the path leads out of it.
      return tree.file(path)
          .map(found -> reader.reads(path) ? reader.read(root.resolve(path)) : found);
    }

    @Override
    public Optional<SourceWatch> watch(SourceWatch.Listener listener) {
      return tree.watch(listener);
    }
  }

  /**
   * The texts of documents. Each page of a PDF begins with a line {@code [page N]}, so that what is
   * cited can be found in it; of an office document a paragraph, a row or a slide's text is a line.
   * Equal documents have equal texts. Thread-safe.
   */
  static final class DocumentReader {

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
     * The text of a document. One that is no document of its kind, is encrypted or damaged counts
     * as binary. Blocks.
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
}
