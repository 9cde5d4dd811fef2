package dev.colony.server.mcp;

import dev.colony.agent.AgentRun;
import dev.colony.agent.RunProgress;
import dev.colony.agent.client.RunHandle;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.pekko.NotUsed;
import org.apache.pekko.japi.pf.PFBuilder;
import org.apache.pekko.stream.javadsl.Source;
import org.reactivestreams.FlowAdapters;

/**
 * A run as the messages of the call that asked for it: its events as notifications of progress,
 * where the caller gave a token for them, and its end as the response. Where it does not end in
 * time the response is another, and the run goes on.
 *
 * @param id of the request
 * @param token of the caller's, for progress
 * @param forms what the response says
 */
record RunMessages(
    RunHandle run, Object id, Optional<Object> token, Duration longestWait, Forms forms) {

  /** Characters of an event's data that are told with its name; longer data is left out. */
  private static final int LONGEST_DATA = 500;

  /**
   * What the response says.
   *
   * @param late where the run has not ended in time
   * @param said set when there is a response
   */
  record Forms(
      Function<AgentRun, CallToolResult> ended,
      CallToolResult late,
      Function<Throwable, CallToolResult> failed,
      AtomicBoolean said) {}

  /** To be run once. */
  Source<JSONRPCMessage, NotUsed> source() {
    AtomicBoolean ended = forms.said();
    AtomicInteger told = new AtomicInteger();
    return Source.fromPublisher(FlowAdapters.toPublisher(run.retained()))
        .<JSONRPCMessage>mapConcat(event -> {
          if (event.end().isPresent()) {
            ended.set(true);
            return List.of(response(forms.ended().apply(event.end().get())));
          }
          return token.map(one -> progress(one, told.incrementAndGet(), event)).stream().toList();
        })
        .takeWhile(message -> !ended.get(), true)
        .takeWithin(longestWait)
        .recover(
            new PFBuilder<Throwable, JSONRPCMessage>()
                .match(
                    Throwable.class,
                    failure -> {
                      ended.set(true);
                      return response(forms.failed().apply(failure));
                    })
                .build())
        .concatLazy(
            Source.lazySource(() ->
                ended.getAndSet(true)
                    ? Source.<JSONRPCMessage>empty()
                    : Source.single(response(forms.late()))));
  }

  private JSONRPCMessage response(CallToolResult result) {
    return JSONRPCResponse.result(id, result);
  }

  private static JSONRPCMessage progress(Object token, int number, RunProgress event) {
    String data = event.data().isValueNode() ? event.data().asText() : event.data().toString();
    return new JSONRPCNotification(
        McpSchema.METHOD_NOTIFICATION_PROGRESS,
        new ProgressNotification(
            token,
            (double) number,
            null,
            data.isEmpty() || data.length() > LONGEST_DATA
                ? event.name()
                : event.name() + ": " + data,
            null));
  }
}
