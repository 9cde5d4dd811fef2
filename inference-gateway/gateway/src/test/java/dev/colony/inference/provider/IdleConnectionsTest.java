package dev.colony.inference.provider;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class IdleConnectionsTest {

  private static final String CLOSED = "closed";

  /** In a JVM of its own: what the pool holds is decided with the first client of a JVM. */
  @Test
  void afterManyCallsAtOnceAFewConnectionsStayOpen() throws IOException, InterruptedException {
    Process calls =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Calls.class.getName())
            .redirectErrorStream(true)
            .start();

    String said = new String(calls.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(calls.waitFor()).isZero();
    assertThat(said.strip()).endsWith(CLOSED);
  }

  /** As many calls under way as their number, each on a connection of its own. */
  static final class Calls {

    private static final int NUMBER = 400;
    private static final int CLOSED_AT_LEAST = NUMBER - 256;

    /** Less than after which the JDK closes what is idle. */
    private static final int PATIENCE_SECONDS = 15;

    private static final byte[] REPLY =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

    private final CountDownLatch asked = new CountDownLatch(NUMBER);
    private final CountDownLatch closed = new CountDownLatch(CLOSED_AT_LEAST);

    public static void main(String[] arguments) throws Exception {
      try (ServerSocket server = new ServerSocket(0, NUMBER, InetAddress.getLoopbackAddress());
          ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        boolean few = new Calls().make(server, threads);
        System.out.println(few ? CLOSED : "kept");
        System.exit(0);
      }
    }

    private boolean make(ServerSocket server, ExecutorService threads) throws InterruptedException {
      threads.submit(() -> {
        while (true) {
          Socket one = server.accept();
          threads.submit(() -> answer(one));
        }
      });
      HttpClient client = ModelServer.httpClient(threads);
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.getLocalPort())).build();
      List<CompletableFuture<HttpResponse<Void>>> calls = new ArrayList<>();
      for (int i = 0; i < NUMBER; i++) {
        calls.add(client.sendAsync(request, BodyHandlers.discarding()));
      }
      calls.forEach(CompletableFuture::join);
      return closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    /** Once all have asked; then until the other side closes. */
    private Void answer(Socket one) throws IOException, InterruptedException {
      try (one) {
        InputStream in = one.getInputStream();
        int ends = 0;
        for (int next = in.read(); next >= 0; next = in.read()) {
          ends = next == '\r' || next == '\n' ? ends + 1 : 0;
          if (ends == 4) {
            asked.countDown();
            asked.await();
            one.getOutputStream().write(REPLY);
          }
        }
      }
      closed.countDown();
      return null;
    }
  }
}
