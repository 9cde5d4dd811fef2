package dev.colony.library.research;

import dev.colony.blackboard.value.Text;
import java.util.List;

/**
 * A question that was answered before, which another one goes on from. Long texts are cut to what a
 * prompt has room for.
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

  /** Of an answer. */
  public static Exchange of(String question, Answer answer) {
    return new Exchange(question, answer.answer(), answer.citations());
  }
}
