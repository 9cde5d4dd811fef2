package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ModelCall;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.ReplyForm;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.AnalystCapability.Checked;
import dev.colony.library.research.AnalystCapability.Quote;
import dev.colony.library.research.AnalystPolicy.Reading;
import dev.colony.library.research.ResearchTypes.Json;
import dev.colony.vcm.PageId;
import dev.colony.vcm.VirtualContextPage.PageSegment;
import dev.colony.vcm.mapping.PageText;
import dev.colony.vcm.mapping.PageText.SegmentLines;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

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
          {"type": "object", "properties": {
            "evidence": {"type": "array", "maxItems": 10, "items": {"type": "object", "properties": {
              "file": {"type": "string", "maxLength": 300},
              "first": {"type": "integer"}, "last": {"type": "integer"},
              "text": {"type": "string", "maxLength": 1000}, "score": {"type": "number"}},
              "required": ["file", "first", "last", "text", "score"],
              "additionalProperties": false}},
            "look": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {
              "tool": {"type": "string", "enum": ["definition", "usages", "grep", "read", "history"]},
              "of": {"type": "string", "maxLength": 200},
              "first": {"type": "integer"}, "last": {"type": "integer"}},
              "required": ["tool", "of", "first", "last"], "additionalProperties": false}}},
           "required": ["evidence", "look"], "additionalProperties": false}
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

  /**
   * What a model replies about a page.
   *
   * @param quotes what answers, not yet held against the page
   * @param looks what it wants to see
   */
  record AnalystReply(List<Quote> quotes, List<Look> looks) {

    /**
     * Of a text that satisfies the schema of {@link AnalystPrompt}; what does not fit is left out.
     */
    static AnalystReply of(String text) {
      JsonNode reply = Json.parse(text);
      List<Quote> quotes = new ArrayList<>();
      for (JsonNode one : reply.path("evidence")) {
        int first = one.path("first").asInt();
        quotes.add(
            new Quote(
                one.path("file").asText(),
                first,
                Math.max(first, one.path("last").asInt()),
                one.path("text").asText(),
                one.path("score").asDouble()));
      }
      List<Look> looks = new ArrayList<>();
      for (JsonNode one : reply.path("look")) {
        Look look =
            new Look(
                one.path("tool").asText(),
                one.path("of").asText(),
                one.path("first").asInt(),
                one.path("last").asInt());
        if (!look.of().isBlank() && !looks.contains(look)) {
          looks.add(look);
        }
      }
      return new AnalystReply(List.copyOf(quotes), List.copyOf(looks));
    }

    /** One text of several replies. */
    static String joined(List<String> texts) {
      if (texts.size() == 1) {
        return texts.getFirst();
      }
      ObjectNode all = JsonNodeFactory.instance.objectNode();
      for (String list : List.of("evidence", "look")) {
        ArrayNode joined = all.putArray(list);
        texts.forEach(text -> Json.parse(text).path(list).forEach(joined::add));
      }
      return all.toString();
    }
  }

  /**
   * What one analyst is asked.
   *
   * @param question in plain words; empty where the pages are only to be loaded into a cache
   * @param pages which of its pages to read
   * @param words that the code may use for it
   * @param open what an earlier round has left open; empty in the first
   * @param map that the pages are of, to look further in; empty for nowhere
   */
  record Assignment(
      String question, List<String> pages, List<String> words, String open, String map) {

    Assignment {
      pages = List.copyOf(pages);
      words = words == null ? List.of() : List.copyOf(words);
      open = open == null ? "" : open;
      map = map == null ? "" : map;
    }

    /** To have pages in the cache of a replica before they are asked about. */
    static Assignment loading(List<String> pages) {
      return new Assignment("", pages, List.of(), "", "");
    }

    boolean loads() {
      return question.isEmpty();
    }
  }

  /**
   * Something that a reader wants to see besides its page.
   *
   * @param tool one of {@code grep}, {@code read}, {@code definition}, {@code usages}, {@code
   *     history}
   * @param of a pattern, a path or a symbol, as the tool has it
   * @param firstLine to read; 0 for the tool's default
   * @param lastLine to read; 0 for the tool's default
   */
  record Look(String tool, String of, int firstLine, int lastLine) {

    private static final String GROUP = "source.";
    private static final int MATCHES = 20;
    private static final int AROUND_MATCH = 2;
    private static final String CUT = "\n[cut]";

    Look {
      tool = tool == null ? "" : tool.toLowerCase(Locale.ROOT);
      of = of == null ? "" : of;
    }

    String key() {
      return GROUP + tool;
    }

    ObjectNode params(String map) {
      ObjectNode params = JsonNodeFactory.instance.objectNode().put("map", map);
      switch (tool) {
        case "grep" -> params.put("pattern", of).put("limit", MATCHES).put("context", AROUND_MATCH);
        case "read" -> {
          params.put("file", of);
          if (firstLine > 0) {
            params.put("firstLine", firstLine);
          }
          if (lastLine >= Math.max(1, firstLine)) {
            params.put("lastLine", lastLine);
          }
        }
        case "usages" -> params.put("symbol", of).put("limit", MATCHES);
        case "history" -> params.put(of.matches(".*[/.].*") ? "file" : "symbol", of);
        default -> params.put("symbol", of);
      }
      return params;
    }

    String title() {
      String lines = tool.equals("read") && firstLine > 0 ? " " + firstLine + "-" + lastLine : "";
      return tool + " " + of + lines;
    }

    /** A result as a model reads it: spans as parts of pages stand there, anything else as JSON. */
    static String shown(JsonNode result, int mostChars) {
      StringBuilder text = new StringBuilder();
      JsonNode spans = result.path("spans");
      if (spans.isArray()) {
        for (JsonNode span : spans) {
          int number = span.path("firstLine").asInt();
          text.append(
              PageParts.text(
                  span.path("file").asText(),
                  number,
                  span.path("lastLine").asInt(),
                  List.of(span.path("text").asText().split("\n", -1))));
        }
        int left = result.path("leftOut").asInt();
        text.append(spans.isEmpty() ? "nothing fits\n" : "");
        text.append(left > 0 ? left + " more are not shown\n" : "");
        String note = result.path("note").asText("");
        text.append(note.isEmpty() ? "" : note + "\n");
      } else {
        text.append(result).append('\n');
      }
      return text.length() <= mostChars
          ? text.toString()
          : Text.head(text.toString(), mostChars) + CUT + "\n";
    }

    /** The pages that a result is from, in their order. */
    static Set<String> pages(JsonNode result) {
      Set<String> pages = new LinkedHashSet<>();
      result.path("spans").forEach(span -> pages.add(span.path("page").asText("")));
      pages.remove("");
      return pages;
    }

    /** Parts of a page, cut between two lines, for a model that does not take it as a whole. */
    static final class PageParts {

      private PageParts() {}

      /**
       * Parts of at most so many tokens each, in their order; a line that alone has more is a part.
       *
       * @param segments of the page, or of a part of it
       */
      static List<List<SegmentLines>> of(List<SegmentLines> segments, long tokens) {
        List<List<SegmentLines>> parts = new ArrayList<>();
        List<SegmentLines> part = new ArrayList<>();
        long used = 0;
        for (SegmentLines segment : segments) {
          int first = segment.segment().firstLine();
          int from = 0;
          long header = PromptFit.tokens(text(lines(segment, 0, 0)));
          used += header;
          for (int i = 0; i < segment.lines().size(); i++) {
            long line = 1L + PromptFit.tokens(PageText.numbered(first + i, segment.lines().get(i)));
            if (used + line > tokens && !(part.isEmpty() && i == from)) {
              if (i > from) {
                part.add(lines(segment, from, i));
              }
              parts.add(part);
              part = new ArrayList<>();
              from = i;
              used = header;
            }
            used += line;
          }
          part.add(lines(segment, from, segment.lines().size()));
        }
        parts.add(part);
        return parts;
      }

      private static SegmentLines lines(SegmentLines whole, int from, int to) {
        PageSegment segment = whole.segment();
        int first = segment.firstLine() + from;
        return new SegmentLines(
            new PageSegment(segment.file(), first, Math.max(first, segment.firstLine() + to - 1)),
            whole.lines().subList(from, to));
      }

      /** A part as it would stand on a page of its own. */
      static String text(List<SegmentLines> part) {
        StringBuilder text = new StringBuilder();
        part.forEach(one -> text.append(text(one)));
        return text.toString();
      }

      private static String text(SegmentLines lines) {
        PageSegment segment = lines.segment();
        return text(segment.file(), segment.firstLine(), segment.lastLine(), lines.lines());
      }

      /** Lines of a file as they stand on a page. */
      static String text(String file, int first, int last, List<String> lines) {
        StringBuilder text = new StringBuilder("=== ").append(file);
        text.append(" (lines ").append(first).append('-').append(last).append(")\n");
        for (int i = 0; i < lines.size(); i++) {
          text.append(PageText.numbered(first + i, lines.get(i))).append('\n');
        }
        return text.toString();
      }
    }
  }
}
