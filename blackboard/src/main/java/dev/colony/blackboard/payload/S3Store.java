package dev.colony.blackboard.payload;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * A bucket of an S3-compatible store, over its REST API with URLs of path style: PUT, GET, DELETE
 * and ListObjectsV2. A payload is durable once the store has answered its PUT with 200, and is seen
 * by all from then on ("Amazon S3 data consistency model").
 */
final class S3Store implements PayloadStore {

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** Of one request, with its body. */
  private static final Duration REQUEST = Duration.ofSeconds(20);

  private final PayloadSettings settings;
  private final RequestSignature signature;

  /** A store refuses what is signed at another time than its own. */
  private final InstantSource clock = InstantSource.system();

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT)
          .executor(Executors.newVirtualThreadPerTaskExecutor())
          .build();

  S3Store(PayloadSettings settings, RequestSignature signature) {
    this.settings = settings;
    this.signature = signature;
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    Answer answer = ask("PUT", name, new TreeMap<>(), Map.of(), bytes);
    if (answer.status() != 200) {
      throw answer.failure();
    }
  }

  @Override
  public Optional<byte[]> get(String name, int most) throws IOException {
    Map<String, String> range = Map.of("range", "bytes=0-" + (most - 1));
    Answer answer = ask("GET", name, new TreeMap<>(), range, new byte[0]);
    if (answer.status() == 200 || answer.status() == 206) {
      return Optional.of(answer.body());
    }
    if (answer.status() == 404 && answer.code().equals("NoSuchKey")) {
      return Optional.empty();
    }
    throw answer.failure();
  }

  @Override
  public void delete(String name) throws IOException {
    Answer answer = ask("DELETE", name, new TreeMap<>(), Map.of(), new byte[0]);
    boolean gone = answer.status() == 204 || answer.status() == 200;
    if (!gone && !answer.code().equals("NoSuchKey")) {
      throw answer.failure();
    }
  }

  @Override
  public List<String> list(String prefix, String after, int most) throws IOException {
    TreeMap<String, String> query = new TreeMap<>();
    query.put("list-type", "2");
    query.put("prefix", settings.prefix() + prefix);
    query.put("max-keys", Integer.toString(most));
    if (!after.isEmpty()) {
      query.put("start-after", settings.prefix() + after);
    }
    Answer answer = ask("GET", "", query, Map.of(), new byte[0]);
    if (answer.status() != 200) {
      throw answer.failure();
    }
    return answer.texts("Key").stream()
        .map(key -> key.substring(settings.prefix().length()))
        .toList();
  }

  /**
   * @param name of a payload; empty for the bucket itself
   */
  private Answer ask(
      String method,
      String name,
      SortedMap<String, String> query,
      Map<String, String> headers,
      byte[] body)
      throws IOException {
    URI base = settings.base();
    String key = name.isEmpty() ? "" : "/" + settings.prefix() + name;
    String path = "/" + RequestSignature.encoded(settings.bucket() + key, true);
    String question = query.isEmpty() ? "" : "?" + RequestSignature.encoded(query);
    Map<String, String> signing = new HashMap<>(headers);
    signing.put("host", host(base));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path + question))
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    signature
        .signed(method, path, query, signing, RequestSignature.sha256(body), clock.instant())
        .forEach((header, value) -> {
          // The client sends that one itself.
          if (!header.equals("host")) {
            request.header(header, value);
          }
        });
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    try {
      HttpResponse<byte[]> response = sent.get(REQUEST.toNanos(), TimeUnit.NANOSECONDS);
      return new Answer(this + ": " + method + " " + name, response.statusCode(), response.body());
    } catch (ExecutionException failure) {
      throw new IOException(this + ": " + failure.getCause(), failure.getCause());
    } catch (TimeoutException late) {
      throw new IOException(this + " has not answered within " + REQUEST, late);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(this + ": interrupted");
    } finally {
      sent.cancel(true);
    }
  }

  /** As the client sends it: without the port of the scheme. */
  private static String host(URI base) {
    int usual = base.getScheme().equals("https") ? 443 : 80;
    return base.getPort() < 0 || base.getPort() == usual
        ? base.getHost()
        : base.getHost() + ":" + base.getPort();
  }

  @Override
  public String toString() {
    return settings.store() + " at " + settings.base();
  }

  @Override
  public void close() {
    http.shutdownNow();
  }

  /**
   * What the store has answered.
   *
   * @param request for messages
   */
  private record Answer(String request, int status, byte[] body) {

    /** The code of an error, such as {@code NoSuchKey}; empty where it names none. */
    String code() {
      try {
        return texts("Code").stream().findFirst().orElse("");
      } catch (IOException noXml) {
        return "";
      }
    }

    IOException failure() {
      String text = "%s was answered with %d %s".formatted(request, status, code()).strip();
      boolean mayPass = status >= 500 || status == 408 || status == 429;
      return mayPass ? new IOException(text) : new RefusedException(text);
    }

    /** The texts of all elements of a name. */
    List<String> texts(String element) throws IOException {
      XMLInputFactory factory = XMLInputFactory.newFactory();
      factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
      factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
      List<String> texts = new ArrayList<>();
      try {
        XMLStreamReader xml =
            factory.createXMLStreamReader(
                new ByteArrayInputStream(body), StandardCharsets.UTF_8.name());
        while (xml.hasNext()) {
          if (xml.next() == XMLStreamConstants.START_ELEMENT
              && xml.getLocalName().equals(element)) {
            texts.add(xml.getElementText());
          }
        }
        return texts;
      } catch (XMLStreamException bad) {
        throw new IOException(request + " was not answered with XML", bad);
      }
    }
  }
}
