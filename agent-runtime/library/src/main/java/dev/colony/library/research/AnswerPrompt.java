package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ModelCall;
import java.util.List;
import java.util.Optional;

/** How the coordinator asks the model to compose an answer from numbered evidence. */
final class AnswerPrompt {

  private static final String PREAMBLE =
      """
      You answer questions about a source tree from quoted lines. Use the evidence only, and name \
      the evidence that your answer rests on.\
      """;

  private static final int MAX_TOKENS = 1000;

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
              }
            },
            "required": ["answer", "citations"],
            "additionalProperties": false
          }
          """);

  private AnswerPrompt() {}

  static ModelCall from(String question, List<Evidence> evidence) {
    StringBuilder suffix = new StringBuilder("Evidence:\n");
    for (int i = 0; i < evidence.size(); i++) {
      Evidence one = evidence.get(i);
      suffix
          .append('[')
          .append(i + 1)
          .append("] ")
          .append(one.place())
          .append(": ")
          .append(one.text().strip())
          .append('\n');
    }
    suffix.append("Question: ").append(question);
    return new ModelCall(PREAMBLE, List.of(), suffix.toString(), Optional.of(SCHEMA), MAX_TOKENS);
  }
}
