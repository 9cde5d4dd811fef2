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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A run as the messages of the call that asked for it: its events as notifications of progress,
 * where the caller gave a token for them, and its end as the response. Where it does not end in
 * time the response is another, and the run goes on. Demand is honoured: nothing is kept for a slow
 * reader but the response.
 *
 * @param id of the request
 * @param token of the caller's, for progress
 * @param forms what the response says
 */
record RunMessages(
    RunHandle run, Object id, Optional<Object> token, Duration longestWait, Forms forms)
    implements Flow.Publisher<JSONRPCMessage> {

  /** Characters of an event's data that are told with its name; longer data is left out. */
  private static final int LONGEST_DATA = 500;

  /**
   * What the response says.
   *
   * @param late where the run has not ended in time
   */
  record Forms(
      Function<AgentRun, CallToolResult> ended,
      CallToolResult late,
      Function<Throwable, CallToolResult> failed) {}

  @Override
  public void subscribe(Flow.Subscriber<? super JSONRPCMessage> reader) {
    Relay relay = new Relay(reader);
    reader.onSubscribe(relay);
    run.retained().subscribe(relay);
    CompletableFuture.delayedExecutor(longestWait.toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> relay.respond(forms.late()));
  }

  private final class Relay implements Flow.Subscriber<RunProgress>, Flow.Subscription {

    private final Flow.Subscriber<? super JSONRPCMessage> reader;
    private Optional<Flow.Subscription> events = Optional.empty();
    private Optional<JSONRPCMessage> response = Optional.empty();
    private long wanted;
    private int told;
    private boolean over;

    Relay(Flow.Subscriber<? super JSONRPCMessage> reader) {
      this.reader = reader;
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription subscription) {
      if (over) {
        subscription.cancel();
        return;
      }
      events = Optional.of(subscription);
      if (wanted > 0) {
        subscription.request(wanted);
      }
    }

    @Override
    public synchronized void request(long more) {
      wanted = wanted + more < 0 ? Long.MAX_VALUE : wanted + more;
      if (response.isPresent()) {
        deliver();
      } else {
        events.ifPresent(one -> one.request(more));
      }
    }

    @Override
    public synchronized void cancel() {
      over = true;
      events.ifPresent(Flow.Subscription::cancel);
    }

    @Override
    public synchronized void onNext(RunProgress event) {
      if (over || response.isPresent()) {
        return;
      }
      if (event.end().isPresent()) {
        respond(forms.ended().apply(event.end().get()));
      } else if (token.isPresent()) {
        wanted--;
        told++;
        reader.onNext(progress(event));
      } else {
        events.orElseThrow().request(1);
      }
    }

    @Override
    public void onError(Throwable failure) {
      respond(forms.failed().apply(failure));
    }

    @Override
    public void onComplete() {}

    /** Only the first counts. */
    synchronized void respond(CallToolResult result) {
      if (over || response.isPresent()) {
        return;
      }
      response = Optional.of(JSONRPCResponse.result(id, result));
      events.ifPresent(Flow.Subscription::cancel);
      deliver();
    }

    private void deliver() {
      if (wanted > 0 && !over) {
        over = true;
        reader.onNext(response.orElseThrow());
        reader.onComplete();
      }
    }

    private JSONRPCMessage progress(RunProgress event) {
      String data = event.data().isValueNode() ? event.data().asText() : event.data().toString();
      return new JSONRPCNotification(
          McpSchema.METHOD_NOTIFICATION_PROGRESS,
          new ProgressNotification(
              token.orElseThrow(),
              (double) told,
              null,
              data.isEmpty() || data.length() > LONGEST_DATA
                  ? event.name()
                  : event.name() + ": " + data,
              null));
    }
  }
}
