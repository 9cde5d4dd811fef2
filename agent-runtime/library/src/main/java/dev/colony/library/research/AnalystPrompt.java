package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ModelCall;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;

/** How an analyst asks the model about one page. */
final class AnalystPrompt {

  /** The same for every call, so that a page's cached prefix serves every question. */
  static final String PREAMBLE =
      """
      You read parts of a source tree. Each part begins with a line "=== path (lines first-last)" \
      followed by those lines of the file. Quote only what stands there.\
      """;

  private static final int MAX_TOKENS = 1200;

  private static final JsonNode SCHEMA =
      Json.parse(
          """
          {
            "type": "object",
            "properties": {
              "evidence": {
                "type": "array",
                "maxItems": 10,
                "items": {
                  "type": "object",
                  "properties": {
                    "file": {"type": "string"},
                    "line": {"type": "integer"},
                    "text": {"type": "string"},
                    "score": {"type": "number"}
                  },
                  "required": ["file", "line", "text", "score"],
                  "additionalProperties": false
                }
              }
            },
            "required": ["evidence"],
            "additionalProperties": false
          }
          """);

  private AnalystPrompt() {}

  static ModelCall about(PageId page, String question) {
    String suffix =
        """
        Quote the lines above that best answer the question: each with its file, its line number, \
        counted from the first number that its "===" line names, its exact text and a score of how \
        well it answers, from 0 to 10. Quote none if none does.
        Question: %s\
        """
            .formatted(question);
    return new ModelCall(PREAMBLE, List.of(page), suffix, Optional.of(SCHEMA), MAX_TOKENS);
  }
}
