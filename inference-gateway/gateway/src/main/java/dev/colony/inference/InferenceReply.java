package dev.colony.inference;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Duration;
import java.util.List;

/**
 * A model's reply.
 *
 * @param text as the call's form demands. Well-formed: half a surrogate pair, which a server's JSON
 *     may carry, is U+FFFD in it
 * @param toolCalls what the model asks for; with some of them the text may be empty and need not
 *     satisfy the schema
 * @param reasoning what the server shows of how the model came to it; empty if nothing
 * @param usage of all exchanges that the call took
 * @param model that answered, by the server's name for it
 * @param entry its name in {@code colony.inference.models}; empty for the model that has none
 * @param replica which replica answered
 * @param resident whether all pages of the prompt were in the KV cache of the calling node's own
 *     replica when the call was routed, as that replica reported it
 */
public record InferenceReply(
    String callId,
    String text,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<ToolCall> toolCalls,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String reasoning,
    FinishReason finish,
    Usage usage,
    Timings timings,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String model,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String entry,
    String replica,
    boolean resident) {

  public InferenceReply {
    text = WellFormed.of(text);
    // A stored reply may lack what has been added to the type.
    reasoning = reasoning == null ? "" : WellFormed.of(reasoning);
    toolCalls = toolCalls == null ? List.of() : List.copyOf(toolCalls);
    finish = finish == null ? FinishReason.STOP : finish;
    timings = timings == null ? Timings.NONE : timings;
    model = model == null ? "" : model;
    entry = entry == null ? "" : entry;
  }

  /**
   * Which model answered, for people: {@code gpt-5-mini}, or with its name {@code small
   * (gpt-5-mini)}.
   */
  public String answeredBy() {
    return answeredBy(entry, model);
  }

  /** The same of a model. */
  public static String answeredBy(String entry, String model) {
    return entry.isEmpty() || model.isEmpty() ? entry + model : entry + " (" + model + ")";
  }

  /** A reply of nothing but text. */
  public static InferenceReply text(
      String callId, String text, Usage usage, String replica, boolean resident) {
    return new InferenceReply(
        callId,
        text,
        List.of(),
        "",
        FinishReason.STOP,
        usage,
        Timings.NONE,
        "",
        "",
        replica,
        resident);
  }

  /**
   * How long a call took.
   *
   * @param queued until its last attempt was sent
   * @param firstToken from then to the first part of the reply, reasoning included; to the whole
   *     reply where the server sends it at once
   * @param total from submission to the end
   */
  public record Timings(Duration queued, Duration firstToken, Duration total) {

    public static final Timings NONE = new Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }
}
