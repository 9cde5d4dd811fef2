package dev.colony.image;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Ports of 127.0.0.1 that were free a moment ago. They lie below those that Linux gives to outgoing
 * connections, so that none of these takes one before the node does.
 */
record FreePorts(int remoting, int management, int http) {

  private static final int FIRST = 20_000;
  private static final int END = 32_768;

  static FreePorts take() {
    List<Integer> ports =
        RandomGenerator.getDefault()
            .ints(FIRST, END)
            .distinct()
            .filter(FreePorts::free)
            .limit(3)
            .boxed()
            .toList();
    return new FreePorts(ports.get(0), ports.get(1), ports.get(2));
  }

  private static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
