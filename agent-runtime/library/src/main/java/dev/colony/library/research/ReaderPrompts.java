package dev.colony.library.research;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.ModelCall;
import dev.colony.blackboard.value.Text;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.Sampling;
import dev.colony.library.policy.PromptFit;
import dev.colony.library.research.ReaderCapability.FileTexts;
import dev.colony.library.research.ReaderCapability.Place;
import dev.colony.library.research.ResearchTypes.Json;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * How the reader asks its model which places to read, and what they answer. What stays the same
 * stands first, so that a server's cache holds it; the question stands last. A reply names places
 * and lines by numbers and copies no text.
 */
final class ReaderPrompts {

  /** Places that are read at most. */
  static final int MOST_READ = 8;

  /** Tokens of the places that are chosen among, at most. */
  static final long SELECT_TOKENS = 3_000;

  /** Tokens of the passages that are read, at most. */
  static final long READ_TOKENS = 5_000;

  private static final String PREAMBLE =
      """
      You answer questions about the files of a project. You know nothing of the project but the \
      lines that you are shown, and you name them by their numbers.\
      """;

  private static final String SELECT =
      """
      Below are places in files that a search found for a question: number, file and line, then how \
      the place begins. Choose the places that have to be read to answer the question.
      "ids": their numbers, the most useful first, %d at most. A place that only shares words with \
      the question is not chosen. Empty if no place can answer.
      "why": what you expect to find there, in a few words.
      %s
      Places:
      """;

  private static final String READ =
      """
      Below are passages of files. Each line stands behind its line number.
      "passages": for each passage that has to do with the question, "n", its number; "why", what it \
      tells about the question, in a few words; "grade", 0 if it does not help to answer, 1 if it \
      tells a part, 2 if it tells the answer; "lines", the numbers of the first and the last line \
      that tell it, as in 14-18, as few lines as show it.
      "answer": the answer in one to five sentences, from the passages alone, with the names that \
      they use. Behind each statement stand its passage and lines, as in [2:14-18]. If the passages \
      do not tell the answer, "answer" is empty.
      %s
      Passages:
      """;

  private static final String WORDS =
      """
      "words": if "%s" is empty, up to two other searches, in words that the files would use; \
      otherwise empty.
      """;

  private static final int WHY_CHARS = 120;
  private static final int MOST_WORDS = 2;
  private static final int WORDS_CHARS = 80;
  private static final int ANSWER_CHARS = 1_200;
  private static final int SHORT_ANSWER_CHARS = 600;

  /** Tokens of a reply's names, numbers and punctuation, for each passage and for the rest. */
  private static final int FRAME_TOKENS = 50;

  private static final int PATH_CHARS = 120;
  private static final int LINE_CHARS = 300;
  private static final int LINES_CHARS = 16;

  /** Exchanges that a question goes on from, and characters of their answers. */
  private static final int MOST_EARLIER = 2;

  private static final int EARLIER_CHARS = 600;

  /** Lines of each passage, from the most to the least, and of how many it has to be. */
  private static final int[][] SHAPES = {{60, 5}, {40, 4}, {24, 3}, {16, 2}, {8, 1}, {4, 1}};

  private ReaderPrompts() {}

  /**
   * Asks which places to read.
   *
   * @param more whether another search is possible
   * @param room tokens of the places
   */
  static ModelCall select(Question question, List<Place> places, boolean more, long room) {
    StringBuilder list = new StringBuilder();
    int shown = 0;
    long used = 0;
    for (Place place : places) {
      String entry = entry(shown + 1, place);
      used += PromptFit.tokens(entry);
      if (shown > 0 && used > room) {
        break;
      }
      list.append(entry);
      shown++;
    }
    ObjectNode properties = JsonNodeFactory.instance.objectNode();
    number(array(properties.putObject("ids"), 0, MOST_READ), 1, shown);
    text(properties.putObject("why"), WHY_CHARS);
    if (more) {
      text(array(properties.putObject("words"), 0, MOST_WORDS), WORDS_CHARS);
    }
    ModelCall call =
        call(
            SELECT.formatted(MOST_READ, more ? WORDS.formatted("ids") : "")
                + list
                + asked(question),
            object(properties),
            WHY_CHARS + MOST_WORDS * WORDS_CHARS + 2 * FRAME_TOKENS);
    // Without a choice the search's own order is read.
    return call.reply(call.reply().unrepaired());
  }

  private static String entry(int number, Place place) {
    String symbol = place.symbol().isEmpty() ? "" : " " + place.symbol();
    String label = place.label().isEmpty() ? "" : "    " + place.label() + "\n";
    String file = Text.tail(place.file(), PATH_CHARS);
    return "[%d] %s:%d%s\n%s".formatted(number, file, place.firstLine(), symbol, label);
  }

  /**
   * What the model chose.
   *
   * @param ids counted from 1, each once, best first; empty for none
   * @param words other searches that it asks for
   */
  record Selection(List<Integer> ids, List<String> words) {

    static final Selection NONE = new Selection(List.of(), List.of());

    /** Of a reply about so many places; what it chose beyond them is left out. */
    static Selection of(String reply, int places) {
      JsonNode json = Json.parse(reply);
      Set<Integer> ids = new LinkedHashSet<>();
      for (JsonNode id : json.path("ids")) {
        if (ids.size() < MOST_READ && id.asInt() >= 1 && id.asInt() <= places) {
          ids.add(id.asInt());
        }
      }
      return new Selection(List.copyOf(ids), ReaderPrompts.words(json));
    }
  }

