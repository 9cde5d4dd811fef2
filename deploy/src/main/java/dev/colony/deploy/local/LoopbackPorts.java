package dev.colony.deploy.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of the loopback interface that nobody listens on. */
public final class LoopbackPorts {

  private LoopbackPorts() {}

  /** So many different ports; another process may still take one before it is used. */
  public static List<Integer> free(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } catch (IOException failure) {
      throw new UncheckedIOException("no free port on loopback", failure);
    } finally {
      for (ServerSocket socket : sockets) {
        try {
          socket.close();
        } catch (IOException failure) {
          throw new UncheckedIOException("a probe socket does not close", failure);
        }
      }
    }
  }

  /** A port if nobody listens on it now, 0 for any such; else another. */
  static int ifFree(int wanted, int otherwise) {
    try (ServerSocket probe = new ServerSocket(wanted, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException taken) {
      return otherwise;
    }
  }
}
