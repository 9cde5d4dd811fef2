package dev.colony.code;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.blackboard.value.Text;
import dev.colony.blackboard.value.ValueRules;
import dev.colony.code.Cell.CellOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a cell reaches outside itself: it notes what the cell prints, keeps and ends with, within
 * the bounds, and hands its calls on. It trusts nothing that it is told. The cell's thread speaks
 * to it and another one asks for the outcome, which from then on stays as it is.
 */
final class CellHost implements Engine.Host {

  /** Thrown through the cell when a call has ended it. */
  static final class Stopped extends RuntimeException {

    private static final long serialVersionUID = 1L;

    Stopped() {
      super("a call has ended the cell", null, false, false);
    }
  }

  /**
   * A call on its way.
   *
   * @param number in the cell, from 1
   */
  record Called(int number, String key, JsonNode params) {}

  private static final int REASON_CHARS = 300;
  private static final int ERROR_CHARS = 1_000;
  private static final String FULL = "full";
  private static final String NONE = "ok";

  private final Cell cell;
  private final Function<Called, Cell.Reply> calls;
  private final StringBuilder printed = new StringBuilder();
  private final Map<String, Optional<JsonNode>> changed = new LinkedHashMap<>();
  private final List<String> unkept = new ArrayList<>();
  private boolean more;
  private boolean ended;
  private boolean stopped;
  private boolean closed;
  private Optional<String> error = Optional.empty();
  private Optional<JsonNode> completed = Optional.empty();
  private int called;
  private long keptBytes;

  /**
   * @param calls blocks until there is a reply
   */
  CellHost(Cell cell, Function<Called, Cell.Reply> calls) {
    this.cell = cell;
    this.calls = calls;
  }

  @Override
  public String invoke(String name, String function, String text) {
    if (function.equals("call")) {
      return call(name, text);
    }
    synchronized (this) {
      return closed ? NONE : noted(name, function, text);
    }
  }

  private String noted(String name, String function, String text) {
    return switch (function) {
      case "print" -> print(text);
      case "variable" -> String.valueOf(cell.variables().getOrDefault(name, NullNode.instance));
      case "keep" -> keep(name, text);
      case "drop" -> drop(name);
      case "unkept" -> unkept(name, Text.line(text, REASON_CHARS));
      case "complete" -> complete(text);
      case "error" -> failed(text);
      case "end" -> {
        ended = true;
        yield NONE;
      }
      default -> NONE;
    };
  }

  @Override
  public synchronized String tooLarge(String name, String function, long bytes) {
    String why =
        "it takes %d bytes as JSON, and %d are the most".formatted(bytes, Engine.VALUE_BYTES);
    return switch (function) {
      case "call" -> thrown("refused", "the parameters do not leave the cell: " + why);
      case "keep" -> unkept(name, why);
      case "complete" -> "the result does not leave the cell: " + why;
      case "print" -> print(why);
      default -> NONE;
    };
  }

  private String call(String key, String text) {
    int number;
    JsonNode params;
    synchronized (this) {
      if (closed || ended) {
        return thrown("refused", "the cell has ended");
      }
      if (!cell.functions().offers(key)) {
        return thrown("refused", "there is no action " + Text.line(key, REASON_CHARS));
      }
      if (called >= Cell.MOST_CALLS) {
        return thrown("refused", "a cell calls at most " + called + " actions: go on in the next");
      }
      try {
        params = JsonValues.parse(text);
      } catch (JsonProcessingException broken) {
        return thrown("refused", "the parameters are no JSON: " + Text.message(broken));
      }
      number = ++called;
    }
    return switch (calls.apply(new Called(number, key, params))) {
      case Cell.Reply.Value value -> value(key, value.output());
      case Cell.Reply.Thrown thrown -> thrown(thrown.status(), thrown.message());
      case Cell.Reply.Stop stop -> {
        synchronized (this) {
          stopped = true;
        }
        throw new Stopped();
      }
    };
  }

  private String value(String key, JsonNode output) {
    ObjectNode reply = JsonNodeFactory.instance.objectNode();
    String json = reply.set("value", output).toString();
    return json.length() <= Engine.VALUE_BYTES
        ? json
        : thrown(
            "too-large",
            "%s has succeeded, but its output of %d characters is larger than a cell takes: %d bytes"
                .formatted(key, json.length(), Engine.VALUE_BYTES));
  }

