package dev.colony.library.research;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.blackboard.value.Text;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a coordinator is asked.
 *
 * @param text in plain words
 * @param map the id of the page map to answer it from
 * @param earlier what was asked of the same source before, the oldest first; empty for a question
 *     by itself
 */
public record Question(
    String text, String map, @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Exchange> earlier) {

  public Question {
    if (text == null || text.isBlank()) {
      throw new IllegalArgumentException("the question is empty");
    }
    if (map == null || map.isBlank()) {
      throw new IllegalArgumentException("the question names no page map");
    }
    earlier = earlier == null ? List.of() : List.copyOf(earlier);
  }

  public Question(String text, String map) {
    this(text, map, List.of());
  }

  /**
   * The question behind what was said before, for a model to read; the last line that begins with
   * {@code Question:} is the question itself.
   */
  String inContext() {
    if (earlier.isEmpty()) {
      return text;
    }
    StringBuilder context = new StringBuilder("it goes on from this conversation.\n");
    for (Exchange one : earlier) {
      context.append("Earlier question: ").append(one.question()).append('\n');
      context.append("Earlier answer: ").append(one.answer().strip()).append('\n');
    }
    return context.append("Question: ").append(text).toString();
  }

  /**
   * The question with the words of the one before, as one that says "it" or "there" needs to be
   * searched for; empty where there is none.
   */
  Optional<String> withWordsBefore() {
    return earlier.isEmpty()
        ? Optional.empty()
        : Optional.of(text + " " + earlier.getLast().question());
  }

  /**
   * Evidence, and behind it that of what was answered before, the newest first; each place once.
   */
  List<Evidence> withEvidenceBefore(List<Evidence> found) {
    Set<String> places = new HashSet<>();
    found.forEach(one -> places.add(one.place()));
    return Stream.concat(
            found.stream(),
            earlier.reversed().stream()
                .flatMap(one -> one.evidence().stream())
                .filter(one -> places.add(one.place()))
                .limit(Exchange.MOST_EVIDENCE))
        .toList();
  }

  /**
   * A question that was answered before, which another one goes on from. Long texts are cut to what
   * a prompt has room for.
   *
   * @param question as it was asked
   * @param answer that was given
   * @param evidence that it rests on, strongest first; at most {@value #MOST_EVIDENCE}
   */
  public record Exchange(String question, String answer, List<Evidence> evidence) {

    static final int MOST_EVIDENCE = 10;

    private static final int MOST_ANSWER = 4_000;
    private static final int MOST_LINES_TEXT = 1_500;

    public Exchange {
      answer = Text.head(answer, MOST_ANSWER);
      evidence =
          evidence == null
              ? List.of()
              : evidence.stream()
                  .limit(MOST_EVIDENCE)
                  .filter(one -> one.text().length() <= MOST_LINES_TEXT)
                  .toList();
    }

    public static Exchange of(String question, Answer answer) {
      return new Exchange(
          question, answer.answer() == null ? "" : answer.answer(), answer.citations());
    }
  }
}
