package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a reply has to be.
 *
 * @param tools that the model may ask for
 * @param schema JSON schema (draft 2020-12) that the text must satisfy; empty for free text
 * @param check of the caller: what is wrong with a text that satisfies the schema, on one line for
 *     the model to read; empty if nothing is. Runs on the thread of the call, more than once
 * @param callCheck of the caller, in place of the check of names and arguments against the tools:
 *     what is wrong with the calls of a reply, at least one, on one line for the model to read;
 *     empty if nothing is. A reply may then hold several calls also where the server has no tools
 * @param maxTokens bound on the reply, reasoning included
 * @param mayBeCut whether a reply that was cut at the bound is what the caller wants, with {@link
 *     FinishReason#LENGTH}: its text or the beginning of its JSON, and those of its tool calls that
 *     are whole. If not, it is asked for once more with more room
 * @param repaired whether a reply that is not as it has to be is shown to the model once more, with
 *     what is wrong; if not, the call fails with the first
 */
public record ReplyForm(
    List<Tool> tools,
    ToolChoice toolChoice,
    Optional<JsonNode> schema,
    Function<String, Optional<String>> check,
    Optional<Function<List<ToolCall>, Optional<String>>> callCheck,
    int maxTokens,
    boolean mayBeCut,
    boolean repaired) {

  public ReplyForm {
    tools = List.copyOf(tools);
    if (maxTokens < 1) {
      throw new IllegalArgumentException("a reply has at least 1 token, not " + maxTokens);
    }
    if (tools.isEmpty() && !(toolChoice instanceof ToolChoice.Auto)) {
      throw new IllegalArgumentException("a tool is to be chosen, but there is none");
    }
  }

  /** Free text. */
  public static ReplyForm text(int maxTokens) {
    return new ReplyForm(
        List.of(),
        ToolChoice.AUTO,
        Optional.empty(),
        text -> Optional.empty(),
        Optional.empty(),
        maxTokens,
        false,
        true);
  }

  /** JSON that satisfies a schema. */
  public static ReplyForm json(JsonNode schema, int maxTokens) {
    return text(maxTokens).schema(Optional.of(schema));
  }

  public ReplyForm tools(List<Tool> offered, ToolChoice choice) {
    return new ReplyForm(offered, choice, schema, check, callCheck, maxTokens, mayBeCut, repaired);
  }

  public ReplyForm schema(Optional<JsonNode> required) {
    return new ReplyForm(
        tools, toolChoice, required, check, callCheck, maxTokens, mayBeCut, repaired);
  }

  public ReplyForm check(Function<String, Optional<String>> wrong) {
    return new ReplyForm(
        tools, toolChoice, schema, wrong, callCheck, maxTokens, mayBeCut, repaired);
  }

  /** The same, where the caller says what is wrong with calls of tools. */
  public ReplyForm callCheck(Function<List<ToolCall>, Optional<String>> wrong) {
    return new ReplyForm(
        tools, toolChoice, schema, check, Optional.of(wrong), maxTokens, mayBeCut, repaired);
  }

  /** The same, where a reply that was cut at its bound is as good as any. */
  public ReplyForm cutAllowed() {
    return new ReplyForm(tools, toolChoice, schema, check, callCheck, maxTokens, true, repaired);
  }

  /** The same, where the caller deals with a reply that is not as it has to be. */
  public ReplyForm unrepaired() {
    return new ReplyForm(tools, toolChoice, schema, check, callCheck, maxTokens, mayBeCut, false);
  }
}
