package dev.colony.cli.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A TCP proxy that leads each connection to the next of several ports of loopback where a server
 * listens, as a service of Kubernetes does it.
 */
final class RoundRobin implements AutoCloseable {

  private static final int WAITING = 1_000;

  private final ServerSocket door;
  private final List<Integer> ports;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger cut = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  RoundRobin(List<Integer> ports) {
    this.ports = new CopyOnWriteArrayList<>(ports);
    try {
      door = new ServerSocket(0, WAITING, InetAddress.getLoopbackAddress());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    Thread.ofVirtual().start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + door.getLocalPort());
  }

  void add(int port) {
    ports.add(port);
  }

  /** How many connections found no server at all. */
  int cut() {
    return cut.get();
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        Thread.ofVirtual().start(() -> lead(client));
      } catch (IOException closed) {
        // the test is over
      }
    }
  }

  private void lead(Socket client) {
    open.add(client);
    int first = next.getAndIncrement();
    for (int i = 0; i < ports.size(); i++) {
      int port = ports.get(Math.floorMod(first + i, ports.size()));
      Socket target;
      try {
        target = new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (IOException refused) {
        continue;
      }
      open.add(target);
      Thread.ofVirtual().start(() -> forward(target, client));
      forward(client, target);
      return;
    }
    cut.incrementAndGet();
    end(client);
  }

  private void forward(Socket from, Socket to) {
    try {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException gone) {
      // the other side went away; so do we
    } finally {
      end(from);
      end(to);
    }
  }

  private void end(Socket socket) {
    open.remove(socket);
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
    List.copyOf(open).forEach(this::end);
  }
}