  /** Other searches that a reply asks for. */
  static List<String> words(JsonNode reply) {
    return reply
        .path("words")
        .valueStream()
        .map(one -> Text.line(one.asText(""), WORDS_CHARS))
        .filter(words -> !words.isBlank())
        .limit(MOST_WORDS)
        .toList();
  }

  /**
   * A passage as it can be shown.
   *
   * @param lines by their numbers, at least one
   */
  record Passage(Place place, Map<Integer, String> lines) {

    static List<Passage> of(List<Place> places, FileTexts texts) {
      return places.stream()
          .map(place ->
              new Passage(place, texts.lines(place.file(), place.firstLine(), place.lastLine())))
          .filter(passage -> !passage.lines().isEmpty())
          .toList();
    }

    private String text(int number, int most) {
      StringBuilder text = new StringBuilder();
      String symbol = place.symbol().isEmpty() ? "" : ", " + place.symbol();
      text.append("[%d] %s%s\n".formatted(number, place.file(), symbol));
      lines.entrySet().stream()
          .limit(most)
          .forEach(line ->
              text.append(line.getKey())
                  .append('\t')
                  .append(Text.head(line.getValue(), LINE_CHARS))
                  .append('\n'));
      return text.toString();
    }
  }

  /**
   * What is shown of passages: whole ones where there is room.
   *
   * @param passages how many of them
   * @param lines of each at most
   */
  record Shape(int passages, int lines) {

    /** As many of the first passages as take no more tokens than this, at least one. */
    static Shape within(List<Passage> all, long room) {
      for (int[] shape : SHAPES) {
        int some = 0;
        long used = 0;
        while (some < all.size()) {
          used += PromptFit.tokens(all.get(some).text(some + 1, shape[0]));
          if (used > room) {
            break;
          }
          some++;
        }
        if (some >= Math.min(shape[1], all.size())) {
          return new Shape(some, shape[0]);
        }
      }
      return new Shape(1, SHAPES[SHAPES.length - 1][0]);
    }

    String text(List<Passage> all) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < passages; i++) {
        text.append(all.get(i).text(i + 1, lines));
      }
      return text.toString();
    }

    private int answerChars() {
      return passages >= SHAPES[0][1] ? ANSWER_CHARS : SHORT_ANSWER_CHARS;
    }
  }

  /**
   * Asks what passages answer.
   *
   * @param more whether another search is possible
   */
  static ModelCall read(Question question, List<Passage> all, boolean more, Shape shape) {
    ObjectNode passage = JsonNodeFactory.instance.objectNode();
    number(passage.putObject("n"), 1, shape.passages());
    text(passage.putObject("why"), WHY_CHARS);
    number(passage.putObject("grade"), 0, 2);
    text(passage.putObject("lines"), LINES_CHARS);
    ObjectNode properties = JsonNodeFactory.instance.objectNode();
    array(properties.putObject("passages"), 1, shape.passages()).setAll(object(passage));
    text(properties.putObject("answer"), shape.answerChars());
    if (more) {
      text(array(properties.putObject("words"), 0, MOST_WORDS), WORDS_CHARS);
    }
    return call(
        READ.formatted(more ? WORDS.formatted("answer") : "") + shape.text(all) + asked(question),
        object(properties),
        shape.passages() * (WHY_CHARS + LINES_CHARS + FRAME_TOKENS)
            + shape.answerChars()
            + FRAME_TOKENS);
  }

  static String asked(Question question) {
    StringBuilder text = new StringBuilder();
    List<Question.Exchange> earlier = question.earlier();
    for (Question.Exchange one :
        earlier.subList(Math.max(0, earlier.size() - MOST_EARLIER), earlier.size())) {
      text.append("Earlier question: ").append(Text.line(one.question(), EARLIER_CHARS));
      text.append("\nEarlier answer: ").append(Text.line(one.answer(), EARLIER_CHARS)).append('\n');
    }
    return text.append("Question: ").append(question.text()).toString();
  }

  /** A text may take a token a character, as those of some languages do. */
  private static ModelCall call(String text, ObjectNode schema, int maxTokens) {
    return new ModelCall(
        PREAMBLE,
        List.of(),
        List.of(new ChatMessage.User(text)),
        ReplyForm.json(schema, maxTokens),
        Sampling.GREEDY,
        Optional.empty());
  }

  /** Listed, since the grammars of some servers leave out the bounds of numbers. */
  private static void number(ObjectNode schema, int least, int most) {
    ArrayNode values = schema.put("type", "integer").putArray("enum");
    IntStream.rangeClosed(least, most).forEach(values::add);
  }

  static void text(ObjectNode schema, int most) {
    schema.put("type", "string").put("maxLength", most);
  }

  private static ObjectNode array(ObjectNode schema, int least, int most) {
    schema.put("type", "array").put("minItems", least).put("maxItems", most);
    return schema.putObject("items");
  }

  static ObjectNode object(ObjectNode properties) {
    ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
    schema.set("properties", properties);
    properties.fieldNames().forEachRemaining(schema.withArray("required")::add);
    return schema.put("additionalProperties", false);
  }
}
