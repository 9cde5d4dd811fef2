package dev.colony.replica.lexical;

import dev.colony.inference.WellFormed;
import dev.colony.replica.lexical.LexicalModel.LexicalPrompt;
import dev.colony.replica.lexical.QueryTerms.Term;
import dev.colony.replica.lexical.QueryTerms.Vocabulary;
import dev.colony.vcm.mapping.Words;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The sentences of a prompt that match its question best, best first. The request's own lines come
 * into it too, the question itself does not.
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
      if (line.startsWith(LexicalPrompt.QUESTION) || AnalyzedPage.HEADER.matcher(line).matches()) {
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
