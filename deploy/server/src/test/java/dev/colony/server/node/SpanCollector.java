package dev.colony.server.node;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

/** A collector that keeps the spans that are sent to it by OTLP over HTTP, as protobuf. */
public final class SpanCollector implements AutoCloseable {

  /** STATUS_CODE_ERROR. */
  private static final long ERROR = 2;

  private final List<Received> spans = new CopyOnWriteArrayList<>();
  private final List<String> paths = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  /**
   * A span.
   *
   * @param resource attributes of its node
   * @param parent empty for the first of a trace
   */
  public record Received(
      Map<String, Object> resource,
      String trace,
      String id,
      String parent,
      String name,
      long begun,
      long ended,
      Map<String, Object> attributes,
      boolean failed) {

    public Object node() {
      return resource.get("service.instance.id");
    }
  }

  public SpanCollector() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          paths.add(exchange.getRequestURI().getPath());
          boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
          try (InputStream body = exchange.getRequestBody()) {
            read((packed ? new GZIPInputStream(body) : body).readAllBytes());
          }
          exchange.getResponseHeaders().set("Content-Type", "application/x-protobuf");
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
  }

  public String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  public List<Received> spans() {
    return spans;
  }

  List<String> paths() {
    return paths;
  }

  @Override
  public void close() {
    server.stop(0);
  }

  /** ExportTraceServiceRequest, by its field numbers. */
  private void read(byte[] request) throws IOException {
    for (Object ofNode : fields(request, 1)) {
      Map<String, Object> resource = attributes(first((byte[]) ofNode, 1), 1);
      for (Object ofScope : fields((byte[]) ofNode, 2)) {
        for (Object one : fields((byte[]) ofScope, 2)) {
          spans.add(span(resource, (byte[]) one));
        }
      }
    }
  }

  private static Received span(Map<String, Object> resource, byte[] span) throws IOException {
    List<Object> status = fields(span, 15);
    List<Object> parent = fields(span, 4);
    return new Received(
        resource,
        HexFormat.of().formatHex(first(span, 1)),
        HexFormat.of().formatHex(first(span, 2)),
        parent.isEmpty() ? "" : HexFormat.of().formatHex((byte[]) parent.getFirst()),
        text(first(span, 5)),
        (long) fields(span, 7).getFirst(),
        (long) fields(span, 8).getFirst(),
        attributes(span, 9),
        !status.isEmpty() && fields((byte[]) status.getFirst(), 3).contains(ERROR));
  }

  private static Map<String, Object> attributes(byte[] message, int number) throws IOException {
    Map<String, Object> all = new HashMap<>();
    for (Object one : fields(message, number)) {
      byte[] value = first((byte[]) one, 2);
      List<Object> texts = fields(value, 1);
      List<Object> numbers = fields(value, 3);
      List<Object> lists = fields(value, 5);
      all.put(
          text(first((byte[]) one, 1)),
          !texts.isEmpty()
              ? text((byte[]) texts.getFirst())
              : !numbers.isEmpty() ? numbers.getFirst() : texts((byte[]) lists.getFirst()));
    }
    return all;
  }

  private static List<String> texts(byte[] list) throws IOException {
    List<String> all = new ArrayList<>();
    for (Object one : fields(list, 1)) {
      all.add(text(first((byte[]) one, 1)));
    }
    return all;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static byte[] first(byte[] message, int number) throws IOException {
    return (byte[]) fields(message, number).getFirst();
  }

  /** The values of a field of a message of protobuf: a number, or bytes. */
  private static List<Object> fields(byte[] message, int number) throws IOException {
    List<Object> found = new ArrayList<>();
    ByteArrayInputStream in = new ByteArrayInputStream(message);
    while (in.available() > 0) {
      long key = varint(in);
      Object value =
          switch ((int) (key & 7)) {
            case 0 -> varint(in);
            case 1 -> fixed(in.readNBytes(8));
            case 2 -> in.readNBytes((int) varint(in));
            case 5 -> fixed(in.readNBytes(4));
            default -> throw new IOException("no field of protobuf: " + key);
          };
      if (key >> 3 == number) {
        found.add(value);
      }
    }
    return found;
  }

  private static long fixed(byte[] little) {
    long value = 0;
    for (int i = little.length - 1; i >= 0; i--) {
      value = value << 8 | little[i] & 0xff;
    }
    return value;
  }

  private static long varint(ByteArrayInputStream in) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      int next = in.read();
      value |= (long) (next & 0x7f) << shift;
      if (next < 0x80) {
        return value;
      }
    }
  }
}
