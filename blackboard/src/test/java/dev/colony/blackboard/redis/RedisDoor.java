package dev.colony.blackboard.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * A door to Redis that can swallow the next answer, break the connection and stay shut until it is
 * opened: the client cannot know then whether its command was carried out.
 */
final class RedisDoor implements AutoCloseable {

  private final ServerSocket door = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
  private final int redisPort;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile CountDownLatch eaten;
  private volatile CountDownLatch shut = new CountDownLatch(0);

  RedisDoor(int redisPort) throws IOException {
    this.redisPort = redisPort;
    Thread.ofVirtual().start(this::accept);
  }

  String uri() {
    return "redis://127.0.0.1:" + door.getLocalPort();
  }

  /** The latch opens when an answer has been swallowed; the door is shut then. */
  CountDownLatch eatNext() {
    shut = new CountDownLatch(1);
    CountDownLatch next = new CountDownLatch(1);
    eaten = next;
    return next;
  }

  /** Breaks all connections; the door is shut then. */
  void slam() {
    shut = new CountDownLatch(1);
    sockets.forEach(socket -> {
      try {
        socket.close();
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    });
  }

  void open() {
    shut.countDown();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        shut.await();
        Socket redis = new Socket("127.0.0.1", redisPort);
        sockets.add(client);
        Thread.ofVirtual().start(() -> forward(client, redis, false));
        Thread.ofVirtual().start(() -> forward(redis, client, true));
      }
    } catch (IOException closed) {
      // The test is over.
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void forward(Socket from, Socket to, boolean answers) {
    byte[] bytes = new byte[8_192];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        CountDownLatch eating = eaten;
        if (answers && eating != null) {
          eaten = null;
          eating.countDown();
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
