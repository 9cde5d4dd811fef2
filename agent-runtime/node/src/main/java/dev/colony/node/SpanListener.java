package dev.colony.node;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunRequest;
import dev.colony.agent.SessionId;
import dev.colony.agent.TraceParent;
import java.time.Instant;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Is told the spans of a node's runs as they end, those that are to be kept; a node that traces
 * offers it among its {@link NodePorts}. Called on agents' own threads, so it must not block. What
 * is done again after a crash may be told twice, under the same ids. Thread-safe.
 */
@FunctionalInterface
public interface SpanListener {

  void ended(Span span);

  /**
   * Something that a run has done.
   *
   * @param parent the id of the span that it is part of; empty for the first of a trace
   * @param operation by OpenTelemetry's names for generative AI: {@code invoke_agent}, {@code
   *     plan}, {@code chat} or {@code execute_tool}
   * @param subject what the operation is about: an agent, a model or a tool; empty for none
   * @param attributes texts, whole numbers and lists of texts, by OpenTelemetry's names; no words
   *     of a prompt, of a reply or of an action's parameters
   * @param error what kind of error it ended with; empty where it did as it should
   */
  record Span(
      TraceParent self,
      Optional<String> parent,
      String operation,
      String subject,
      Instant begun,
      Instant ended,
      Map<String, Object> attributes,
      Optional<String> error) {

    public Span {
      Map<String, Object> all = new HashMap<>(attributes);
      all.put("gen_ai.operation.name", operation);
      error.ifPresent(kind -> all.put("error.type", kind));
      attributes = Map.copyOf(all);
    }

    /** {@code chat gpt-5-mini}. */
    public String name() {
      return subject.isEmpty() ? operation : operation + " " + subject;
    }

    /** A whole run: told when its result has been published, by whichever node has done so. */
    public static Span run(
        AgentId agent, RunRequest request, AgentRun run, Instant accepted, Instant ended) {
      Map<String, Object> attributes = new HashMap<>(of(agent, request));
      attributes.put("gen_ai.usage.input_tokens", run.stats().usage().promptTokens());
      attributes.put("gen_ai.usage.output_tokens", run.stats().usage().completionTokens());
      attributes.put("colony.steps", (long) run.stats().steps());
      return new Span(
          TraceParent.of(agent, request.context()),
          request.context().traceparent().map(TraceParent::spanId),
          "invoke_agent",
          agent.name(),
          accepted,
          ended,
          attributes,
          run.status() == AgentRun.Status.COMPLETED
              ? Optional.empty()
              : Optional.of(run.status().name().toLowerCase(Locale.ROOT)));
    }

    /** What the spans of a run have in common. */
    public static Map<String, Object> of(AgentId agent, RunRequest request) {
      Map<String, Object> attributes = new HashMap<>();
      attributes.put("gen_ai.provider.name", "colony");
      attributes.put("gen_ai.agent.id", agent.toString());
      attributes.put("gen_ai.agent.name", agent.name());
      attributes.put("colony.run", request.runId().value());
      request
          .context()
          .session()
          .map(SessionId::value)
          .ifPresent(id -> attributes.put("gen_ai.conversation.id", id));
      return Map.copyOf(attributes);
    }
  }
}
