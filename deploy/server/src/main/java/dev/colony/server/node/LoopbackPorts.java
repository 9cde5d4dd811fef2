package dev.colony.server.node;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Ports of the loopback interface that no process listens on. They lie below those that Linux gives
 * to outgoing connections, so that none of these takes one before it is used.
 */
public final class LoopbackPorts {

  private static final int FIRST = 10_000;
  private static final int END = 32_768;

  private LoopbackPorts() {}

  /** So many different ports; another process may still take one before it is used. */
  public static List<Integer> free(int count) {
    return RandomGenerator.getDefault()
        .ints(FIRST, END)
        .distinct()
        .filter(port -> ifFree(port, 0) == port)
        .limit(count)
        .boxed()
        .toList();
  }

  /** A port if no process listens on it now, 0 for any such; else another. */
  public static int ifFree(int wanted, int otherwise) {
    try (ServerSocket probe = new ServerSocket(wanted, 1, InetAddress.getLoopbackAddress())) {
      return probe.getLocalPort();
    } catch (IOException taken) {
      return otherwise;
    }
  }
}
