package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * One model call.
 *
 * @param callId names the call in logs and replies, and is its idempotency key
 * @param extraFields what the body has beside what this type says, by field names of the server's
 *     protocol; passed on untouched, in place of nothing that is said here
 */
public record InferenceRequest(
    String callId,
    ModelChoice model,
    Prompt prompt,
    ReplyForm reply,
    Sampling sampling,
    CallContext context,
    Map<String, JsonNode> extraFields) {

  public InferenceRequest {
    extraFields = Map.copyOf(extraFields);
  }

  /** Of {@link #sessionName}. */
  private static final int LONGEST_SESSION = 256;

  /**
   * The name by which a server tells what this call stores from what others store: the body's own,
   * else that of its session, its agent or itself. At most 256 characters, all of them printable.
   */
  public String sessionName() {
    JsonNode own = extraFields.get("session_id");
    String name =
        own != null && own.isTextual()
            ? own.textValue()
            : context.session().or(context::agent).orElse(callId);
    String printable = name.replaceAll("[^\\x21-\\x7E]", "_");
    return WellFormed.head(printable, LONGEST_SESSION);
  }

  /** A call of the default model for its most likely words. */
  public static InferenceRequest of(
      String callId, Prompt prompt, ReplyForm reply, CallContext context) {
    return new InferenceRequest(
        callId, ModelChoice.DEFAULT, prompt, reply, Sampling.GREEDY, context, Map.of());
  }

  public InferenceRequest model(ModelChoice choice) {
    return new InferenceRequest(callId, choice, prompt, reply, sampling, context, extraFields);
  }

  public InferenceRequest prompt(Prompt other) {
    return new InferenceRequest(callId, model, other, reply, sampling, context, extraFields);
  }

  public InferenceRequest reply(ReplyForm form) {
    return new InferenceRequest(callId, model, prompt, form, sampling, context, extraFields);
  }

  public InferenceRequest sampling(Sampling other) {
    return new InferenceRequest(callId, model, prompt, reply, other, context, extraFields);
  }

  public InferenceRequest context(CallContext other) {
    return new InferenceRequest(callId, model, prompt, reply, sampling, other, extraFields);
  }

  public InferenceRequest extraFields(Map<String, JsonNode> fields) {
    return new InferenceRequest(callId, model, prompt, reply, sampling, context, fields);
  }
}
