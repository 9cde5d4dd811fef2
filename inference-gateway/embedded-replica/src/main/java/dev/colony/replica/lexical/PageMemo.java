package dev.colony.replica.lexical;

import java.util.LinkedHashMap;

/**
 * Analyses of pages, remembered by their text, least recently used out first. Bounded by the
 * characters of the texts. Thread-safe; two threads may analyze the same new page at once.
 */
final class PageMemo {

  private final long maxChars;
  private final LinkedHashMap<String, AnalyzedPage> memo = new LinkedHashMap<>(64, 0.75f, true);
  private long held;

  PageMemo(long maxChars) {
    this.maxChars = maxChars;
  }

  AnalyzedPage analyze(String text) {
    synchronized (memo) {
      AnalyzedPage known = memo.get(text);
      if (known != null) {
        return known;
      }
    }
    AnalyzedPage page = new AnalyzedPage(text);
    synchronized (memo) {
      if (memo.put(text, page) == null) {
        held += text.length();
      }
      while (held > maxChars && !memo.isEmpty()) {
        held -= memo.pollFirstEntry().getKey().length();
      }
    }
    return page;
  }
}
