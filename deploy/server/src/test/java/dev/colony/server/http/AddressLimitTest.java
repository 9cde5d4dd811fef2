package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.server.access.AccessSettings;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How many connections one remote address may have open, over real sockets. */
class AddressLimitTest {

  private static final String ASKED = "GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final int MOST = 3;

  @Test
  void oneAddressHasSoManyAndOthersHaveTheirs() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    ApiListener listener =
        new ApiListener() {
          @Override
          public void connectionRefused() {
            refused.incrementAndGet();
          }
        };
    List<Socket> open = new ArrayList<>();
    try (ApiRig rig = new ApiRig();
        HttpApi api =
            rig.start(AccessSettings.OPEN, Map.of("connections-per-address", MOST), listener)) {
      for (int i = 0; i < MOST; i++) {
        Socket socket = connect("127.0.0.1", api.uri());
        open.add(socket);
        assertThat(ask(socket)).as("connection %d", i + 1).startsWith("HTTP/1.1 200 OK");
      }
      try (Socket further = connect("127.0.0.1", api.uri())) {
        assertThat(further.getInputStream().read()).as("closed without an answer").isEqualTo(-1);
      }
      assertThat(refused).hasValue(1);
      try (Socket other = connect("127.0.0.2", api.uri())) {
        assertThat(ask(other)).startsWith("HTTP/1.1 200 OK");
      }
      assertThat(ask(open.getFirst())).as("goes on").startsWith("HTTP/1.1 200 OK");
      open.removeLast().close();
      await()
          .atMost(ApiClient.LONGEST)
          .until(() -> {
            try (Socket again = connect("127.0.0.1", api.uri())) {
              return ask(again).startsWith("HTTP/1.1 200 OK");
            }
          });
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  @Test
  void aNetworkOfIpv6CountsAsOneAddress() throws Exception {
    assertThat(key("2001:db8::1"))
        .isEqualTo(key("2001:db8::ffff:1"))
        .isNotEqualTo(key("2001:db8:0:1::1"));
    assertThat(key("192.0.2.1")).isNotEqualTo(key("192.0.2.2"));
    assertThat(key("::ffff:192.0.2.1")).isEqualTo(key("192.0.2.1"));
  }

  private static String key(String address) throws Exception {
    return AddressLimit.key(InetAddress.getByName(address));
  }

  private static Socket connect(String from, URI to) throws Exception {
    Socket socket =
        new Socket(
            InetAddress.getByName(to.getHost()), to.getPort(), InetAddress.getByName(from), 0);
    socket.setSoTimeout((int) ApiClient.LONGEST.toMillis());
    return socket;
  }

  /** What comes first as the answer, empty if the server has closed. */
  private static String ask(Socket socket) {
    byte[] buffer = new byte[8192];
    try {
      socket.getOutputStream().write(ASKED.getBytes(StandardCharsets.US_ASCII));
      int count = socket.getInputStream().read(buffer);
      return new String(buffer, 0, Math.max(0, count), StandardCharsets.US_ASCII);
    } catch (java.net.SocketException closed) {
      return "";
    } catch (java.io.IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }
}