  private static String thrown(String status, String message) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("error", message)
        .put("status", status)
        .toString();
  }

  private String print(String text) {
    int room = Cell.OUTPUT_CHARS - printed.length();
    String line = text + "\n";
    if (room > 0) {
      printed.append(Text.wellFormed(Text.head(line, room)));
    }
    more |= line.length() > room;
    return more ? FULL : NONE;
  }

  private String keep(String name, String json) {
    Optional<String> wrong = cannotKeep(name, json);
    if (wrong.isPresent()) {
      return unkept(name, wrong.get());
    }
    try {
      JsonNode value = JsonValues.parse(json);
      Optional<String> fault = ValueRules.fault("it", value);
      if (fault.isPresent()) {
        return unkept(name, fault.get());
      }
      if (!value.equals(cell.variables().get(name))) {
        keptBytes += json.length();
        changed.put(name, Optional.of(value));
      }
    } catch (JsonProcessingException broken) {
      return unkept(name, "it is no JSON");
    }
    return NONE;
  }

  private Optional<String> cannotKeep(String name, String json) {
    if (!Cell.named(name) || cell.functions().groups().contains(name)) {
      return Optional.of("no variable can be called that");
    }
    if (json.length() > Cell.VARIABLE_BYTES) {
      return Optional.of(
          "it takes %d characters as JSON, and %d are the most"
              .formatted(json.length(), Cell.VARIABLE_BYTES));
    }
    return others(name) + json.length() > Cell.VARIABLES_BYTES
        ? Optional.of(
            "all variables together would take more than " + Cell.VARIABLES_BYTES + " bytes")
        : Optional.empty();
  }

  /** What the variables take that this cell has changed, and those that it has not. */
  private long others(String name) {
    return keptBytes
        + cell.variables().entrySet().stream()
            .filter(one -> !one.getKey().equals(name) && !changed.containsKey(one.getKey()))
            .mapToLong(one -> one.getValue().toString().length())
            .sum();
  }

  private String drop(String name) {
    if (cell.variables().containsKey(name)) {
      changed.put(name, Optional.empty());
    }
    return NONE;
  }

  private String unkept(String name, String why) {
    if (unkept.size() < ReplVariables.SHOWN) {
      unkept.add(Text.line(name, REASON_CHARS) + " is not kept: " + why);
    }
    return NONE;
  }

  private String complete(String json) {
    try {
      JsonNode value = JsonValues.parse(json);
      Optional<String> fault = ValueRules.fault("the result", value);
      completed = fault.isEmpty() ? Optional.of(value) : completed;
      return fault.orElse(NONE);
    } catch (JsonProcessingException broken) {
      return "the result is no JSON";
    }
  }

  private String failed(String json) {
    try {
      JsonNode thrown = JsonValues.parse(json);
      int line = thrown.path("line").asInt();
      error =
          Optional.of(
              "%s: %s%s"
                  .formatted(
                      Text.line(thrown.path("name").asText(), REASON_CHARS),
                      Text.line(thrown.path("message").asText(), ERROR_CHARS),
                      line > 0 ? " (near line " + line + ")" : ""));
    } catch (JsonProcessingException broken) {
      error = Optional.of("an error that cannot be read");
    }
    return NONE;
  }

  /**
   * What the cell has come to; it changes nothing from here on.
   *
   * @param cause why it has been ended; empty where it came to its end
   */
  synchronized CellOutcome outcome(Optional<String> cause) {
    closed = true;
    Optional<String> why =
        cause
            .or(() -> error)
            .or(() ->
                ended || stopped
                    ? Optional.empty()
                    : Optional.of("the cell awaits what never comes"));
    return new CellOutcome(
        printed.toString(),
        more,
        why.map(Text::wellFormed),
        ended ? Collections.unmodifiableMap(new LinkedHashMap<>(changed)) : Map.of(),
        ended ? List.copyOf(unkept) : List.of(),
        why.isEmpty() && ended ? completed : Optional.empty(),
        called,
        stopped);
  }
}
