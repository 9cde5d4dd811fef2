package dev.colony.replica.lexical;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A question as the words it asks for, each with its rarity, and the kind of thing it wants named.
 *
 * @param terms at least one, unless the question has no words at all
 */
record QueryTerms(List<Term> terms, Wanted wanted) {

  /** What "which ..." asks for. */
  enum Wanted {
    TYPE,
    MEMBER,
    ANYTHING
  }

  /** A word of the question: its stem, its family, and its rarity in code at large. */
  record Term(String stem, String family, double rarity) {

    private static final double SAME_FAMILY = 0.8;
    private static final double RELATED = 0.45;

    /** How well a stem of a page answers to this term, from 0 to 1. */
    double match(String other, String otherFamily) {
      if (stem.equals(other)) {
        return 1;
      }
      if (family.equals(otherFamily)) {
        return SAME_FAMILY;
      }
      return Vocabulary.related(family).contains(otherFamily) ? RELATED : 0;
    }
  }

  private static final Set<String> ASKING = Set.of("which", "what");
  private static final Set<String> TYPE_WORDS =
      Set.of("class", "classes", "interface", "type", "trait", "record", "enum", "object");
  private static final Set<String> MEMBER_WORDS =
      Set.of("method", "methods", "function", "functions", "constructor", "field");
  private static final Set<String> FILE_WORDS = Set.of("file", "files", "component", "module");

  /** Parts of an identifier count this much: what names the thing is the whole. */
  private static final double PART = 0.4;

  static QueryTerms of(String question) {
    List<Word> words = words(question);
    Wanted wanted = Wanted.ANYTHING;
    Map<String, Term> terms = new LinkedHashMap<>();
    for (int i = 0; i < words.size(); i++) {
      Word word = words.get(i);
      boolean asked = i > 0 && ASKING.contains(words.get(i - 1).text());
      if (asked && TYPE_WORDS.contains(word.text())) {
        wanted = Wanted.TYPE;
      } else if (asked && MEMBER_WORDS.contains(word.text())) {
        wanted = Wanted.MEMBER;
      } else if (!(asked && FILE_WORDS.contains(word.text()))
          && !Vocabulary.isStopWord(word.text())) {
        terms.putIfAbsent(word.stem(), word.term());
      }
    }
    if (terms.isEmpty()) {
      words.forEach(word -> terms.putIfAbsent(word.stem(), word.term()));
    }
    return new QueryTerms(List.copyOf(terms.values()), wanted);
  }

  /** A word of the question, and whether it is a part of the one before it. */
  private record Word(String text, String stem, boolean part) {

    Term term() {
      return new Term(stem, WordFamilies.of(stem), Vocabulary.rarity(stem) * (part ? PART : 1));
    }
  }

  private static List<Word> words(String question) {
    List<Word> words = new ArrayList<>();
    int[] wholeEnds = {-1};
    Words.scan(
        question,
        (stem, start, end) -> {
          String text = question.substring(start, end).toLowerCase(Locale.ROOT);
          words.add(new Word(text, stem.toString(), end <= wholeEnds[0]));
          wholeEnds[0] = Math.max(wholeEnds[0], end);
        });
    return words;
  }

  /** The rarity of all terms together: what a perfect match would score. */
  double totalRarity() {
    return terms.stream().mapToDouble(Term::rarity).sum();
  }
}
