package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ModelCall;
import java.util.List;
import java.util.Optional;

/** How the coordinator asks the model to compose an answer from numbered passages. */
final class AnswerPrompt {

  private static final int MAX_TOKENS = 2000;

  private static final JsonNode SCHEMA =
      Json.parse(
          """
          {
            "type": "object",
            "properties": {
              "answer": {"type": "string"},
              "citations": {
                "type": "array",
                "items": {
                  "type": "object",
                  "properties": {"evidence": {"type": "integer"}},
                  "required": ["evidence"],
                  "additionalProperties": false
                }
              },
              "uncertain": {"type": "array", "items": {"type": "string"}},
              "notRead": {"type": "array", "items": {"type": "string"}}
            },
            "required": ["answer", "citations", "uncertain", "notRead"],
            "additionalProperties": false
          }
          """);

  private static final String TASK =
      """
      Answer the question from the passages below. Each begins with its number and its place; lines \
      behind ">" are the passage, the others stand around it.
      "answer": first the answer in a sentence, then how it works, step by step, in the order in \
      which the code does it. Behind each statement stands the number of the passage that shows it, \
      as in [2]. Name classes, methods and settings as the code does. Say nothing that no passage \
      shows.
      "citations": the passages that the answer rests on, the one that tells it best first.
      "uncertain": what the answer says though the passages only suggest it, a sentence each.
      "notRead": what would have to be read to be sure, a sentence or a file each.

      """;

  private AnswerPrompt() {}

  /**
   * A call.
   *
   * @param passages as {@link Excerpts} writes them
   * @param open what is known to be missing
   */
  static ModelCall from(String question, String passages, List<String> open) {
    StringBuilder suffix = new StringBuilder(TASK).append("Evidence:\n").append(passages);
    open.forEach(one -> suffix.append("Found nowhere: ").append(one).append('\n'));
    suffix.append("Question: ").append(question);
    return new ModelCall(
        CoordinatorPrompts.PREAMBLE, List.of(), suffix.toString(), Optional.of(SCHEMA), MAX_TOKENS);
  }
}
