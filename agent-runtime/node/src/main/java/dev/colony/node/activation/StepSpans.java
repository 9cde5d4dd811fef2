package dev.colony.node.activation;

import dev.colony.agent.AgentException;
import dev.colony.agent.AgentId;
import dev.colony.agent.RunRequest;
import dev.colony.agent.TraceParent;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.author.ActionPolicyIterationResult;
import dev.colony.blackboard.clock.Stopwatch;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.ModelChoice;
import dev.colony.node.SpanListener;
import dev.colony.node.SpanListener.Span;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The spans of one execution of a step: the step, and below it its model calls and actions. Their
 * ids follow from the step's name. Thread-safe.
 */
final class StepSpans {

  private final SpanListener listener;
  private final InstantSource clock;
  private final Map<String, Object> common;
  private final String step;
  private final OpenSpan plan;

  private StepSpans(
      SpanListener listener,
      InstantSource clock,
      Map<String, Object> common,
      TraceParent run,
      String step,
      int number) {
    this.listener = listener;
    this.clock = clock;
    this.common = common;
    this.step = step;
    this.plan =
        new OpenSpan(
            run.span("step " + step), run, "plan", "", Map.of("colony.step", (long) number));
  }

  /**
   * @param listener of the node
   * @param step its name
   * @param number the step's in its run, from 0
   * @return empty where the trace is not to be kept
   */
  static Optional<StepSpans> of(
      SpanListener listener,
      InstantSource clock,
      AgentId agent,
      RunRequest request,
      String step,
      int number) {
    return Optional.of(TraceParent.of(agent, request.context()))
        .filter(TraceParent::sampled)
        .map(run -> new StepSpans(listener, clock, Span.of(agent, request), run, step, number));
  }

  OpenSpan plan() {
    return plan;
  }

  void end(ActionPolicyIterationResult result) {
    plan.end(Map.of(), result.error().map(error -> error.kind()));
  }

  OpenSpan action(Action action) {
    return new OpenSpan(
        plan.self.span("action " + step + "/" + action.actionId()),
        plan.self,
        "execute_tool",
        action.key(),
        Map.of("gen_ai.tool.name", action.key(), "gen_ai.tool.call.id", action.actionId()));
  }

  OpenSpan chat(String callId, OpenSpan within, ModelChoice model) {
    Optional<String> named =
        model instanceof ModelChoice.Named one ? Optional.of(one.model()) : Optional.empty();
    return new OpenSpan(
        plan.self.span("call " + callId),
        within.self,
        "chat",
        named.orElse(""),
        named
            .<Map<String, Object>>map(name -> Map.of("gen_ai.request.model", name))
            .orElse(Map.of()));
  }

  /** What is under way. */
  final class OpenSpan {

    private final TraceParent self;
    private final TraceParent parent;
    private final String operation;
    private final String subject;
    private final Map<String, Object> attributes;
    private final Instant begun = clock.instant();
    private final Stopwatch took = Stopwatch.start();

    private OpenSpan(
        TraceParent self,
        TraceParent parent,
        String operation,
        String subject,
        Map<String, Object> attributes) {
      this.self = self;
      this.parent = parent;
      this.operation = operation;
      this.subject = subject;
      this.attributes = attributes;
    }

    TraceParent self() {
      return self;
    }

    void end(ActionResult result) {
      Optional<String> error =
          switch (result.status()) {
            case SUCCEEDED, BLOCKED -> Optional.empty();
            case FAILED, REFUSED, TIMED_OUT, CANCELLED, INTERRUPTED ->
                Optional.of(lower(result.status()));
          };
      end(Map.of(), error);
    }

    void end(InferenceReply reply) {
      Map<String, Object> more = new HashMap<>();
      more.put("gen_ai.usage.input_tokens", reply.usage().promptTokens());
      more.put("gen_ai.usage.output_tokens", reply.usage().completionTokens());
      more.put("gen_ai.usage.cache_read.input_tokens", reply.usage().cachedTokens());
      more.put("gen_ai.response.finish_reasons", List.of(lower(reply.finish())));
      more.put("colony.replica", reply.replica());
      if (!reply.model().isEmpty()) {
        more.put("gen_ai.response.model", reply.model());
      }
      end(more, Optional.empty());
    }

    void failed(AgentException failure) {
      end(
          Map.of(),
          Optional.of(
              failure.getCause() instanceof InferenceException call
                  ? lower(call.kind())
                  : "agent"));
    }

    private void end(Map<String, Object> more, Optional<String> error) {
      Map<String, Object> all = new HashMap<>(common);
      all.putAll(attributes);
      all.putAll(more);
      listener.ended(
          new Span(
              self,
              Optional.of(parent.spanId()),
              operation,
              subject.isEmpty() ? (String) all.getOrDefault("gen_ai.response.model", "") : subject,
              begun,
              begun.plus(took.elapsed()),
              all,
              error));
    }

    private static String lower(Enum<?> value) {
      return value.name().toLowerCase(Locale.ROOT);
    }
  }
}
