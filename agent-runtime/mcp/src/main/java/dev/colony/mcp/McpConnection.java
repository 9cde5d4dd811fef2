package dev.colony.mcp;

import dev.colony.agent.AgentException;
import dev.colony.blackboard.value.Text;
import dev.colony.core.registry.Secrets;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.ListResourceTemplatesResult;
import io.modelcontextprotocol.spec.McpSchema.ListResourcesResult;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A connection to one server: a child process, or a session over HTTP. It is of use until it is
 * closed or {@link #ended}; then another is opened in its place. All methods block, and are ended
 * by an interrupt. Thread-safe.
 */
final class McpConnection {

  /** Longer than any action may take: how long a call may is said by the action's timeout. */
  private static final Duration UNBOUNDED = Duration.ofDays(2);

  /** How long a call waits for its own failure when the server has ended the session. */
  private static final Duration SESSION_END = Duration.ofSeconds(1);

  /** Calls that one connection answers at a time; further ones wait within their time. */
  private static final int MOST_CALLS = 16;

  /** Tools, and prompts, of a server that are offered: the first that it lists. */
  private static final int MOST_LISTED = 256;

  /**
   * What a server has, as it says.
   *
   * @param withTasks the names of tools that are called in no other way than as a task
   */
  record Listed(
      String instructions,
      List<Tool> tools,
      List<Prompt> prompts,
      Set<String> withTasks,
      boolean resources) {}

  /** The connection has been lost in the middle of something. */
  static final class LostException extends Exception {

    private static final long serialVersionUID = 1L;
    private final boolean sent;
    private final boolean sessionOver;

    LostException(String message, Throwable cause, boolean sent) {
      this(message, cause, sent, false);
    }

    private LostException(String message, Throwable cause, boolean sent, boolean sessionOver) {
      super(message, cause);
      this.sent = sent;
      this.sessionOver = sessionOver;
    }

    /** Whether the server only wants another session: it has not looked at what was asked. */
    boolean sessionOver() {
      return sessionOver;
    }

    /** Whether the server may have got what was asked. */
    boolean sent() {
      return sent;
    }
  }

  /**
   * The server has ended the session.
   *
   * @param single whether only one call was under way, which is then the one that found it
   */
  private record SessionOver(Throwable failure, boolean single) {}

  private final String name;
  private final McpSettings settings;
  private final Secrets secrets;
  private final MessageTap tap;
  private final McpAsyncClient client;
  private final Runnable stop;
  private final CompletableFuture<String> ended;
  private final Semaphore places;
  private final AtomicLong tokens = new AtomicLong();
  private final AtomicInteger asked = new AtomicInteger();
  private final CompletableFuture<SessionOver> sessionOver = new CompletableFuture<>();
  private Optional<Listed> listed = Optional.empty();
  private int listedAt;

  private McpConnection(
      String name, McpSettings.Server spec, McpSettings settings, Secrets secrets) {
    this.name = name;
    this.settings = settings;
    this.secrets = secrets;
    this.places = new Semaphore(MOST_CALLS, true);
    McpClientTransport transport;
    if (spec.url().isPresent()) {
      transport = http(URI.create(spec.url().get()), secrets.resolve(spec.headers()), settings);
      ended = new CompletableFuture<>();
      stop = () -> {};
    } else {
      StdioTransport child =
          new StdioTransport(
              name, spec.command(), secrets.resolve(spec.environment()), secrets::redact, settings);
      transport = child;
      ended = child.ended();
      stop = child::stop;
    }
    tap =
        new MessageTap(
            transport, failure -> sessionOver.complete(new SessionOver(failure, asked.get() == 1)));
    String version = McpConnection.class.getPackage().getImplementationVersion();
    client =
        McpClient.async(tap)
            .clientInfo(Implementation.builder("colony", version == null ? "dev" : version).build())
            .requestTimeout(UNBOUNDED)
            .initializationTimeout(settings.startTimeout())
            .jsonSchemaValidator(ProtocolJson.INSTANCE)
            .build();
  }

  private static McpClientTransport http(
      URI url, Map<String, String> headers, McpSettings settings) {
    String path = url.getRawPath() == null || url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return HttpClientStreamableHttpTransport.builder(
            url.getScheme() + "://" + url.getRawAuthority())
        .endpoint(url.getRawQuery() == null ? path : path + "?" + url.getRawQuery())
        .jsonMapper(ProtocolJson.INSTANCE)
        // Only what asks for no answer has a time limit of its own.
        .clientBuilder(OptionalAnswers.builder(request -> request.timeout().isPresent()))
        .connectTimeout(settings.startTimeout())
        .maxResponseSize(settings.maxMessage())
        .addHttpRequestCustomizer((request, method, uri, body, context) -> {
          headers.forEach(request::setHeader);
          if (body != null && !ProtocolJson.request(body)) {
            request.timeout(settings.startTimeout());
          }
        })
        .build();
  }

  /**
   * Opens a connection and shakes hands.
   *
   * @throws AgentException that says why it cannot; retryable
   * @throws InterruptedException after which nothing is left behind
   */
  static McpConnection open(
      String name, McpSettings.Server spec, McpSettings settings, Secrets secrets)
      throws InterruptedException {
    McpConnection connection;
    try {
      connection = new McpConnection(name, spec, settings, secrets);
    } catch (IllegalStateException unresolved) {
      throw unavailable(name, unresolved.getMessage(), unresolved);
    }
    boolean opened = false;
    try {
      connection.ask(connection.client.initialize(), settings.startTimeout());
      opened = true;
      return connection;
    } catch (LostException | AgentException failure) {
      throw unavailable(name, failure.getMessage(), failure);
    } catch (TimeoutException late) {
      throw unavailable(
          name, "it has not answered within " + settings.startTimeout().toMillis() + " ms", late);
    } finally {
      if (!opened) {
        connection.close();
      }
    }
  }

  static AgentException unavailable(String name, String why, Throwable cause) {
    return new AgentException("the MCP server " + name + " is not available: " + why, cause, true);
  }

  boolean ended() {
    return ended.isDone();
  }

  /** What the server has; asked for again when the server says that it has changed. */
  synchronized Listed listed() throws InterruptedException {
    int now = tap.changes();
    if (listed.isEmpty() || listedAt != now) {
      try {
        listed = Optional.of(list());
        listedAt = now;
      } catch (LostException failure) {
        throw unavailable(name, failure.getMessage(), failure);
      } catch (TimeoutException late) {
        throw unavailable(name, "it does not say what it has", late);
      }
    }
    return listed.get();
  }

  private Listed list() throws InterruptedException, LostException, TimeoutException {
    McpSchema.ServerCapabilities has = client.getServerCapabilities();
    List<Tool> tools =
        has.tools() == null
            ? List.of()
            : pages(
                cursor -> client.listTools(cursor),
                McpSchema.ListToolsResult::tools,
                McpSchema.ListToolsResult::nextCursor);
    String instructions = client.getServerInstructions();
    return new Listed(
        instructions == null ? "" : instructions,
        tools,
        has.prompts() == null ? List.of() : prompts(),
        tap.withTasks(),
        has.resources() != null);
  }

  /** Those that the server lists; a server that lists none is of use by its tools. */
  private List<Prompt> prompts() throws InterruptedException, LostException, TimeoutException {
    try {
      return pages(
          cursor -> client.listPrompts(cursor),
          McpSchema.ListPromptsResult::prompts,
          McpSchema.ListPromptsResult::nextCursor);
    } catch (AgentException refused) {
      return List.of();
    }
  }

  private <P, T> List<T> pages(
      Function<String, Mono<P>> page, Function<P, List<T>> items, Function<P, String> next)
      throws InterruptedException, LostException, TimeoutException {
    List<T> all = new ArrayList<>();
    String cursor = null;
    do {
      P one = ask(page.apply(cursor), settings.startTimeout());
      all.addAll(items.apply(one));
      cursor = next.apply(one);
    } while (cursor != null && all.size() < MOST_LISTED);
    return all.size() <= MOST_LISTED ? all : List.copyOf(all.subList(0, MOST_LISTED));
  }

  /**
   * Calls a tool. An interrupt is told to the server.
   *
   * @param meta said beside the arguments
   * @param progress is given what the server says of how far it has come
   * @throws AgentException if the server refuses
   */
  CallToolResult call(
      String tool,
      Map<String, Object> arguments,
      Map<String, Object> meta,
      Consumer<JSONRPCNotification> progress)
      throws InterruptedException, LostException {
    String token = "colony-" + tokens.incrementAndGet();
    tap.begin(token, progress);
    boolean over = false;
    try {
      CallToolResult result =
          placed(
              client.callTool(
                  CallToolRequest.builder(tool)
                      .arguments(arguments)
                      .meta(new HashMap<>(meta))
                      .progressToken(token)
                      .build()));
      over = true;
      return result;
    } catch (LostException | AgentException failure) {
      over = true;
      throw failure;
    } finally {
      if (!over) {
        tap.cancel(token);
      }
      tap.end(token);
    }
  }

  GetPromptResult prompt(String prompt, Map<String, Object> arguments)
      throws InterruptedException, LostException {
    return placed(client.getPrompt(GetPromptRequest.builder(prompt).arguments(arguments).build()));
  }

  ReadResourceResult resource(String uri) throws InterruptedException, LostException {
    return placed(client.readResource(ReadResourceRequest.builder(uri).build()));
  }

  ListResourcesResult resources(Optional<String> cursor)
      throws InterruptedException, LostException {
    return placed(client.listResources(cursor.orElse(null)));
  }

  /** Empty where the server lists none. */
  Optional<ListResourceTemplatesResult> templates() throws InterruptedException, LostException {
    try {
      return Optional.of(placed(client.listResourceTemplates((String) null)));
    } catch (AgentException refused) {
      return Optional.empty();
    }
  }

  private <T> T placed(Mono<T> call) throws InterruptedException, LostException {
    places.acquire();
    try {
      return ask(call, UNBOUNDED);
    } catch (TimeoutException never) {
      throw new IllegalStateException(never);
    } finally {
      places.release();
    }
  }

  private <T> T ask(Mono<T> call, Duration within)
      throws InterruptedException, LostException, TimeoutException {
    asked.incrementAndGet();
    CompletableFuture<T> answer = call.toFuture();
    try {
      CompletableFuture.anyOf(answer, ended, sessionOver)
          .get(within.toMillis(), TimeUnit.MILLISECONDS);
      if (sessionOver.isDone() && !answer.isDone()) {
        return withoutSession(answer);
      }
      // Where both are there, the answer counts.
      if (answer.isDone()) {
        return answer.get();
      }
      throw new LostException(ended.join(), null, true);
    } catch (ExecutionException failure) {
      throw lost(failure.getCause());
    } finally {
      answer.cancel(true);
      asked.decrementAndGet();
    }
  }

  /**
   * What has become of a call whose session the server has ended. The SDK closes all exchanges of
   * such a session, and then may lose the failure of the call that found it: a call that hears
   * nothing was this one if it was the only one, and may have been looked at otherwise.
   */
  private <T> T withoutSession(CompletableFuture<T> answer)
      throws InterruptedException, ExecutionException, LostException {
    try {
      return answer.get(SESSION_END.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException silent) {
      if (sessionOver.join().single()) {
        throw lost(sessionOver.join().failure());
      }
      ended.complete("it has ended the session");
      throw new LostException(ended.join(), silent, true);
    }
  }

  /** What the server refuses is thrown; anything else means that the connection is of no use. */
  private LostException lost(Throwable failure) {
    for (Throwable at = failure; at != null; at = at.getCause()) {
      if (at instanceof McpError refused && refused.getJsonRpcError() != null) {
        throw AgentException.refused(
            secrets.redact(Text.message(refused.getJsonRpcError().message())));
      }
    }
    boolean reached = true;
    boolean sessionOver = false;
    Throwable root = failure;
    for (Throwable at = failure; at != null; at = at.getCause()) {
      reached &= !(at instanceof ConnectException);
      sessionOver |= at instanceof McpTransportSessionNotFoundException;
      root = at;
    }
    String why = reached ? secrets.redact(Text.message(root)) : "it cannot be reached";
    ended.complete(sessionOver ? "it has ended the session" : why);
    return new LostException(ended.join(), failure, reached && !sessionOver, sessionOver);
  }

  void close() {
    ended.complete("it is closed");
    client.closeGracefully().subscribe(closed -> {}, failure -> {});
    Thread.ofVirtual().name("mcp-stop").start(stop);
  }

  /** Ends the connection and waits for it. */
  void closeAndWait() {
    ended.complete("it is closed");
    client.closeGracefully().subscribe(closed -> {}, failure -> {});
    stop.run();
  }
}
