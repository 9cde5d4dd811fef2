package dev.colony.server.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Requests that go wrong in ever other ways, made of what the API knows; the same for a seed. */
final class Fuzz {

  /** Of nothing that is ours; what is stored of it comes back as it was given. */
  static final String FOREIGN_TYPE = "java.lang.Runtime";

  private static final List<String> METHODS =
      List.of(
          "GET", "GET", "POST", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE",
          "BREW", "");

  private static final List<String> NAMES =
      List.of(
          "billing",
          "acme",
          "known",
          "x",
          "a%20b",
          "%00",
          "%ff",
          "%",
          "..",
          ".",
          "%2e%2e%2f",
          "",
          "~",
          "1",
          "0",
          "-1",
          "99999999999999999999",
          "x".repeat(129),
          "x".repeat(9000),
          "%F0%9F%A6%84",
          "a/b",
          "a;b",
          "a:b",
          "*");

  private static final List<String> PARAMETERS =
      List.of(
          "namespace=work",
          "namespace=",
          "namespace=%zz",
          "limit=1",
          "limit=-1",
          "limit=x",
          "after=x",
          "after=%00",
          "before=1",
          "before=x",
          "wait=0",
          "wait=99999",
          "retained=true",
          "retained=maybe",
          "protocol=work",
          "protocol=x",
          "scope=tenant:acme",
          "scope=tenant:rival",
          "scope=colony",
          "scope=::",
          "keys=*",
          "keys=[",
          "keys=%20",
          "key=k",
          "key=",
          "tag=t",
          "tag=%20",
          "from=beginning",
          "from=1-1",
          "from=9-",
          "from=-",
          "status=running",
          "state=x",
          "sessionId=s",
          "sessionId=%20",
          "&&&",
          "=",
          "a=b=c",
          "%=%",
          "x".repeat(2000) + "=1");

  private static final List<String> HEADERS =
      List.of(
          "Host: localhost",
          "Host: localhost",
          "Host: localhost",
          "Host: evil.example",
          "Host:",
          "Authorization: Bearer x",
          "Authorization: Basic \u00ff",
          "Last-Event-ID: 1-1",
          "Last-Event-ID: x",
          "Last-Event-ID: 1-1-1.00000000",
          "Idempotency-Key: k",
          "Idempotency-Key: ",
          "Accept: nonsense",
          "Content-Encoding: gzip",
          "Expect: 100-continue",
          "Transfer-Encoding: chunked",
          "Transfer-Encoding: x",
          "Content-Length: -1",
          "Content-Length: 99999999999",
          "Content-Length: 3",
          "Upgrade: h2c",
          "Upgrade: websocket",
          "Connection: upgrade",
          "X: " + "x".repeat(9000),
          "Origin: null",
          "Bad Header",
          ": empty",
          "\u0000: x",
          "Range: bytes=0-");

  private static final List<String> TYPES =
      List.of(
          "application/json",
          "application/json",
          "application/json",
          "application/json; charset=utf-16",
          "text/plain",
          "",
          "x/y/z");

  private static final List<String> BODIES =
      List.of(
          "",
          "{}",
          "[]",
          "null",
          "1",
          "\"x\"",
          "{",
          "\u00ff\u00fe",
          "{\"input\": 1, \"namespace\": \"work\"}",
          "{\"input\": 1, \"namespace\": \"a b\"}",
          "{\"input\": 1, \"namespace\": \"work\", \"protocol\": \"x\"}",
          "{\"input\": 1, \"namespace\": \"work\", \"scope\": \"session\"}",
          "{\"input\": 1, \"namespace\": \"work\", \"runId\": \"a b\"}",
          "{\"input\": 1, \"namespace\": \"work\", \"sessionId\": \"nope\"}",
          "{\"input\": 1, \"namespace\": \"work\", \"behalf\": {\"run\": \"r\", \"trace\": \"\"}}",
          "{\"input\": 1, \"namespace\": \"work\", \"behalf\": {\"run\": \"r\", \"trace\": \"t\"}}",
          "{\"name\": \"x\", \"blueprint\": {}}",
          "{\"name\": 1, \"blueprint\": null}",
          "{\"name\": \"x\", \"blueprint\": {\"policy\": {\"type\": \""
              + FOREIGN_TYPE
              + "\","
              + " \"args\": {\"@class\": \"x\"}}}}",
          "{\"agent\": {\"blueprint\": {\"policy\": {\"type\": \"t\"}}}, \"input\": null,"
              + " \"namespace\": \"work\"}",
          "{\"agent\": {}, \"input\": 1}",
          "{\"granted\": true, \"by\": \"x\"}",
          "{\"granted\": \"yes\", \"by\": 1}",
          "{\"sequenceNr\": 1, \"name\": \"f\"}",
          "{\"sequenceNr\": -1, \"name\": \"\"}",
          "{\"sequenceNr\": 1e99, \"name\": \"f\"}",
          "{\"reason\": \"" + "r".repeat(5000) + "\"}",
          "{\"reason\": {\"a\": 1}}",
          "{\"until\": {\"condition\": \"AT\"}}",
          "{\"until\": \"x\"}",
          "[".repeat(5000),
          "{\"a\":".repeat(3000),
          "{\"input\": " + "9".repeat(5000) + "}",
          "x".repeat(70_000));

