package dev.colony.inference;

/**
 * One model call.
 *
 * @param callId names the call in logs and replies, and is its idempotency key
 */
public record InferenceRequest(
    String callId,
    ModelChoice model,
    Prompt prompt,
    ReplyForm reply,
    Sampling sampling,
    CallContext context) {

  /** A call of the default model for its most likely words. */
  public static InferenceRequest of(
      String callId, Prompt prompt, ReplyForm reply, CallContext context) {
    return new InferenceRequest(
        callId, ModelChoice.DEFAULT, prompt, reply, Sampling.GREEDY, context);
  }

  public InferenceRequest model(ModelChoice choice) {
    return new InferenceRequest(callId, choice, prompt, reply, sampling, context);
  }

  public InferenceRequest prompt(Prompt other) {
    return new InferenceRequest(callId, model, other, reply, sampling, context);
  }

  public InferenceRequest reply(ReplyForm form) {
    return new InferenceRequest(callId, model, prompt, form, sampling, context);
  }

  public InferenceRequest sampling(Sampling other) {
    return new InferenceRequest(callId, model, prompt, reply, other, context);
  }

  public InferenceRequest context(CallContext other) {
    return new InferenceRequest(callId, model, prompt, reply, sampling, other);
  }
}
