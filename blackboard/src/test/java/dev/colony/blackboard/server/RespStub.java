package dev.colony.blackboard.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Speaks Redis' protocol and says what a test wants, for states that no real server is brought to.
 */
public final class RespStub implements AutoCloseable {

  private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
  private final Function<List<String>, String> answers;

  /**
   * @param answers from a command in capitals and its arguments to what is sent back, without the
   *     last line end: {@code +OK}, {@code -LOADING ...}, or what {@link #bulk} gives
   */
  public RespStub(Function<List<String>, String> answers) throws IOException {
    this.answers = answers;
    Thread.ofVirtual().start(this::accept);
  }

  /** A text of any length. */
  public static String bulk(String text) {
    return "$" + text.getBytes(StandardCharsets.UTF_8).length + "\r\n" + text;
  }

  public String uri() {
    return "redis://127.0.0.1:" + door.getLocalPort();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket client) {
    try (client;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1))) {
      for (String head = in.readLine(); head != null; head = in.readLine()) {
        List<String> command = new ArrayList<>();
        for (int i = Integer.parseInt(head.substring(1)); i > 0; i--) {
          char[] bytes = new char[Integer.parseInt(in.readLine().substring(1))];
          for (int read = 0; read < bytes.length; ) {
            read += in.read(bytes, read, bytes.length - read);
          }
          in.readLine();
          command.add(new String(bytes));
        }
        command.set(0, command.get(0).toUpperCase(Locale.ROOT));
        client
            .getOutputStream()
            .write((answers.apply(command) + "\r\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException left) {
      // The client went away.
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
