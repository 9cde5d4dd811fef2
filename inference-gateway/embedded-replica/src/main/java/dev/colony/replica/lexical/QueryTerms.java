package dev.colony.replica.lexical;

import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import dev.colony.vcm.mapping.Words;
import dev.colony.vcm.mapping.Words.WordLists;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A question as the words it asks for, each with its rarity, and the kind of thing it wants named.
 *
 * @param terms at least one, unless the question has no words at all
 */
record QueryTerms(List<Term> terms, Wanted wanted) {

  /** What a question asks for. */
  enum Wanted {
    /** Asked for by "which class". */
    TYPE,
    /** Asked for by "which method". */
    MEMBER,
    /** A number or a name that something is set to: asked for by "how many", by a limit. */
    VALUE,
    ANYTHING
  }

  private static final Pattern ASKS_FOR_A_VALUE =
      Pattern.compile(
          "(?i)\\bhow"
              + " (?:many|much|long|late|early|soon|often|far|large|big|small|high|low|old|deep)\\b|\\b(?:default|limit|maximum|minimum|threshold|timeout|at"
              + " most|at least|by default)\\b|\\b(?:after|for|within) (?:what|which|how"
              + " (?:much|many)) \\w+\\b"
              + "|\\b(?:largest|smallest|longest|shortest|highest|lowest)\\b|\\bif"
              + " (?:nothing|none|no \\w+) is (?:set|given|configured|named|said)\\b");

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
    Wanted wanted = ASKS_FOR_A_VALUE.matcher(question).find() ? Wanted.VALUE : Wanted.ANYTHING;
    Map<String, Term> terms = new LinkedHashMap<>();
    for (int i = 0; i < words.size(); i++) {
      Word word = words.get(i);
      boolean asked = i > 0 && ASKING.contains(words.get(i - 1).text());
      if (asked && TYPE_WORDS.contains(word.text())) {
        wanted = Wanted.TYPE;
      } else if (asked && MEMBER_WORDS.contains(word.text())) {
        wanted = Wanted.MEMBER;
      } else if (!(asked && FILE_WORDS.contains(word.text())) && !Words.isStopWord(word.text())) {
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
      return new Term(stem, Vocabulary.family(stem), Vocabulary.rarity(stem) * (part ? PART : 1));
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

  /**
   * What the model knows beforehand: how common words are in source code at large, and which words
   * programmers use for one another.
   */
  static final class Vocabulary {

    private static final List<String> ENDINGS =
        List.of(
            "ement", "ment", "ation", "ition", "sion", "tion", "ion", "anc", "enc", "ator", "tor",
            "or", "er", "abl", "ibl", "at", "iv", "al", "e", "i");

    /** Roots whose last consonant changes: decide and decision, convert and conversion. */
    private static final Pattern CHANGING =
        Pattern.compile("(.*(?:ci|vi|lu|ro|va|pan|ten|pen|ver|mi|ce))[dst]");

    private static final int SHORTEST = 4;

    private static final double RAREST = 6;
    private static final Map<String, Double> RARITY = rarity();

    private static final Map<String, Set<String>> RELATED = related();

    private Vocabulary() {}

    /**
     * Inverse document frequency of a stem in source code at large; unseen stems are the rarest.
     */
    static double rarity(String stem) {
      return RARITY.getOrDefault(stem, RAREST);
    }

    /** Word families that programmers use for the given family, itself left out. */
    static Set<String> related(String family) {
      return RELATED.getOrDefault(family, Set.of());
    }

    private static Map<String, Double> rarity() {
      Map<String, Double> rarity = new HashMap<>();
      double passages = 0;
      for (String line : WordLists.lines(Vocabulary.class, "frequencies.txt")) {
        String[] entry = line.split(" ");
        double count = Double.parseDouble(entry[1]);
        if (entry[0].equals("*")) {
          passages = count;
        } else {
          rarity.put(entry[0], Math.min(RAREST, Math.log(1 + passages / count)));
        }
      }
      return rarity;
    }

    private static Map<String, Set<String>> related() {
      Map<String, Set<String>> related = new HashMap<>();
      for (String line : WordLists.lines(Vocabulary.class, "thesaurus.txt")) {
        Set<String> group = new HashSet<>();
        for (String stem : Words.stems(line)) {
          group.add(Vocabulary.family(stem));
        }
        for (String family : group) {
          Set<String> others = related.computeIfAbsent(family, f -> new HashSet<>());
          others.addAll(group);
          others.remove(family);
        }
      }
      return related;
    }

    /**
     * The family of a stem, which brings together what Porter's stemmer keeps apart because one is
     * a verb and the other a noun (place, placement; decide, decision): the stem without its
     * derivational ending, at least four letters long.
     */
    static String family(String stem) {
      Matcher changing = CHANGING.matcher(stem);
      if (changing.matches() && changing.group(1).length() >= SHORTEST) {
        return changing.group(1);
      }
      for (String ending : ENDINGS) {
        if (stem.endsWith(ending) && stem.length() - ending.length() >= SHORTEST) {
          return stem.substring(0, stem.length() - ending.length());
        }
      }
      return stem;
    }
  }

  /**
   * The sentences of a prompt that match its question best, best first. The request's own lines
   * come into it too, the question itself does not.
   */
  record Extract(QueryTerms query, List<String> sentences) {

    private static final int MOST_SENTENCES = 64;
    private static final int MOST_CHARS = 300;
    private static final int IN_TEXT = 3;

    /** What a page shows before some of its lines. */
    private static final Pattern NUMBER = Pattern.compile("^\\d+\t");

    private record Scored(String sentence, double score) {}

    static Extract of(LexicalPrompt prompt) {
      QueryTerms query = QueryTerms.of(prompt.question());
      List<Scored> scored = new ArrayList<>();
      for (String message : prompt.context()) {
        collect(message, query, scored);
      }
      collect(prompt.request(), query, scored);
      scored.sort(Comparator.comparingDouble((Scored s) -> -s.score()));
      List<String> best =
          scored.stream().map(Scored::sentence).distinct().limit(MOST_SENTENCES).toList();
      return new Extract(query, best);
    }

    /** The best sentences as a text. */
    String text() {
      if (sentences.isEmpty()) {
        return "The prompt says nothing about this.";
      }
      return String.join(" ", sentences.subList(0, Math.min(IN_TEXT, sentences.size())));
    }

    /** How many terms of the question the text answers, weighted by rarity, from 0 to 1. */
    double match(String text) {
      double total = query.totalRarity();
      if (total == 0) {
        return 0;
      }
      List<String> stems = Words.stems(text);
      double sum = 0;
      for (Term term : query.terms()) {
        double best = 0;
        for (String stem : stems) {
          best = Math.max(best, term.match(stem, Vocabulary.family(stem)));
        }
        sum += best * term.rarity();
      }
      return sum / total;
    }

    private static void collect(String message, QueryTerms query, List<Scored> into) {
      Extract asked = new Extract(query, List.of());
      for (String line : message.split("\n")) {
        if (line.startsWith(LexicalPrompt.QUESTION)
            || AnalyzedPage.HEADER.matcher(line).matches()) {
          continue;
        }
        for (String sentence :
            NUMBER.matcher(line).replaceFirst("").strip().split("(?<=[.!?])\\s+")) {
          double score = asked.match(sentence);
          if (score > 0) {
            into.add(new Scored(WellFormed.head(sentence, MOST_CHARS), score));
          }
        }
      }
    }
  }
}
