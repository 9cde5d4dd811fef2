package dev.colony.cli.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy before one address, which can be closed to all or to those who come from certain
 * addresses. What is closed is silent, as behind a broken cable: connections stand, new ones are
 * taken, nothing goes through. When it opens again the connections of that time are broken, since
 * what they lost cannot be made up for.
 */
final class Gate implements AutoCloseable {

  private static final int BUFFER = 16_384;

  private final ServerSocket door;
  private final String host;
  private volatile int port;
  private final Set<String> silenced = ConcurrentHashMap.newKeySet();
  private final Set<Passage> passages = ConcurrentHashMap.newKeySet();
  private volatile boolean broken;

  /** A connection, from whom it came, and whether something was held back from it. */
  private static final class Passage {
    final Socket client;
    final Socket target;
    final String from;
    volatile boolean lost;

    Passage(Socket client, Socket target, String from) {
      this.client = client;
      this.target = target;
      this.from = from;
    }

    void end() {
      close(client);
      close(target);
    }
  }

  /**
   * Listens at one address and leads to another.
   *
   * @param at a port of 0 takes a free one
   */
  Gate(String at, int atPort, String host, int port) {
    this.host = host;
    this.port = port;
    try {
      door = new ServerSocket(atPort, 1_000, InetAddress.getByName(at));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return door.getLocalPort();
  }

  /** Lets nothing through any more that comes from an address. */
  void silence(String from) {
    silenced.add(from);
  }

  /** Lets all traffic through again. */
  void unsilence() {
    silenced.clear();
    passages.stream().filter(passage -> passage.lost).forEach(Passage::end);
  }

  /** Breaks all connections and takes no new ones. */
  void cut() {
    broken = true;
    passages.forEach(Passage::end);
  }

  /** Leads to another port from now on, and breaks the connections there are. */
  void leadTo(int other) {
    port = other;
    passages.forEach(Passage::end);
  }

  /** Takes connections again. */
  void mend() {
    broken = false;
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        if (broken) {
          client.close();
        } else {
          Thread.ofVirtual().start(() -> lead(client));
        }
      } catch (IOException closed) {
        // the test is over
      }
    }
  }

  private void lead(Socket client) {
    try {
      Passage passage =
          new Passage(client, new Socket(host, port), client.getInetAddress().getHostAddress());
      passages.add(passage);
      if (broken) {
        passage.end();
      }
      Thread.ofVirtual().start(() -> forward(passage, passage.target, passage.client));
      forward(passage, passage.client, passage.target);
    } catch (IOException refused) {
      close(client);
    }
  }

  private void forward(Passage passage, Socket from, Socket to) {
    byte[] bytes = new byte[BUFFER];
    try {
      for (int n = from.getInputStream().read(bytes);
          n >= 0;
          n = from.getInputStream().read(bytes)) {
        if (silenced.contains(passage.from)) {
          passage.lost = true;
        }
        if (!passage.lost) {
          to.getOutputStream().write(bytes, 0, n);
        } else if (!silenced.contains(passage.from)) {
          return;
        }
      }
    } catch (IOException gone) {
      // the other side went away; so do we
    } finally {
      passages.remove(passage);
      passage.end();
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    passages.forEach(Passage::end);
  }
}
