package dev.colony.vcm.mapping;

import dev.colony.vcm.VirtualContextPage;
import dev.colony.vcm.mapping.IndexedPassages.GeneratedFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.miscellaneous.PerFieldAnalyzerWrapper;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.IndexOptions;

/** Cuts a page into the passages that are indexed, one document each. */
final class Passages {

  /** The stored field with the page's id. */
  static final String PAGE = "page";

  /** The stored field with the file's path. */
  static final String PATH = "path";

  /** The stored field with the number of the first line. */
  static final String FIRST_LINE = "first";

  /** The stored field with the number of the last line. */
  static final String LAST_LINE = "last";

  /** The stored field that those of generated files have. */
  static final String GENERATED = "generated";

  /** The stored field with the lines as they stand in the file, a line feed between them. */
  static final String LINES = "lines";

  /** The lines themselves. */
  static final String BODY = "body";

  /** The words of the lines as they are written, in lower case, names whole. */
  static final String AS_WRITTEN = "written";

  /** Names that the lines declare. */
  static final String DECLARED = "declared";

  /** The file's name without its ending. */
  static final String FILE = "file";

  /** The directories above the file. */
  static final String DIRECTORY = "directory";

  private static final Pattern DECLARATION =
      Pattern.compile(
          "\\b(?:class|interface|record|enum|trait|object|struct|func|fn|def|module|namespace|type)"
              + "\\s+([A-Za-z_][A-Za-z0-9_]*)");

  private static final FieldType WORDS = new FieldType();
  private static final FieldType WRITTEN = new FieldType();

  static {
    WORDS.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    WORDS.setTokenized(true);
    WORDS.freeze();
    WRITTEN.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    WRITTEN.setTokenized(true);
    WRITTEN.setOmitNorms(true);
    WRITTEN.freeze();
  }

  /** Splits each field as it is to be searched. */
  static Analyzer analyzer() {
    return new PerFieldAnalyzerWrapper(Words.telling(), Map.of(AS_WRITTEN, Words.asWritten()));
  }

  private final int lines;

  /**
   * Passages of about this many lines: what is left at the end of a file makes one of its own where
   * it is at least half as long.
   *
   * @param lines at least 1
   */
  Passages(int lines) {
    this.lines = lines;
  }

  List<Document> of(VirtualContextPage page) {
    List<Document> documents = new ArrayList<>();
    for (PageText.SegmentLines segment : PageText.segments(page)) {
      String path = segment.segment().file();
      List<String> all = segment.lines();
      int first = segment.segment().firstLine();
      boolean generated = GeneratedFiles.has(path, first == 1 ? all : List.of());
      for (int from = 0, to; from < all.size(); from = to) {
        to = end(from, all.size(), lines);
        Document document = passage(all.subList(from, to));
        document.add(new Field(FILE, file(path), WORDS));
        document.add(new Field(DIRECTORY, directory(path), WORDS));
        document.add(new StoredField(PAGE, page.id().value()));
        document.add(new StoredField(PATH, path));
        document.add(new StoredField(FIRST_LINE, first + from));
        document.add(new StoredField(LAST_LINE, first + to - 1));
        document.add(new StoredField(LINES, String.join("\n", all.subList(from, to))));
        if (generated) {
          document.add(new StoredField(GENERATED, 1));
        }
        documents.add(document);
      }
    }
    return documents;
  }

  /** A file's name without its ending. */
  static String file(String path) {
    int slash = path.lastIndexOf('/');
    int dot = path.lastIndexOf('.');
    return path.substring(slash + 1, dot > slash + 1 ? dot : path.length());
  }

  /** The directories above a file. */
  static String directory(String path) {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  /** Where a passage of about so many lines ends, of all that there are. */
  static int end(int from, int all, int lines) {
    return all - from < lines + (lines + 1) / 2 ? all : from + lines;
  }

  private static Document passage(List<String> lines) {
    StringBuilder body = new StringBuilder();
    StringBuilder declared = new StringBuilder();
    for (String line : lines) {
      if (imports(line)) {
        continue;
      }
      body.append(line).append('\n');
      if (!comment(line)) {
        Matcher names = DECLARATION.matcher(line);
        while (names.find()) {
          declared.append(names.group(1)).append(' ');
        }
      }
    }
    Document document = new Document();
    document.add(new Field(BODY, body.toString(), WORDS));
    document.add(new Field(AS_WRITTEN, body.toString(), WRITTEN));
    document.add(new Field(DECLARED, declared.toString(), WORDS));
    return document;
  }

  /** What a file imports is said better by the file that has it. */
  static boolean imports(String line) {
    return line.startsWith("import ") || line.startsWith("package ");
  }

  /** Whether a line is all comment, as the languages of a tree write it. */
  static boolean comment(String line) {
    String text = line.stripLeading();
    return text.startsWith("*") || text.startsWith("//") || text.startsWith("#");
  }
}
