package dev.colony.image;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Ports of 127.0.0.1 that were free a moment ago. */
record FreePorts(int remoting, int management, int http) {

  static FreePorts take() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    // all three at once, so that they differ
    try (ServerSocket one = new ServerSocket(0, 1, loopback);
        ServerSocket two = new ServerSocket(0, 1, loopback);
        ServerSocket three = new ServerSocket(0, 1, loopback)) {
      return new FreePorts(one.getLocalPort(), two.getLocalPort(), three.getLocalPort());
    }
  }
}
