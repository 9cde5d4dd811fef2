package dev.colony.mcp;

import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A transport that also sees what the SDK's client keeps to itself: which request a call has
 * become, so that it can be cancelled, the progress of a call, which tools have to be called as
 * tasks, and that lists have changed, which the client would answer by reading them at once.
 * Thread-safe.
 */
final class MessageTap implements McpClientTransport {

  private static final Logger LOG = LoggerFactory.getLogger(MessageTap.class);

  private static final String CANCELLED = "notifications/cancelled";
  private static final Set<String> CHANGES =
      Set.of(
          McpSchema.METHOD_NOTIFICATION_TOOLS_LIST_CHANGED,
          McpSchema.METHOD_NOTIFICATION_PROMPTS_LIST_CHANGED);

  private static final class Call {

    private final Consumer<JSONRPCNotification> progress;
    private volatile Optional<Object> requestId = Optional.empty();

    Call(Consumer<JSONRPCNotification> progress) {
      this.progress = progress;
    }
  }

  private final McpClientTransport transport;
  private final Consumer<Throwable> sessionOver;
  private final Map<String, Call> calls = new ConcurrentHashMap<>();
  private final AtomicInteger changes = new AtomicInteger();
  private final Set<String> withTasks = ConcurrentHashMap.newKeySet();

  /**
   * @param sessionOver is told when the server has ended the session
   */
  MessageTap(McpClientTransport transport, Consumer<Throwable> sessionOver) {
    this.transport = transport;
    this.sessionOver = sessionOver;
  }

  /** How often the server has said that what it lists has changed. */
  int changes() {
    return changes.get();
  }

  /** The tools, of those listed last, that the server calls as tasks only. */
  Set<String> withTasks() {
    return Set.copyOf(withTasks);
  }

  /**
   * A call begins.
   *
   * @param token its progress token
   * @param progress is given the notifications
   */
  void begin(String token, Consumer<JSONRPCNotification> progress) {
    calls.put(token, new Call(progress));
  }

  void end(String token) {
    calls.remove(token);
  }

  /** Tells the server that the answer is not wanted any more, if it was asked. */
  void cancel(String token) {
    Optional.ofNullable(calls.get(token))
        .flatMap(call -> call.requestId)
        .ifPresent(id ->
            transport
                .sendMessage(
                    new JSONRPCNotification(
                        CANCELLED, Map.of("requestId", id, "reason", "the caller has left")))
                .subscribe(
                    sent -> {}, failure -> LOG.debug("a cancellation was not sent", failure)));
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return transport.connect(messages ->
        messages.flatMap(message -> taken(message) ? Mono.empty() : handler.apply(messages)));
  }

  private boolean taken(JSONRPCMessage message) {
    if (!(message instanceof JSONRPCNotification notification)) {
      return false;
    }
    if (CHANGES.contains(notification.method())) {
      changes.incrementAndGet();
      return true;
    }
    if (!notification.method().equals(McpSchema.METHOD_NOTIFICATION_PROGRESS)) {
      return false;
    }
    if (notification.params() instanceof Map<?, ?> params
        && params.get("progressToken") instanceof String token) {
      Call call = calls.get(token);
      if (call != null) {
        call.progress.accept(notification);
      }
    }
    return true;
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    if (message instanceof JSONRPCRequest request
        && request.params() instanceof CallToolRequest params
        && params.meta() != null
        && params.meta().get("progressToken") instanceof String token) {
      Call call = calls.get(token);
      if (call != null) {
        call.requestId = Optional.of(request.id());
      }
    }
    return transport.sendMessage(message);
  }

  /** The client would begin another session by itself, and repeat what was asked in this one. */
  @Override
  public void setExceptionHandler(Consumer<Throwable> handler) {
    transport.setExceptionHandler(failure -> {
      if (failure instanceof McpTransportSessionNotFoundException) {
        sessionOver.accept(failure);
      } else {
        handler.accept(failure);
      }
    });
  }

  @Override
  public List<String> protocolVersions() {
    return transport.protocolVersions();
  }

  @Override
  public Mono<Void> closeGracefully() {
    return transport.closeGracefully();
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    if (type.getType() == McpSchema.ListToolsResult.class) {
      ProtocolJson.tree(data)
          .path("tools")
          .forEach(tool -> {
            String name = tool.path("name").asText();
            if (tool.at("/execution/taskSupport").asText().equals("required")) {
              withTasks.add(name);
            } else {
              withTasks.remove(name);
            }
          });
    }
    return transport.unmarshalFrom(data, type);
  }
}
