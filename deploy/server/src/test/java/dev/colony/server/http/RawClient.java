package dev.colony.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A connection over which anything at all is sent. */
final class RawClient implements AutoCloseable {

  private final Socket socket;

  RawClient(URI server, Duration patience) {
    try {
      socket = new Socket(server.getHost(), server.getPort());
      socket.setSoTimeout((int) patience.toMillis());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** What the server no longer takes is lost. */
  RawClient send(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
    } catch (SocketException closed) {
      return this;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return this;
  }

  RawClient send(String text) {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Whether the server still takes something. */
  boolean takes(String text) {
    try {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      return true;
    } catch (IOException cut) {
      return false;
    }
  }

  /** Says that nothing more will come. */
  RawClient end() {
    try {
      socket.shutdownOutput();
    } catch (IOException closed) {
      return this;
    }
    return this;
  }

  /** Ends the connection at once, and says so. */
  void reset() {
    try {
      socket.setSoLinger(true, 0);
      socket.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /**
   * All that the server sends until it closes the connection.
   *
   * @throws UncheckedIOException if it has not within the patience
   */
  String readToEnd() {
    StringBuilder text = new StringBuilder();
    byte[] buffer = new byte[8192];
    try {
      InputStream in = socket.getInputStream();
      int count = in.read(buffer);
      while (count >= 0) {
        text.append(new String(buffer, 0, count, StandardCharsets.UTF_8));
        count = in.read(buffer);
      }
    } catch (SocketException reset) {
      return text.toString();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return text.toString();
  }

  /** What comes first. */
  String readSome() {
    byte[] buffer = new byte[8192];
    try {
      int count = socket.getInputStream().read(buffer);
      return new String(buffer, 0, Math.max(0, count), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
