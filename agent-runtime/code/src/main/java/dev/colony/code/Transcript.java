package dev.colony.code;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.inference.ChatMessage;
import dev.colony.inference.ToolCall;
import dev.colony.vcm.mapping.TokenCounter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The cells of a run so far with what the model was shown of each, and the events between them:
 * entries of the run, one each, so that a step writes only what it adds. As messages they only grow
 * at their end, until they take more tokens than they may: then the older half is left out at once.
 */
final class Transcript {

  private static final String TURN = "#turn.";
  private static final String NOTES = "#turns";
  private static final TokenCounter COUNTER = new TokenCounter();

  /** Of what stands between two turns, and between a cell and what was shown of it. */
  private static final int BETWEEN_TOKENS = 4;

  /** Of the line that says how many turns are not shown. */
  private static final int NOTE_TOKENS = 16;

  /**
   * A cell, or events.
   *
   * @param source of the cell; empty for events
   * @param tool the call by which the model asked for the cell; empty where it wrote it as text
   * @param shown to the model afterwards
   * @param variables whose values are among that
   */
  record Turn(Optional<String> source, Optional<String> tool, String shown, Set<String> variables) {

    int tokens() {
      return source.map(text -> COUNTER.count(fenced(text))).orElse(0)
          + COUNTER.count(shown)
          + BETWEEN_TOKENS;
    }
  }

  private final ObjectNode entries;
  private final int tokens;

  /**
   * @param entries of the run, which are read and changed
   * @param tokens that the turns take at most
   */
  Transcript(ObjectNode entries, int tokens) {
    this.entries = entries;
    this.tokens = tokens;
  }

  private int first() {
    return entries.path(NOTES).path("first").asInt();
  }

  private int next() {
    return entries.path(NOTES).path("next").asInt();
  }

  private List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (int i = first(); i < next(); i++) {
      turns.add((Turn) JsonValues.read(entries.path(TURN + i), Turn.class));
    }
    return turns;
  }

  /** Adds a turn, and drops the oldest where all of them would take too much. */
  void add(Turn turn) {
    int next = next();
    entries.set(TURN + next, JsonValues.toJson(turn));
    int first = first();
    List<Turn> turns = turns();
    long used = NOTE_TOKENS + turns.stream().mapToLong(Turn::tokens).sum() + turn.tokens();
    if (used > tokens) {
      for (Turn oldest : turns) {
        if (used <= tokens / 2) {
          break;
        }
        used -= oldest.tokens();
        entries.remove(TURN + first++);
      }
    }
    entries.putObject(NOTES).put("first", first).put("next", next + 1);
  }

  /** The same with as many of the last turns as take so many tokens, at least one. */
  Transcript newest(int most) {
    List<Turn> turns = turns();
    int used = NOTE_TOKENS;
    int from = next();
    for (Turn turn : turns.reversed()) {
      used += turn.tokens();
      if (used > most && from < next()) {
        break;
      }
      from--;
    }
    ObjectNode fewer = entries.deepCopy();
    fewer.putObject(NOTES).put("first", from).put("next", next());
    return new Transcript(fewer, tokens);
  }

  /** The variables whose values the messages show. */
  Set<String> shown() {
    Set<String> names = new HashSet<>();
    turns().forEach(turn -> names.addAll(turn.variables()));
    return names;
  }

  /** Whether some of the turns are not shown any more. */
  boolean cut() {
    return first() > 0;
  }

  private String note() {
    return "[" + first() + " earlier turns are not shown any more]";
  }

  /** The conversation for people; empty without turns. */
  String text() {
    List<String> lines = new ArrayList<>();
    if (cut()) {
      lines.add(note());
    }
    for (Turn turn : turns()) {
      turn.source().ifPresent(source -> lines.add(fenced(source)));
      lines.add(turn.shown());
    }
    return String.join("\n\n", lines);
  }

  private static String fenced(String source) {
    return "```js\n" + source + "\n```";
  }

  /**
   * The conversation.
   *
   * @param opening what stands before the turns, the same in each step of a run
   * @param now what stands behind them
   */
  List<ChatMessage> messages(String opening, String now) {
    List<ChatMessage> messages = new ArrayList<>();
    StringBuilder said = new StringBuilder(opening);
    if (cut()) {
      said.append(said.isEmpty() ? "" : "\n\n").append(note());
    }
    for (Turn turn : turns()) {
      if (turn.source().isEmpty()) {
        said.append(said.isEmpty() ? "" : "\n\n").append(turn.shown());
        continue;
      }
      if (!said.isEmpty()) {
        messages.add(new ChatMessage.User(said.toString()));
        said.setLength(0);
      }
      String source = turn.source().get();
      if (turn.tool().isPresent()) {
        JsonNode arguments = JsonValues.toJson(Map.of("code", source));
        ToolCall call = new ToolCall(turn.tool().get(), CodeReply.RUN, arguments);
        messages.add(new ChatMessage.Assistant("", List.of(call)));
        messages.add(new ChatMessage.ToolResult(turn.tool().get(), turn.shown()));
      } else {
        messages.add(new ChatMessage.Assistant(fenced(source), List.of()));
        said.append(turn.shown());
      }
    }
    said.append(said.isEmpty() ? "" : "\n\n").append(now);
    messages.add(new ChatMessage.User(said.toString()));
    return messages;
  }
}
