package dev.colony.inference;

/**
 * A model's reply.
 *
 * @param text well-formed: half a surrogate pair, which a server's JSON may carry, is U+FFFD in it
 * @param replica which replica answered
 * @param resident whether all pages of the prompt were in the KV cache of the calling node's own
 *     replica when the call was routed, as that replica reported it
 */
public record InferenceReply(
    String callId, String text, Usage usage, String replica, boolean resident) {

  public InferenceReply {
    text = WellFormed.of(text);
  }
}
