package dev.colony.blackboard.server;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Sends a server commands as a person would type them, for the steering of test servers. */
public record RedisShell(int port) {

  private static final int TIMEOUT_MILLIS = 10_000;

  /**
   * The answer; the elements of an array come joined by line feeds.
   *
   * @throws IllegalStateException if the server answers with an error
   */
  public String command(String line) {
    return commands(line);
  }

  /** Sends several over one connection; the answer of the last. */
  public String commands(String... lines) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String answer = "";
      for (String line : lines) {
        socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        answer = reply(in, line);
      }
      return answer;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * Waits until the server's replica has all that was written before: WAIT looks only at the writes
   * of its own connection, so it makes one, behind all the others.
   *
   * @throws IllegalStateException if there is none that confirms it in time
   */
  public void awaitReplica() {
    String confirmed = commands("SET colony:confirmed 1", "WAIT 1 " + TIMEOUT_MILLIS / 2);
    if (!confirmed.equals("1")) {
      throw new IllegalStateException("replicas that have confirmed: " + confirmed);
    }
  }

  private static String reply(InputStream in, String command) throws IOException {
    String head = line(in);
    String rest = head.substring(1);
    return switch (head.charAt(0)) {
      case '+', ':' -> rest;
      case '$' -> {
        byte[] bytes = in.readNBytes(Math.max(0, Integer.parseInt(rest)));
        if (!rest.equals("-1")) {
          line(in);
        }
        yield new String(bytes, StandardCharsets.UTF_8);
      }
      case '*' -> {
        String[] parts = new String[Integer.parseInt(rest)];
        for (int i = 0; i < parts.length; i++) {
          parts[i] = reply(in, command);
        }
        yield String.join("\n", parts);
      }
      default -> throw new IllegalStateException(command + ": " + rest);
    };
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server ended the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }
}
