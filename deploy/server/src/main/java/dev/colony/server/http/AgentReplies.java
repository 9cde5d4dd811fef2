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
import dev.colony.server.openai.CompletionCall;
import dev.colony.server.openai.OpenAiError;
import dev.colony.server.openai.ReplyEvents;
import dev.colony.server.openai.ReplyForms;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

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
    RunHandle run = run(call, asked, agent);
    stored(run);
    Map<String, String> headers = Map.of("x-request-id", id, "x-colony-run", run.runId().value());
    if (asked.stream()) {
      ReplyEvents events = forms.events();
      List<byte[]> begun = events.of(new InferenceDelta.Asked("", asked.model()));
      return new ApiResponse.Parts<RunProgress>(
          run.events(),
          progress -> {
            List<byte[]> all = new ArrayList<>(begun);
            progress
                .end()
                .map(end -> new InferenceDelta.Done(reply(end, id)))
                .ifPresent(done -> all.addAll(events.of(done)));
            return all;
          },
          events::failed,
          headers);
    }
    // A future of its own: a client that goes leaves the run's.
    CompletableFuture<InferenceReply> reply = run.result().thenApply(end -> reply(end, id));
    return new ApiResponse.Whole<>(reply, forms::whole, headers);
  }

  /** What is refused stays so, though OpenAI's clients repeat calls after a conflict. */
  private static void stored(RunHandle run) {
    try {
      ApiSources.join(run.stored());
    } catch (CompletionException failure) {
      if (failure.getCause() instanceof AgentException refused && !refused.retryable()) {
        Problem told = Problem.of(refused);
        throw OpenAiError.of(told.status(), told.code(), told.detail(), ONCE);
      }
      throw failure;
    }
  }

  private RunHandle run(Call call, CompletionCall asked, AgentId agent) {
    if (ApiSources.join(colony.agent(agent).state()).isEmpty()) {
      throw OpenAiError.notFound("model_not_found", "model", "there is no agent " + agent);
    }
    String words =
        asked
            .lastWords()
            .orElseThrow(
                () -> OpenAiError.invalid("messages", "an agent is asked what the user says last"));
    RunOptions options =
        Call.checked(() -> RunOptions.namespace(asked.colony().namespace().orElse(NAMESPACE)))
            .requestedBy(call.who(Optional.empty()))
            .giveUp(Duration.ZERO)
            .timeout(deadline);
    Optional<SessionId> session =
        asked.colony().session().map(name -> Call.checked(() -> new SessionId(name)));
    RunOptions within = session.map(options::session).orElse(options);
    RunOptions named =
        call.header("idempotency-key")
            .map(key -> Call.checked(() -> within.idempotencyKey(key)))
            .orElse(within);
    return Call.checked(
        () -> colony.agent(agent).run(JsonNodeFactory.instance.textNode(words), named));
  }

  private static InferenceReply reply(AgentRun end, String id) {
    if (end.status() != AgentRun.Status.COMPLETED) {
      throw OpenAiError.of(
          502,
          "run-" + end.status().name().toLowerCase(java.util.Locale.ROOT),
          end.error().orElse("the run has no output"),
          ONCE);
    }
    String text = end.output().isTextual() ? end.output().textValue() : end.output().toString();
    return InferenceReply.text(id, text, end.stats().usage(), "", false);
  }
}
