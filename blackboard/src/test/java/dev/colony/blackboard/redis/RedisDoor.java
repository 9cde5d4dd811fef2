package dev.colony.blackboard.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * A door to Redis that can swallow the next answer or half of it, break the connection and stay
 * shut until it is opened: the client cannot know then whether its command was carried out. Where
 * no server is behind it, connections are closed.
 */
public final class RedisDoor implements AutoCloseable {

  private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
  private volatile int redisPort;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile Meal next;
  private volatile CountDownLatch shut = new CountDownLatch(0);

  /**
   * What happens to an answer.
   *
   * @param request what the request contains that it answers; empty for whichever comes next
   * @param half whether the client gets the first half of it
   */
  private record Meal(String request, boolean half, CountDownLatch eaten) {

    /** Whether the request, a short one, is the one that is waited for. */
    boolean isFor(byte[] bytes, int n) {
      return new String(bytes, 0, n, StandardCharsets.ISO_8859_1).contains(request);
    }
  }

  /** What is known of one connection: the meal that its next answer is, where it is one. */
  private static final class Passage {
    private volatile Meal ordered;
  }

  public RedisDoor(int redisPort) throws IOException {
    this.redisPort = redisPort;
    Thread.ofVirtual().start(this::accept);
  }

  public String uri() {
    return "redis://127.0.0.1:" + port();
  }

  public int port() {
    return door.getLocalPort();
  }

  /** Leads to another server from now on; connections that stand lead where they did. */
  public void leadTo(int port) {
    redisPort = port;
  }

  /** The latch opens when an answer has been swallowed; the door is shut then. */
  public CountDownLatch eatNext() {
    return eat("", false);
  }

  /** As {@link #eatNext}, of the next request that contains this ASCII text. */
  public CountDownLatch eatAnswerTo(String request) {
    return eat(request, false);
  }

  /** The latch opens when the client has got half of an answer; the door is shut then. */
  public CountDownLatch biteNext() {
    return eat("", true);
  }

  private CountDownLatch eat(String request, boolean half) {
    shut = new CountDownLatch(1);
    CountDownLatch eaten = new CountDownLatch(1);
    next = new Meal(request, half, eaten);
    return eaten;
  }

  /** Breaks all connections; the door is shut then. */
  public void slam() {
    shut = new CountDownLatch(1);
    sockets.forEach(socket -> {
      try {
        socket.close();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    });
  }

  public void open() {
    shut.countDown();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        shut.await();
        lead(client);
      }
    } catch (IOException closed) {
      // The test is over.
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void lead(Socket client) throws IOException {
    try {
      Socket redis = new Socket("127.0.0.1", redisPort);
      sockets.add(client);
      if (shut.getCount() > 0) {
        // Slammed since it came in: it must not slip through.
        client.close();
      }
      Passage passage = new Passage();
      Thread.ofVirtual().start(() -> forward(client, redis, passage, false));
      Thread.ofVirtual().start(() -> forward(redis, client, passage, true));
    } catch (ConnectException refused) {
      client.close();
    }
  }

  private void forward(Socket from, Socket to, Passage passage, boolean answers) {
    byte[] bytes = new byte[8_192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        Meal meal = next;
        if (!answers && meal != null && meal.isFor(bytes, n)) {
          passage.ordered = meal;
        }
        if (answers && meal != null && (meal.request().isEmpty() || passage.ordered == meal)) {
          next = null;
          if (meal.half()) {
            out.write(bytes, 0, n / 2);
          }
          meal.eaten().countDown();
          return;
        }
        out.write(bytes, 0, n);
      }
    } catch (IOException broken) {
      // The other side went away; so do we.
    }
  }

  @Override
  public void close() {
    open();
    try {
      door.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
