package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.provider.ReplyContract.Reading;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What there is of a reply that ended before its end, in the form that the caller asked for: the
 * text as far as it was written, of JSON the beginning, and of tool calls those that are whole.
 */
record CutReply(ReplyContract contract, ReplyBuilder reply, String callId) {

  /** An object that ends before its first value can be told. */
  private static final Pattern FIRST_NAME =
      Pattern.compile("\\s*+(```\\w*+\\s*+)?\\{\\s*+(?<name>(\"\\w*+\"?)?)\\s*+(:[\\s\\w.+-]*+)?");

  /** Whether the reply ends within JSON. */
  boolean unfinished() {
    String text = reply.text();
    int brace = text.indexOf('{');
    int bracket = text.indexOf('[');
    int at = brace < 0 || bracket >= 0 && bracket < brace ? bracket : brace;
    return !contract.verbatim()
        && at >= 0
        && BegunJson.at(text, at).filter(json -> json.open() > 0).isPresent();
  }

  Reading.Good read() {
    List<ToolCall> calls = new ArrayList<>();
    String text = reply.text();
    for (ToolCallAssembly.Call call : reply.calls()) {
      if (contract.asTool() && call.name().equals(ReplyContract.NAME)) {
        text = call.arguments();
      } else {
        Optional<Tool> tool = contract.tool(call.name());
        JsonInText.whole(call.arguments())
            .filter(arguments -> tool.filter(one -> fits(one, arguments)).isPresent())
            .map(arguments ->
                new ToolCall(ReplyContract.id(call, callId, reply.calls()), call.name(), arguments))
            .ifPresent(calls::add);
      }
    }
    Reading.Good plain = new Reading.Good(text, calls);
    return contract.rewritten() && calls.isEmpty()
        ? envelope(text).map(this::decoded).orElse(plain)
        : plain;
  }

  private static boolean fits(Tool tool, JsonNode arguments) {
    return new ReplySchema(tool.parameters()).errors(arguments).isEmpty();
  }

  /** The object that the contract has the model write; empty where it wrote something else. */
  private Optional<BegunJson> envelope(String text) {
    boolean barely = barely(text);
    int at = text.indexOf('{');
    for (int tried = 0; at >= 0 && tried < JsonInText.MOST_BEGINNINGS; tried++) {
      Optional<BegunJson> json = BegunJson.at(text, at);
      if (json.filter(one -> barely || ours(one.value())).isPresent()) {
        return json;
      }
      at = text.indexOf('{', json.map(BegunJson::end).orElse(at + 1));
    }
    return Optional.empty();
  }

  /** Whether the text is nothing but the beginning of an object that may become ours. */
  private static boolean barely(String text) {
    Matcher first = FIRST_NAME.matcher(text);
    return first.matches()
        && Stream.of(ReplyContract.NAME, ReplyContract.TOOL, ReplyContract.ARGUMENTS)
            .anyMatch(name -> ('"' + name + '"').startsWith(first.group("name")));
  }

  private boolean ours(JsonNode value) {
    return contract.prompted() || contract.wrapped() ? chooses(value) : value.isObject();
  }

  private boolean chooses(JsonNode value) {
    return value.has(ReplyContract.NAME)
        || contract.prompted()
            && (value.has(ReplyContract.TOOL) || value.has(ReplyContract.ARGUMENTS));
  }

  private Reading.Good decoded(BegunJson json) {
    JsonNode value = contract.restored(json.value());
    JsonNode inner = value.path(ReplyContract.NAME);
    // A server that does not decode by the schema has the model write what is meant, unwrapped.
    boolean unwrapped =
        contract.wrapped()
            && (!contract.prompted() || inner.isObject() && (inner.isEmpty() || chooses(inner)));
    int own = (unwrapped ? 1 : 0) + (contract.prompted() ? 1 : 0);
    boolean whole = json.open() <= own && !json.inText();
    if (whole && contract.text(json.value().toString(), callId) instanceof Reading.Good good) {
      return good;
    }
    JsonNode meant = unwrapped ? inner : value;
    if (contract.prompted()) {
      boolean call = meant.has(ReplyContract.TOOL) || meant.has(ReplyContract.ARGUMENTS);
      meant = call ? meant.path("") : meant.path(ReplyContract.NAME);
    }
    boolean text = meant.isMissingNode() || contract.freeText() && meant.isTextual();
    return new Reading.Good(
        text ? meant.asText() : whole ? meant.toString() : json.beginning(meant), List.of());
  }

