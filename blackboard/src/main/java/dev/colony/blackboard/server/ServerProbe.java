package dev.colony.blackboard.server;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks the server that listens on a loopback port what it is, over a socket of its own. A full
 * client would do, but would bring an event loop for a question of two lines.
 */
final class ServerProbe {

  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /**
   * What a server says of itself.
   *
   * @param holes what its operator is to be told of known holes
   * @param appends whether what it acknowledges goes to an append-only file
   * @param rewriting whether it writes that file anew, which is no file to start from before
   */
  record Identity(
      long pid,
      String version,
      Optional<String> holes,
      String directory,
      boolean loading,
      boolean appends,
      boolean rewriting) {}

  /** An error that the server answers. */
  private static final class Refused extends IOException {
    private static final long serialVersionUID = 1L;

    Refused(String answer) {
      super(answer);
    }
  }

  private ServerProbe() {}

  /** Empty where no server listens, or one that is no Redis or hangs. */
  static Optional<Identity> ask(int port, Optional<String> password) {
    return ask(port, password, TIMEOUT);
  }

  /** The same of one that may take so long for each of its answers. */
  static Optional<Identity> ask(int port, Optional<String> password, Duration patience) {
    try (Socket socket = connect(port, password, patience)) {
      String info = command(socket, "INFO server");
      String persistence = command(socket, "INFO persistence");
      String[] directory = command(socket, "CONFIG GET dir").split("\n", -1);
      return Optional.of(
          new Identity(
              Long.parseLong(field(info, "process_id")),
              field(info, "redis_version"),
              KnownHoles.of(info),
              directory[directory.length - 1],
              is(persistence, "loading"),
              is(persistence, "aof_enabled"),
              is(persistence, "aof_rewrite_in_progress")
                  || is(persistence, "aof_rewrite_scheduled")));
    } catch (IOException | NumberFormatException nobodyOfOurs) {
      return Optional.empty();
    }
  }

  /** Whether a Redis server listens there that does not let in who shows this password, or none. */
  static boolean refuses(int port, Optional<String> password) {
    try (Socket socket = connect(port, password)) {
      command(socket, "PING");
      return false;
    } catch (IOException failure) {
      return failure instanceof Refused refused
          && (refused.getMessage().startsWith("-NOAUTH")
              || refused.getMessage().startsWith("-WRONGPASS"));
    }
  }

  private static boolean is(String info, String name) {
    return "1".equals(field(info, name));
  }

  /** Has the server write all it holds to an append-only file, and go on with that. */
  static void append(int port, Optional<String> password) throws IOException {
    try (Socket socket = connect(port, password)) {
      command(socket, "CONFIG SET appendonly yes");
    }
  }

  /** Asks the server to flush and end; it closes the connection instead of answering. */
  static void shutdown(int port, Optional<String> password, Duration timeout) throws IOException {
    try (Socket socket = connect(port, password, timeout)) {
      command(socket, "SHUTDOWN");
    } catch (EOFException | SocketException ended) {
      // The server's answer to SHUTDOWN is the end of the connection.
    }
  }

  /** Whether a server can listen on this loopback port now. */
  static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  private static Socket connect(int port, Optional<String> password) throws IOException {
    return connect(port, password, TIMEOUT);
  }

  private static Socket connect(int port, Optional<String> password, Duration patience)
      throws IOException {
    int millis = (int) Math.min(Integer.MAX_VALUE, patience.toMillis());
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress("127.0.0.1", port), millis);
      socket.setSoTimeout(millis);
      if (password.isPresent()) {
        command(socket, "AUTH " + password.get());
      }
      return socket;
    } catch (IOException failure) {
      socket.close();
      throw failure;
    }
  }

  private static String command(Socket socket, String inline) throws IOException {
    socket.getOutputStream().write((inline + "\r\n").getBytes(StandardCharsets.US_ASCII));
    return reply(new BufferedInputStream(socket.getInputStream(), 1));
  }

  /** Reads one reply; the elements of an array come joined by line feeds. */
  private static String reply(InputStream in) throws IOException {
    String head = line(in);
    String rest = head.substring(1);
    return switch (head.charAt(0)) {
      case '+', ':' -> rest;
      case '$' -> bulk(in, Integer.parseInt(rest));
      case '*' -> {
        String[] parts = new String[Integer.parseInt(rest)];
        for (int i = 0; i < parts.length; i++) {
          parts[i] = reply(in);
        }
        yield String.join("\n", parts);
      }
      case '-' -> throw new Refused(head);
      default -> throw new IOException("not an answer: " + head);
    };
  }

  private static String bulk(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(Math.max(0, length));
    line(in);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0 || line.length() > 10_000) {
        throw new EOFException("the connection ended");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    if (line.isEmpty()) {
      return "+";
    }
    return line.toString();
  }

  private static String field(String info, String name) {
    for (String line : info.split("\r?\n")) {
      if (line.startsWith(name + ":")) {
        return line.substring(name.length() + 1).trim();
      }
    }
    return "";
  }
}
