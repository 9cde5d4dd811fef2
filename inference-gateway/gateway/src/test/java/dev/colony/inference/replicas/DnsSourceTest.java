package dev.colony.inference.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replicas by name, of a DNS server that the test scripts. */
class DnsSourceTest {

  private static final int A = 1;
  private static final int SRV = 33;

  /** By type and name: the data of each record. */
  private final Map<String, List<byte[]>> records = new ConcurrentHashMap<>();

  private volatile int code;
  private DatagramSocket socket;

  @BeforeEach
  void serve() throws Exception {
    socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    Thread.ofVirtual()
        .start(() -> {
          byte[] buffer = new byte[512];
          while (!socket.isClosed()) {
            try {
              DatagramPacket query = new DatagramPacket(buffer, buffer.length);
              socket.receive(query);
              byte[] answer = answer(query.getData(), query.getLength());
              socket.send(new DatagramPacket(answer, answer.length, query.getSocketAddress()));
            } catch (IOException closed) {
              return;
            }
          }
        });
  }

  @AfterEach
  void close() {
    socket.close();
  }

  /** RFC 1035: the question again, and its records under a pointer to its name. */
  private byte[] answer(byte[] query, int length) throws IOException {
    StringBuilder name = new StringBuilder();
    int at = 12;
    while (query[at] != 0) {
      name.append(new String(query, at + 1, query[at], StandardCharsets.US_ASCII)).append('.');
      at += query[at] + 1;
    }
    int type = query[at + 2] & 0xff;
    int end = at + 5;
    List<byte[]> found = records.getOrDefault(type + " " + name, List.of());
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(query, 0, 2);
    boolean absent = records.keySet().stream().noneMatch(key -> key.endsWith(" " + name));
    out.writeShort(0x8180 | (code != 0 ? code : absent ? 3 : 0));
    out.writeShort(1);
    out.writeShort(code != 0 ? 0 : found.size());
    out.writeInt(0);
    out.write(query, 12, end - 12);
    for (byte[] data : code != 0 ? List.<byte[]>of() : found) {
      out.writeShort(0xc00c);
      out.writeShort(type);
      out.writeShort(1);
      out.writeInt(0);
      out.writeShort(data.length);
      out.write(data);
    }
    return bytes.toByteArray();
  }

  private static byte[] target(int priority, int port, String... labels) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeShort(priority);
    out.writeShort(10);
    out.writeShort(port);
    for (String label : labels) {
      out.writeByte(label.length());
      out.writeBytes(label);
    }
    out.writeByte(0);
    return bytes.toByteArray();
  }

  private List<String> ask(String pattern) throws IOException {
    return new DnsSource(URI.create(pattern), Optional.of("127.0.0.1:" + socket.getLocalPort()))
        .replicas().stream().map(one -> one.baseUri().toString()).toList();
  }

  @Test
  void everyAddressOfANameIsAReplicaAndEachQuestionIsAskedAnew() throws Exception {
    records.put(
        A + " models.example.", List.of(new byte[] {10, 0, 0, 1}, new byte[] {10, 0, 0, 2}));
    assertThat(ask("http://models.example:8000/v1"))
        .containsExactlyInAnyOrder("http://10.0.0.1:8000/v1", "http://10.0.0.2:8000/v1");
    records.put(A + " models.example.", List.of(new byte[] {10, 0, 0, 3}));
    assertThat(ask("http://models.example:8000/v1")).containsExactly("http://10.0.0.3:8000/v1");
  }

  @Test
  void ofServicesTheTargetsOfTheMostPreferredPriorityCount() throws Exception {
    records.put(
        SRV + " _llm._tcp.models.example.",
        List.of(
            target(1, 8001, "a", "models", "example"),
            target(1, 8002, "b", "models", "example"),
            target(2, 8003, "spare", "models", "example")));
    assertThat(ask("https://_llm._tcp.models.example"))
        .containsExactlyInAnyOrder(
            "https://a.models.example:8001", "https://b.models.example:8002");
  }

  @Test
  void aNameThatIsNotThereHasNone() throws Exception {
    assertThat(ask("http://nowhere.example:1")).isEmpty();
    assertThat(ask("http://_llm._tcp.nowhere.example")).isEmpty();
  }

  @Test
  void aServerThatDoesNotTellIsAFailure() {
    code = 2;
    assertThatThrownBy(() -> ask("http://models.example:1"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("models.example");
  }

  @Test
  void withoutAServerNamedTheSystemIsAsked() throws Exception {
    assertThat(new DnsSource(URI.create("http://localhost:8000"), Optional.empty()).replicas())
        .contains(ReplicaSource.Address.of(URI.create("http://127.0.0.1:8000")));
  }
}
