package dev.colony.vcm.mapping;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.lucene.analysis.TokenFilter;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.analysis.tokenattributes.OffsetAttribute;

/**
 * Follows every identifier with its parts: {@code LRUQueryCache} with {@code LRU}, {@code
 * QueryTerms}, {@code Cache}. Cuts at case changes, at digits and at anything that is neither, and,
 * unlike Lucene's word-delimiter filters, between an acronym and the word after it. Parts of one
 * letter are left out.
 */
final class IdentifierFilter extends TokenFilter {

  private record Part(String text, int start, int end) {}

  private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
  private final OffsetAttribute offset = addAttribute(OffsetAttribute.class);
  private final Queue<Part> pending = new ArrayDeque<>();

  IdentifierFilter(TokenStream input) {
    super(input);
  }

  @Override
  public boolean incrementToken() throws IOException {
    Part part = pending.poll();
    if (part != null) {
      clearAttributes();
      term.append(part.text());
      offset.setOffset(part.start(), part.end());
      return true;
    }
    if (!input.incrementToken()) {
      return false;
    }
    pending.addAll(parts());
    return true;
  }

  @Override
  public void reset() throws IOException {
    super.reset();
    pending.clear();
  }

  private List<Part> parts() {
    char[] chars = term.buffer();
    int length = term.length();
    List<Part> parts = new ArrayList<>(0);
    int from = 0;
    for (int i = 1; i <= length; i++) {
      if (i == length || boundary(chars, i, length)) {
        if (i - from > 1 && i - from < length && Character.isLetterOrDigit(chars[from])) {
          int start = offset.startOffset() + from;
          parts.add(new Part(new String(chars, from, i - from), start, start + i - from));
        }
        from = i;
      }
    }
    return parts;
  }

  private static boolean boundary(char[] chars, int at, int length) {
    char before = chars[at - 1];
    char here = chars[at];
    if (Character.isLetter(before) != Character.isLetter(here)
        || Character.isDigit(before) != Character.isDigit(here)) {
      return true;
    }
    boolean upper = Character.isUpperCase(here);
    boolean wordBegins = upper && !Character.isUpperCase(before);
    boolean acronymEnds = upper && at + 1 < length && Character.isLowerCase(chars[at + 1]);
    return wordBegins || acronymEnds;
  }
}