  private final Random random;
  private final List<Endpoint> endpoints;
  private final String agent;

  Fuzz(long seed, List<Endpoint> endpoints, String agent) {
    this.random = new Random(seed);
    this.endpoints = endpoints;
    this.agent = agent;
  }

  /** Bytes to send over a connection of their own. */
  byte[] next() {
    byte[] request = request().getBytes(StandardCharsets.ISO_8859_1);
    return switch (random.nextInt(12)) {
      case 0 -> noise();
      case 1 -> java.util.Arrays.copyOf(request, random.nextInt(request.length + 1));
      case 2, 3 -> bent(request);
      default -> request;
    };
  }

  private static boolean takes(Endpoint endpoint, String parameter) {
    return endpoint.parameters().contains(parameter.split("=", 2)[0]);
  }

  private static void add(StringBuilder text, String parameter) {
    text.append(text.indexOf("?") < 0 ? '?' : '&').append(parameter);
  }

  private String request() {
    Endpoint endpoint = endpoint();
    String method = random.nextInt(10) == 0 ? one(METHODS) : endpoint.verb().name();
    StringBuilder text = new StringBuilder(method).append(' ').append(path(endpoint));
    if (random.nextInt(3) > 0) {
      Stream.of("namespace=work", "scope=" + scope(endpoint))
          .filter(parameter -> takes(endpoint, parameter))
          .forEach(parameter -> add(text, parameter));
    }
    if (random.nextInt(4) == 0) {
      boolean any = random.nextInt(4) == 0;
      List<String> all =
          PARAMETERS.stream().filter(parameter -> any || takes(endpoint, parameter)).toList();
      if (!all.isEmpty()) {
        add(text, one(all));
      }
    }
    text.append(random.nextInt(20) == 0 ? " HTTP/9.9\r\n" : " HTTP/1.1\r\n");
    text.append(random.nextInt(30) == 0 ? one(HEADERS) : "Host: localhost").append("\r\n");
    for (int i = random.nextInt(4); i > 1; i--) {
      text.append(one(HEADERS)).append("\r\n");
    }
    String body =
        endpoint.verb() == Endpoint.Verb.GET && random.nextInt(5) > 0 ? "" : body(endpoint);
    if (!body.isEmpty()) {
      text.append("Content-Type: ")
          .append((random.nextInt(4) == 0 ? one(TYPES) : "application/json"))
          .append("\r\n");
      text.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    return text.append("Connection: close\r\n\r\n").append(body).toString();
  }

  /** A stream takes its time, so it is one of few. */
  private Endpoint endpoint() {
    Endpoint endpoint = one(endpoints);
    boolean stream = endpoint.path().text().matches(".*/(events|parts)");
    return stream && random.nextInt(5) > 0 ? one(endpoints) : endpoint;
  }

  private static String scope(Endpoint endpoint) {
    return endpoint.path().text().contains("/board/") ? "tenant:acme" : "agent";
  }

  private String body(Endpoint endpoint) {
    if (random.nextInt(3) == 0) {
      return one(BODIES);
    }
    return switch (endpoint.operationId()) {
      case "askAgent" -> "{\"input\": 1, \"namespace\": \"work\"}";
      case "spawnAgent" -> "{\"name\": \"x\", \"blueprint\": {\"policy\": {\"type\": \"t\"}}}";
      case "spawnAndAsk" ->
          "{\"agent\": {\"name\": \"y\", \"blueprint\": {\"policy\": {\"type\": \"t\"}}},"
              + " \"input\": 1, \"namespace\": \"work\"}";
      case "answerRequest" -> "{\"granted\": true, \"by\": \"x\"}";
      case "forkAgent" -> "{\"sequenceNr\": 1, \"name\": \"f\"}";
      default -> "{}";
    };
  }

  private String path(Endpoint endpoint) {
    StringBuilder path = new StringBuilder();
    for (String segment : endpoint.path().text().substring(1).split("/")) {
      path.append('/');
      boolean named = segment.startsWith("{");
      path.append(
          random.nextInt(named ? 12 : 100) == 0 ? one(NAMES) : named ? usual(segment) : segment);
    }
    return path.toString();
  }

  private String usual(String name) {
    return switch (name) {
      case "{tenant}" -> ApiRig.TENANT;
      case "{colony}" -> "billing";
      case "{agent}" -> agent;
      case "{run}" -> "known";
      case "{sequenceNr}" -> "1";
      default -> "x";
    };
  }

  private byte[] noise() {
    byte[] bytes = new byte[random.nextInt(2000)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Some bytes are others, are missing or stand there twice. */
  private byte[] bent(byte[] request) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (byte one : request) {
      switch (random.nextInt(200)) {
        case 0 -> bytes.write(random.nextInt(256));
        case 1 -> bytes.write(new byte[] {one, one}, 0, 2);
        case 2 -> {}
        default -> bytes.write(one);
      }
    }
    return bytes.toByteArray();
  }

  private <T> T one(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }
}