  /**
   * An object or array as far as a text has it: a model that is stopped leaves it open.
   *
   * @param value what is there of it. A text that is cut is there up to its last whole character; a
   *     name without a value is not
   * @param end where it ends in the text
   * @param open how many objects and arrays the end of the text leaves open, this one among them; 0
   *     where it is whole
   * @param inText whether the end of the text is within one of its texts
   */
  record BegunJson(JsonNode value, int end, int open, boolean inText) {

    private static final Pattern SCALAR =
        Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?([eE][+-]?\\d+)?|true|false|null");

    private static final int UNICODE_ESCAPE = 6;

    /**
     * Reads it.
     *
     * @param at where its brace or bracket is
     * @return empty if what begins there is no JSON
     */
    static Optional<BegunJson> at(String text, int at) {
      return new Scan(text, at).read();
    }

    /** The JSON text of the last part of the value, without what the text does not have. */
    String beginning(JsonNode last) {
      String text = last.toString();
      int to = text.length();
      while (to > 0 && (text.charAt(to - 1) == '}' || text.charAt(to - 1) == ']')) {
        to--;
      }
      return text.substring(0, inText && to > 0 && text.charAt(to - 1) == '"' ? to - 1 : to);
    }

    /** One pass over the text. */
    private static final class Scan {

      private final String text;
      private final int from;
      private final Deque<Character> closers = new ArrayDeque<>();

      /** Up to where all values are whole. */
      private int whole;

      /** Where the text or the number or word under way begins; negative for none. */
      private int quote = -1;

      private int scalar = -1;

      /** Whether a text would be the name of a property. */
      private boolean name;

      Scan(String text, int from) {
        this.text = text;
        this.from = from;
        this.whole = from;
      }

      Optional<BegunJson> read() {
        int at = from;
        do {
          char c = text.charAt(at);
          if (quote >= 0) {
            at += c == '\\' ? 1 : 0;
            if (c == '"') {
              quote = -1;
              whole = name ? whole : at + 1;
            }
          } else if (!taken(c, at)) {
            return Optional.empty();
          }
          at++;
        } while (at < text.length() && !closers.isEmpty());
        boolean inText = quote >= 0 && !name;
        StringBuilder closed = new StringBuilder();
        if (inText) {
          closed.append(text, from, lastCharacter()).append('"');
        } else if (scalar >= 0 && SCALAR.matcher(text.substring(scalar).strip()).matches()) {
          closed.append(text, from, text.length());
        } else {
          closed.append(text, from, whole);
        }
        closers.forEach(closed::append);
        int end = Math.min(at, text.length());
        return JsonInText.whole(closed.toString())
            .map(value -> new BegunJson(value, end, closers.size(), inText));
      }

      /** Takes a character that is in no text; false if no JSON has it there. */
      private boolean taken(char c, int at) {
        switch (c) {
          case '"' -> quote = at;
          case '{', '[' -> {
            closers.push(c == '{' ? '}' : ']');
            name = c == '{';
            whole = at + 1;
          }
          case ':' -> name = false;
          case ',', '}', ']' -> {
            if (scalar >= 0) {
              whole = at;
              scalar = -1;
            }
            if (c != ',') {
              if (closers.pop() != c) {
                return false;
              }
              whole = at + 1;
            }
            name = c == ',' && closers.peek() == '}';
          }
          default -> scalar = scalar < 0 && !Character.isWhitespace(c) ? at : scalar;
        }
        return true;
      }

      /** Behind the last character of the text under way that is there as a whole. */
      private int lastCharacter() {
        int last = quote + 1;
        for (int at = last; at < text.length(); ) {
          char c = text.charAt(at);
          int next = at + 1;
          if (c == '\\') {
            boolean unicode = text.startsWith("\\u", at);
            next = at + (unicode ? UNICODE_ESCAPE : 2);
            c = unicode && next <= text.length() ? escaped(text.substring(at + 2, next)) : c;
          }
          if (next > text.length()) {
            return last;
          }
          last = Character.isHighSurrogate(c) ? last : next;
          at = next;
        }
        return last;
      }

      private static char escaped(String hex) {
        return hex.matches("[0-9a-fA-F]{4}") ? (char) Integer.parseInt(hex, 16) : '\\';
      }
    }
  }
}
