package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.Tool;
import dev.colony.inference.ToolCall;
import dev.colony.inference.provider.ReplyContract.Reading;
import java.util.ArrayList;
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
}
