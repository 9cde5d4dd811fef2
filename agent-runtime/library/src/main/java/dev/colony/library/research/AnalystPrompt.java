package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.ModelCall;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.ReplyForm;
import dev.colony.vcm.PageId;
import java.util.List;
import java.util.Optional;

/** How an analyst asks the model about one page. */
final class AnalystPrompt {

  /** The same for every call, so that a page's cached prefix serves every question. */
  static final String PREAMBLE =
      """
      You read parts of a source tree for a colleague who has to explain how it works. Each part \
      begins with a line "=== path (lines first-last)" followed by those lines of the file. Every \
      fifth line stands behind its number and a tab, which belong to no line. What you quote is \
      held against the file, and what does not stand there is lost: copy it letter by letter, \
      without the numbers, and never from memory.

      Your reply is JSON with two lists.
      "evidence": what answers the question. Each entry has the "file", the "first" and the "last" \
      number of the lines that one has to see to follow it (a method or a comment at most), the \
      "text" of the one to three lines among them that tell it best, and a "score" from 0 to 10: 10 \
      answers the question by itself, 5 is a needed part, 1 is a hint. Leave it empty where nothing \
      answers; a line that only shares words with the question is no evidence.
      "look": what you must see elsewhere to answer, if this part points there. Each entry has a \
      "tool" and what it is asked "of": "definition" or "usages" of a symbol, "grep" of a regular \
      expression, "read" of a path with its "first" and "last" line, "history" of a path or symbol; \
      "first" and "last" are 0 for the others. Leave it empty where you need nothing.\
      """;

  private static final int MAX_TOKENS = 2000;

  /** Of a quote that is told to be wrong. */
  private static final int QUOTE_CHARS = 300;

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
                    "first": {"type": "integer"},
                    "last": {"type": "integer"},
                    "text": {"type": "string"},
                    "score": {"type": "number"}
                  },
                  "required": ["file", "first", "last", "text", "score"],
                  "additionalProperties": false
                }
              },
              "look": {
                "type": "array",
                "maxItems": 3,
                "items": {
                  "type": "object",
                  "properties": {
                    "tool": {
                      "type": "string",
                      "enum": ["definition", "usages", "grep", "read", "history"]
                    },
                    "of": {"type": "string"},
                    "first": {"type": "integer"},
                    "last": {"type": "integer"}
                  },
                  "required": ["tool", "of", "first", "last"],
                  "additionalProperties": false
                }
              }
            },
            "required": ["evidence", "look"],
            "additionalProperties": false
          }
          """);

  private AnalystPrompt() {}

  static ModelCall of(PageId page, Assignment assignment, Reading reading, String asked) {
    return new ModelCall(PREAMBLE, List.of(page), "", Optional.of(SCHEMA), MAX_TOKENS)
        .messages(reading.messages(request(assignment), asked));
  }

  /**
   * The same without the page, which is too long.
   *
   * @param part of the page that is read
   */
  static ModelCall of(String part, Assignment assignment, Reading reading, String asked) {
    return new ModelCall(PREAMBLE, List.of(), "", Optional.of(SCHEMA), MAX_TOKENS)
        .messages(reading.messages(part + "\n" + request(assignment), asked));
  }

  /**
   * Has a page computed that is asked about later: the same call, of one token. It names the schema
   * too, since some servers are given it before the page.
   */
  static ModelCall loading(PageId page, Assignment assignment) {
    return of(page, assignment, Reading.NONE, "")
        .reply(ReplyForm.json(SCHEMA, 1).cutAllowed().unrepaired());
  }

  /** What is asked about each page first. */
  private static String request(Assignment assignment) {
    StringBuilder text =
        new StringBuilder("Quote from the part above what answers the question, best first.\n");
    if (!assignment.words().isEmpty()) {
      text.append("The code may say it with words such as: ")
          .append(String.join("; ", assignment.words()))
          .append('\n');
    }
    if (!assignment.open().isEmpty()) {
      text.append("What is known already leaves open: ").append(assignment.open()).append('\n');
    }
    return text.append("Question: ").append(assignment.question()).toString();
  }

  /** Asks once more for quotes that stand nowhere. */
  static String repair(List<Checked.Missed> missed, String question) {
    StringBuilder text = new StringBuilder("These quotes stand nowhere in what you were shown:\n");
    for (Checked.Missed one : missed) {
      Quote quote = one.quote();
      text.append(
          "- %s:%d-%d: %s\n"
              .formatted(quote.file(), quote.firstLine(), quote.lastLine(), head(quote.text())));
      if (!one.place().isEmpty()) {
        text.append("  In ").append(one.place()).append(" stands:\n");
        one.text().lines().forEach(line -> text.append("  | ").append(line).append('\n'));
      }
    }
    return text.append(
            "Give in \"evidence\" those of them again that stand there, letter by letter, and no"
                + " others; leave \"look\" empty.\nQuestion: ")
        .append(question)
        .toString();
  }

  /** Shows what was asked for. */
  static String shown(String results, int left, String question) {
    return "What you wanted to see:\n"
        + results
        + "Give in \"evidence\" what answers the question and is not quoted yet. "
        + (left > 0
            ? "Ask in \"look\" for more only if the question cannot be answered without it.\n"
            : "Nothing more can be shown: leave \"look\" empty.\n")
        + "Question: "
        + question;
  }

  private static String head(String text) {
    String line = text.strip().replace("\n", " \\n ");
    return Text.cut(line, QUOTE_CHARS);
  }
}
