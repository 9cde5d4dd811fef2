package dev.colony.cli.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The world outside the cluster: notes each deed when it comes in and acknowledges it a little
 * later, so that a fault often falls between the two.
 */
final class DeedServer implements AutoCloseable {

  private static final long ACKNOWLEDGED_AFTER_MILLIS = 120;

  private final ServerSocket door;
  private final List<Deed> deeds = new CopyOnWriteArrayList<>();
  private final AtomicReference<Held> held = new AtomicReference<>();

  /** The first deed of one kind, which is noted and not acknowledged before it is released. */
  static final class Held {
    private final Errand.Kind kind;
    private final CompletableFuture<Deed> done = new CompletableFuture<>();
    private final CountDownLatch released = new CountDownLatch(1);

    private Held(Errand.Kind kind) {
      this.kind = kind;
    }

    /** Waits until it was done. */
    Deed await() {
      return done.orTimeout(2, TimeUnit.MINUTES).join();
    }

    void release() {
      released.countDown();
    }
  }

  DeedServer() {
    try {
      door = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  List<Deed> deeds() {
    return List.copyOf(deeds);
  }

  /** Holds the acknowledgement of the next deed of a kind. */
  Held hold(Errand.Kind kind) {
    Held next = new Held(kind);
    held.set(next);
    return next;
  }

  /** Does a deed at the server of a port and gives its answer back. */
  static String report(int port, Deed deed) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write((deed.toLine() + "\n").getBytes(StandardCharsets.UTF_8));
      String answer = reader(socket).readLine();
      if (answer == null) {
        throw new IOException("no answer to " + deed);
      }
      return answer;
    }
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException closed) {
        // the test is over
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      String line = reader(client).readLine();
      if (line != null) {
        Deed deed = Deed.ofLine(line);
        deeds.add(deed);
        Held hold = held.get();
        if (hold != null && hold.kind == deed.kind() && hold.done.complete(deed)) {
          hold.released.await();
        }
        TimeUnit.MILLISECONDS.sleep(ACKNOWLEDGED_AFTER_MILLIS);
        client.getOutputStream().write("done\n".getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException dead) {
      // the client that did it was killed
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
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
