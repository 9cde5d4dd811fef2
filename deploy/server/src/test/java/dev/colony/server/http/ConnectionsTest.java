package dev.colony.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.server.Descriptors;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How many connections may be open, and which go so that others find room. */
class ConnectionsTest {

  private static final String ASKED = "GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\n";
  private static final int MOST = 3;
  private static final int FURTHER = 5;
  private static final int MANY = 16;

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

  @Test
  void theOldestThatSendNoRequestGoAndOthersAreServed() throws Exception {
    List<Socket> halfOpen = new ArrayList<>();
    try (ApiRig rig = new ApiRig();
        HttpApi api = rig.start(AccessSettings.OPEN, Map.of())) {
      for (int i = 0; i < Connections.HALF_OPEN + FURTHER; i++) {
        Socket socket = connect("127.0.0.1", api.uri());
        socket.getOutputStream().write("GET /v1/clus".getBytes(StandardCharsets.US_ASCII));
        halfOpen.add(socket);
      }
      for (int i = 0; i < FURTHER; i++) {
        assertThat(halfOpen.get(i).getInputStream().read()).as("the oldest, %d", i).isEqualTo(-1);
      }
      try (Socket other = connect("127.0.0.1", api.uri())) {
        assertThat(ask(other)).startsWith("HTTP/1.1 200 OK");
      }
      assertThat(ask(halfOpen.getLast(), "ter HTTP/1.1\r\nHost: localhost\r\n\r\n"))
          .as("the youngest")
          .startsWith("HTTP/1.1 200 OK");
    } finally {
      for (Socket socket : halfOpen) {
        socket.close();
      }
    }
  }

  @Test
  void halfOpenOnesOfOneAddressGoFirstAndNoneBeforeItsGrace() throws Exception {
    AtomicLong clock = new AtomicLong();
    Connections connections = new Connections(4000, 3000, clock::get);
    List<Integer> closed = new ArrayList<>();
    for (int i = 0; i < Connections.HALF_OPEN + 2; i++) {
      int number = i;
      connections.enter(InetAddress.getByName("192.0.2.1"), () -> closed.add(number));
      connections.enter(InetAddress.getByName("192.0.3." + i), () -> closed.add(-number));
    }
    connections.sweep();
    assertThat(closed).isEmpty();
    clock.addAndGet(Connections.GRACE.toNanos());
    connections.sweep();
    connections.sweep();
    assertThat(closed).containsExactly(0, 1);
  }

  @Test
  void whereHardlyAnyIsFreeTheOldestGoThatHaveNothingToDoAndNoneThatIsBusy() throws Exception {
    AtomicLong clock = new AtomicLong();
    Connections connections = new Connections(MANY, MANY, clock::get);
    List<Integer> closed = new ArrayList<>();
    List<Connections.Connection> open = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      int number = i;
      InetAddress from = InetAddress.getByName("192.0.2." + i);
      open.add(connections.enter(from, () -> closed.add(number)).orElseThrow());
      open.get(i).busy();
      clock.incrementAndGet();
    }
    clock.addAndGet(Connections.GRACE.toNanos());
    connections.sweep();
    assertThat(closed).as("all are busy").isEmpty();
    for (int i : List.of(5, 3, 4)) {
      open.get(i).idle();
    }
    clock.addAndGet(Connections.GRACE.toNanos());
    open.get(3).busy();
    connections.sweep();
    assertThat(closed).containsExactly(5, 4);
    closed.clear();
    open.forEach(Connections.Connection::left);
    for (int i = 0; i < MANY; i++) {
      assertThat(connections.enter(InetAddress.getByName("192.0.2.9"), () -> {}))
          .as("what has left is not counted")
          .isPresent();
    }
  }

  @Test
  void whereHardlyAnyIsFreeHalfOpenOnesGoSoonUntilHalfOfAllIsFree() throws Exception {
    AtomicLong clock = new AtomicLong();
    Connections connections = new Connections(MANY, MANY, clock::get);
    List<Integer> closed = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      int number = i;
      connections.enter(InetAddress.getByName("192.0.2." + i), () -> closed.add(number));
    }
    connections.sweep();
    assertThat(closed).isEmpty();
    clock.addAndGet(Connections.SHORT_GRACE.toNanos());
    connections.sweep();
    assertThat(closed).hasSize(MANY / 2).startsWith(0, 1, 2);
  }

  @Test
  void connectionsAreFewerThanTheFilesThatTheProcessMayOpen() {
    Descriptors few = new Descriptors(256, 156);
    assertThat(few.connections(4096)).isEqualTo(50);
    assertThat(few.connections(20)).isEqualTo(20);
    assertThat(few.lowered(4096).orElseThrow())
        .contains("256 files", "50 connections", "4096", "ulimit -n");
    assertThat(new Descriptors(1_048_576, 300).lowered(4096)).isEmpty();
    Descriptors own = Descriptors.ofThisProcess();
    assertThat(own.open()).isPositive().isLessThan(own.most());
  }

  private static String key(String address) throws Exception {
    return Connections.key(InetAddress.getByName(address));
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
    return ask(socket, ASKED);
  }

  private static String ask(Socket socket, String request) {
    byte[] buffer = new byte[8192];
    try {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      int count = socket.getInputStream().read(buffer);
      return new String(buffer, 0, Math.max(0, count), StandardCharsets.US_ASCII);
    } catch (java.net.SocketException closed) {
      return "";
    } catch (java.io.IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }
}
