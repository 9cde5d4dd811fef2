package dev.colony.vcm.mapping;

import dev.colony.vcm.PageId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexableField;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.PostingsEnum;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.SmallFloat;

/**
 * The passages of an index with the files that they are cut from, and how often a word stands in
 * each. Immutable; reads the index that it is made over.
 */
final class IndexedPassages implements PassageCounts {

  private static final Set<String> PLACE =
      Set.of(
          Passages.PAGE,
          Passages.PATH,
          Passages.FIRST_LINE,
          Passages.LAST_LINE,
          Passages.GENERATED);

  private final IndexReader reader;
  private final List<Passage> passages = new ArrayList<>();
  private final List<PageId> pages = new ArrayList<>();
  private final List<CountedFile> files = new ArrayList<>();

  IndexedPassages(IndexReader reader) throws IOException {
    this.reader = reader;
    Map<String, Integer> positions = new HashMap<>();
    StoredFields stored = reader.storedFields();
    for (int i = 0; i < reader.maxDoc(); i++) {
      Document document = stored.document(i, PLACE);
      String path = document.get(Passages.PATH);
      IndexableField generated = document.getField(Passages.GENERATED);
      int file = positions.computeIfAbsent(path, key -> files.size());
      if (file == files.size()) {
        files.add(new CountedFile(path, generated != null));
      } else if (generated != null) {
        files.set(file, new CountedFile(path, true));
      }
      pages.add(new PageId(document.get(Passages.PAGE)));
      passages.add(
          new Passage(
              file,
              document.getField(Passages.FIRST_LINE).numericValue().intValue(),
              document.getField(Passages.LAST_LINE).numericValue().intValue()));
    }
  }

  @Override
  public List<Passage> passages() {
    return passages;
  }

  @Override
  public List<CountedFile> files() {
    return files;
  }

  /** The page that a passage is on. */
  PageId page(int passage) {
    return pages.get(passage);
  }

  /** The lines of a passage. */
  List<String> lines(int passage) throws IOException {
    String text =
        reader.storedFields().document(passage, Set.of(Passages.LINES)).get(Passages.LINES);
    return List.of(text.split("\n", -1));
  }

  /** How much a word tells of a passage that has it: more, the fewer passages do. */
  double rarity(String field, String word) throws IOException {
    int having = reader.docFreq(new Term(field, word));
    return Math.log(1 + (passages.size() - having + 0.5) / (having + 0.5));
  }

  /** Whether a field of some passage has a word. */
  boolean has(String field, String word) throws IOException {
    return reader.docFreq(new Term(field, word)) > 0;
  }

  @Override
  public void counts(String field, String word, double weight, double[] into) throws IOException {
    Term term = new Term(field, word);
    for (LeafReaderContext leaf : reader.leaves()) {
      PostingsEnum postings = leaf.reader().postings(term, PostingsEnum.FREQS);
      if (postings == null) {
        continue;
      }
      for (int at = postings.nextDoc(); at != PostingsEnum.NO_MORE_DOCS; at = postings.nextDoc()) {
        into[leaf.docBase + at] += weight * postings.freq();
      }
    }
  }

  @Override
  public void written(String word, double[] into) throws IOException {
    for (String longer : wordsWith(Passages.AS_WRITTEN, word)) {
      counts(Passages.AS_WRITTEN, longer, 1, into);
    }
  }

  /** The words of a field that have a stem in them, the stem itself included. */
  private List<String> wordsWith(String field, String stem) throws IOException {
    Set<String> found = new TreeSet<>();
    BytesRef wanted = new BytesRef(stem);
    for (LeafReaderContext leaf : reader.leaves()) {
      Terms terms = leaf.reader().terms(field);
      if (terms == null) {
        continue;
      }
      TermsEnum each = terms.iterator();
      for (BytesRef word = each.next(); word != null; word = each.next()) {
        if (contains(word, wanted)) {
          found.add(word.utf8ToString());
        }
      }
    }
    return List.copyOf(found);
  }

  private static boolean contains(BytesRef word, BytesRef part) {
    for (int at = 0; at + part.length <= word.length; at++) {
      if (Arrays.equals(
          word.bytes,
          word.offset + at,
          word.offset + at + part.length,
          part.bytes,
          part.offset,
          part.offset + part.length)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void lengths(String field, double weight, double[] into) throws IOException {
    for (LeafReaderContext leaf : reader.leaves()) {
      NumericDocValues norms = leaf.reader().getNormValues(field);
      if (norms == null) {
        continue;
      }
      for (int at = norms.nextDoc(); at != NumericDocValues.NO_MORE_DOCS; at = norms.nextDoc()) {
        into[leaf.docBase + at] += weight * SmallFloat.byte4ToInt((byte) norms.longValue());
      }
    }
  }

  /**
   * Tells files that were not written by hand, or that say the same again: what a program has made
   * of another file, minified scripts, lists of locked versions, translated messages, licences.
   * They have the words of what they are made of, and are hardly ever what a question is after.
   */
  static final class GeneratedFiles {

    /** Where programs say it, if they do. */
    static final int HEAD_LINES = 40;

    private static final Pattern SAYS_SO =
        Pattern.compile(
            "DO NOT"
                + " (?:EDIT|MODIFY)|@generated\\b|@(?:javax|jakarta)\\.annotation\\.Generated\\b|^\\s*+(?://|/?\\*|#|--|<!--)\\W*+(?i:(?:this|the)"
                + " (?:file|class|code|source) (?:is|was|has been) )?(?i:auto-?matically"
                + " |auto-?)?(?i:generated (?:by|from|code|file|source)\\b)");

    private static final Pattern BY_NAME =
        Pattern.compile(
            "(?i)(?:^|/)(?:generated|generated-sources|node_modules|bower_components"
                + "|site-packages|vendor|third[-_]party)/"
                + "|\\.min\\.(?:js|css)$|\\.(?:map|svg)$|_pb2?\\.(?:py|js|go)$|\\.pb\\.go$"
                + "|(?:^|/)(?:package-lock\\.json|yarn\\.lock|pnpm-lock\\.yaml|Cargo\\.lock|go\\.sum)$"
                + "|(?:^|/)(?:LICEN[CS]E|NOTICE|COPYING|AUTHORS|CHANGE(?:S|LOG))(?:[.-](?:txt|md|rst|html))?$"
                + "|_[a-z]{2}(?:_[A-Z]{2})?\\.properties$");

    private GeneratedFiles() {}

    /**
     * Whether a file is one of them.
     *
     * @param lines from the file's first line on, as many as are at hand
     */
    static boolean has(String path, List<String> lines) {
      return BY_NAME.matcher(path).find()
          || lines.stream().limit(HEAD_LINES).anyMatch(line -> SAYS_SO.matcher(line).find());
    }
  }
}
