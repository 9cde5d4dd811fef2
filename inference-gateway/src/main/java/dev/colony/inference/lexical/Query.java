package dev.colony.inference.lexical;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A question as the words it asks for, each with its rarity, and the kind of thing it wants named.
 *
 * @param terms at least one, unless the question has no words at all
 */
record Query(List<Term> terms, Wanted wanted) {

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

  private static final Set<String> TYPE_WORDS =
      Set.of("class", "classes", "interface", "type", "trait", "record", "enum", "object");
  private static final Set<String> MEMBER_WORDS =
      Set.of("method", "methods", "function", "functions", "constructor", "field");
  private static final Set<String> FILE_WORDS = Set.of("file", "files", "component", "module");

  static Query of(String question) {
    List<String> plain = Words.plain(question);
    List<String> stems = Words.stems(question);
    Wanted wanted = Wanted.ANYTHING;
    Map<String, Term> terms = new LinkedHashMap<>();
    for (int i = 0; i < plain.size(); i++) {
      String word = plain.get(i);
      boolean asked =
          i > 0 && (plain.get(i - 1).equals("which") || plain.get(i - 1).equals("what"));
      if (asked && TYPE_WORDS.contains(word)) {
        wanted = Wanted.TYPE;
      } else if (asked && MEMBER_WORDS.contains(word)) {
        wanted = Wanted.MEMBER;
      } else if (!(asked && FILE_WORDS.contains(word)) && !Vocabulary.isStopWord(word)) {
        String stem = stems.get(i);
        terms.putIfAbsent(stem, new Term(stem, Families.of(stem), Vocabulary.rarity(stem)));
      }
    }
    if (terms.isEmpty()) {
      for (String stem : stems) {
        terms.putIfAbsent(stem, new Term(stem, Families.of(stem), Vocabulary.rarity(stem)));
      }
    }
    return new Query(new ArrayList<>(terms.values()), wanted);
  }

  /** The rarity of all terms together: what a perfect match would score. */
  double totalRarity() {
    return terms.stream().mapToDouble(Term::rarity).sum();
  }
}
