package dev.colony.server.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunOptions;
import dev.colony.agent.RunProgress;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.RunHandle;
import dev.colony.client.wire.Problem;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceReply;
import dev.colony.server.http.ReplyForms.ReplyEvents;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.reactivestreams.FlowAdapters;

/**
 * Agents that are asked as if they were models: what the user says last is a run's input, and the
 * run's output is the reply. The run goes on where its client goes: it is asked for again under the
 * same {@code Idempotency-Key}, and cancelled by the API of runs.
 */
record AgentReplies(Colony colony, Duration deadline) {

  /** Of runs whose request names none. */
  static final String NAMESPACE = "openai";

  private static final Map<String, String> ONCE = Map.of("x-should-retry", "false");

  ApiResponse answer(Call call, CompletionCall asked, AgentId agent, String id, ReplyForms forms) {
    RunHandle run = ask(agent, words(asked), options(call, asked));
    return asked.stream()
        ? streamed(run, asked.model(), id, forms.events())
        : whole(run, id, forms);
  }

  static String words(CompletionCall asked) {
    return asked
        .lastWords()
        .orElseThrow(
            () -> OpenAiError.invalid("messages", "an agent is asked what the user says last"));
  }

  RunOptions options(Call call, CompletionCall asked) {
    RunOptions options =
        RunOptions.namespace(asked.colony().namespace().orElse(NAMESPACE))
            .requestedBy(call.who(Optional.empty()))
            .giveUp(Duration.ZERO)
            .traceparent(call.traceparent())
            .timeout(deadline);
    Optional<SessionId> session = asked.colony().session().map(SessionId::new);
    RunOptions within = session.map(options::session).orElse(options);
    return call.header("idempotency-key").map(within::idempotencyKey).orElse(within);
  }

  /**
   * Asks for a run, and waits until it is stored. What is refused stays so, though OpenAI's clients
   * repeat calls after a conflict.
   */
  RunHandle ask(AgentId agent, String words, RunOptions options) {
    if (ApiSources.join(colony.agent(agent).state()).isEmpty()) {
      throw OpenAiError.notFound("model_not_found", "model", "there is no agent " + agent);
    }
    RunHandle run = colony.agent(agent).run(JsonNodeFactory.instance.textNode(words), options);
    try {
      ApiSources.join(run.stored());
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException refused && !refused.retryable()) {
        Problem told = Problem.of(refused);
        throw OpenAiError.of(told.status(), told.code(), told.detail(), ONCE);
      }
      throw failure;
    }
    return run;
  }

  static ApiResponse whole(RunHandle run, String id, ReplyForms forms) {
    // A future of its own: a client that goes leaves the run's.
    CompletableFuture<InferenceReply> reply = run.result().thenApply(end -> reply(end, id));
    return new ApiResponse.Whole<>(reply, forms::whole, forms::failed, headers(run, id));
  }

  /** What events of the run were trimmed away is no part of the reply. */
  static ApiResponse streamed(RunHandle run, String model, String id, ReplyEvents events) {
    events.of(new InferenceDelta.Asked("", model));
    List<byte[]> begun = events.begun();
    Source<Optional<RunProgress>, NotUsed> progress =
        Source.fromPublisher(FlowAdapters.toPublisher(run.retained())).map(Optional::of);
    return new ApiResponse.Parts<Optional<RunProgress>>(
        begun.isEmpty() ? progress : Source.single(Optional.<RunProgress>empty()).concat(progress),
        one ->
            one.isEmpty()
                ? begun
                : one.flatMap(RunProgress::end)
                    .map(end -> events.of(new InferenceDelta.Done(reply(end, id))))
                    .orElse(List.of()),
        events::failed,
        headers(run, id));
  }

  private static Map<String, String> headers(RunHandle run, String id) {
    return Map.of("x-request-id", id, "x-colony-run", run.runId().value());
  }

  /**
   * The reply that a run's end is.
   *
   * @throws OpenAiError if it did not complete
   */
  static InferenceReply reply(AgentRun end, String id) {
    if (end.status() != AgentRun.Status.COMPLETED) {
      throw OpenAiError.of(
          502,
          "run-" + end.status().name().toLowerCase(Locale.ROOT),
          end.error().orElse("the run has no output"),
          ONCE);
    }
    return InferenceReply.text(id, text(end), end.stats().usage(), "", false);
  }

  static String text(AgentRun end) {
    return end.output().isTextual() ? end.output().textValue() : end.output().toString();
  }
}
