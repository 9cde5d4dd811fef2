package dev.colony.mcp;

import dev.colony.blackboard.value.Text;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * A child process that speaks the protocol on its standard input and output, a line each message.
 * The SDK's own transport hands the node's whole environment to the child, does not tell when it
 * dies, leaves its children behind and waits for one that does not end; this one does none of that.
 * Three platform threads a process: reads of pipes cannot be interrupted.
 */
final class StdioTransport implements McpClientTransport {

  private static final Logger LOG = LoggerFactory.getLogger(StdioTransport.class);

  /** What a program needs to run at all; everything else of the node's environment is its own. */
  private static final List<String> INHERITED = List.of("PATH", "HOME", "USER", "LANG", "TMPDIR");

  /** How long a process may take to end when its input is closed, and again when it is told to. */
  static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);

  private static final int ERROR_LINES = 5;
  private static final int ERROR_CHARS = 300;
  private static final byte[] END = new byte[0];

  private final String name;
  private final List<String> command;
  private final Map<String, String> environment;
  private final UnaryOperator<String> redact;
  private final int maxMessageBytes;

  private final CompletableFuture<String> ended = new CompletableFuture<>();

  /** Bounded by the calls that a connection answers at a time, of which each sends one message. */
  private final BlockingQueue<byte[]> outgoing = new LinkedBlockingQueue<>();

  private final Deque<String> errors = new ArrayDeque<>();
  private volatile Optional<Process> process = Optional.empty();

  /**
   * @param environment besides what every child inherits
   * @param redact takes secrets out of what the process says
   */
  StdioTransport(
      String name,
      List<String> command,
      Map<String, String> environment,
      UnaryOperator<String> redact,
      McpSettings settings) {
    this.name = name;
    this.command = command;
    this.environment = environment;
    this.redact = redact;
    this.maxMessageBytes = settings.maxMessage();
  }

  /** Completed with the reason when the process has ended or is of no more use. */
  CompletableFuture<String> ended() {
    return ended;
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    return Mono.fromRunnable(() -> start(handler));
  }

  private void start(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> given = builder.environment();
    given.keySet().retainAll(INHERITED);
    given.putAll(environment);
    Process started;
    try {
      started = builder.start();
    } catch (IOException failure) {
      // The SDK's client does not pass on what fails here.
      end("it cannot be started: " + Text.message(failure));
      return;
    }
    process = Optional.of(started);
    thread("out", () -> read(started.getInputStream(), handler));
    thread("in", () -> write(started.getOutputStream()));
    thread("err", () -> errors(started.getErrorStream()));
    started
        .onExit()
        .thenAccept(exited -> end("it has ended with status " + exited.exitValue() + said()));
  }

  private void thread(String what, Runnable task) {
    Thread.ofPlatform().daemon().name("mcp-" + name + "-" + what).start(task);
  }

  private void read(
      InputStream pipe, Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler) {
    try (InputStream in = new BufferedInputStream(pipe)) {
      for (Optional<String> line = line(in); line.isPresent(); line = line(in)) {
        message(line.get())
            .ifPresent(message ->
                handler
                    .apply(Mono.just(message))
                    .subscribe(
                        handled -> {},
                        failure -> LOG.debug("{}: a message failed", name, failure)));
      }
    } catch (IOException broken) {
      end("its output cannot be read: " + Text.message(broken));
    }
  }

  /** Programs print to their standard output what is no message; it is passed over. */
  private Optional<JSONRPCMessage> message(String line) {
    try {
      return Optional.of(McpSchema.deserializeJsonRpcMessage(ProtocolJson.INSTANCE, line));
    } catch (IOException | IllegalArgumentException none) {
      LOG.debug("{} has written a line that is no message", name);
      return Optional.empty();
    }
  }

  private Optional<String> line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        return Optional.empty();
      }
      if (line.size() == maxMessageBytes) {
        end("it has sent a message of more than " + maxMessageBytes + " bytes");
        stop();
        return Optional.empty();
      }
      line.write(next);
    }
    return Optional.of(line.toString(StandardCharsets.UTF_8));
  }

  private void write(OutputStream pipe) {
    try (OutputStream out = pipe) {
      for (byte[] next = outgoing.take(); next != END; next = outgoing.take()) {
        out.write(next);
        out.flush();
      }
    } catch (IOException broken) {
      LOG.debug("{} takes no more messages", name, broken);
    } catch (InterruptedException never) {
      Thread.currentThread().interrupt();
    }
  }

  private void errors(InputStream pipe) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(pipe, StandardCharsets.UTF_8), ERROR_CHARS)) {
      char[] some = new char[ERROR_CHARS];
      for (int read = in.read(some); read >= 0; read = in.read(some)) {
        said(new String(some, 0, read));
      }
    } catch (IOException closed) {
      LOG.debug("{} says no more", name, closed);
    }
  }

  private void said(String text) {
    synchronized (errors) {
      text.lines().filter(line -> !line.isBlank()).forEach(errors::addLast);
      while (errors.size() > ERROR_LINES) {
        errors.removeFirst();
      }
    }
  }

  /** The last that the process has said, for a reader who is to find out what is wrong. */
  private String said() {
    synchronized (errors) {
      String last = redact.apply(String.join(" ", errors));
      return last.isBlank() ? "" : ": " + Text.line(last, ERROR_CHARS);
    }
  }

  private void end(String why) {
    ended.complete(why);
    outgoing.add(END);
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.fromRunnable(() -> {
      if (ended.isDone()) {
        throw new IllegalStateException(ended.join());
      }
      try {
        outgoing.add(
            (ProtocolJson.INSTANCE.writeValueAsString(message) + "\n")
                .getBytes(StandardCharsets.UTF_8));
      } catch (IOException unfit) {
        throw new IllegalStateException("a message cannot be written", unfit);
      }
    });
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(() -> {
      end("it is closed");
      Thread.ofVirtual().name("mcp-" + name + "-stop").start(this::stop);
    });
  }

  /** Lets it end by itself, tells it to, kills it; with what it has started. Blocks. */
  void stop() {
    if (process.isEmpty()) {
      return;
    }
    Process running = process.get();
    outgoing.add(END);
    List<ProcessHandle> all =
        Stream.concat(running.descendants(), Stream.of(running.toHandle())).toList();
    try {
      if (!running.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        all.forEach(ProcessHandle::destroy);
        running.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    } finally {
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return ProtocolJson.INSTANCE.convertValue(data, type);
  }
}
