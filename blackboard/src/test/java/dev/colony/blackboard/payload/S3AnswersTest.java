package dev.colony.blackboard.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadStore.RefusedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of the answers of a store that does not do what it is asked. */
class S3AnswersTest {

  private HttpServer server;
  private S3Store store;
  private volatile int status;
  private volatile String code;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        call -> {
          byte[] body =
              "<?xml version=\"1.0\"?><Error><Code>%s</Code></Error>"
                  .formatted(code)
                  .getBytes(StandardCharsets.UTF_8);
          call.getRequestBody().readAllBytes();
          call.sendResponseHeaders(status, body.length);
          call.getResponseBody().write(body);
          call.close();
        });
    server.start();
    store =
        new S3Store(
            new PayloadSettings(
                "s3://bucket/p", "http://127.0.0.1:" + server.getAddress().getPort(), "r"),
            new RequestSignature("key", "secret", Optional.empty(), "r"));
  }

  @AfterEach
  void stop() {
    store.close();
    server.stop(0);
  }

  @ParameterizedTest
  @CsvSource({"403, AccessDenied", "404, NoSuchBucket", "400, InvalidArgument"})
  void whatWillNotPassIsRefused(int answered, String why) {
    status = answered;
    code = why;
    assertThatThrownBy(() -> store.put("j/a", new byte[1]))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("s3://bucket/p")
        .hasMessageContaining(answered + " " + why);
    assertThatThrownBy(() -> store.get("j/a", 1)).isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> store.list("j/", "", 1)).isInstanceOf(RefusedException.class);
  }

  @ParameterizedTest
  @CsvSource({"503, SlowDown", "500, InternalError", "429, TooManyRequests"})
  void whatMayPassIsNoRefusal(int answered, String why) {
    status = answered;
    code = why;
    assertThatThrownBy(() -> store.put("j/a", new byte[1]))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(RefusedException.class)
        .hasMessageContaining(why);
  }

  @Test
  void onlyAKeyThatIsNotThereIsNone() throws IOException {
    status = 404;
    code = "NoSuchKey";
    assertThat(store.get("j/a", 1)).isEmpty();
    store.delete("j/a");
  }

  @Test
  void aServerThatIsNotThereIsNoRefusal() {
    server.stop(0);
    assertThatThrownBy(() -> store.put("j/a", new byte[1]))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(RefusedException.class);
  }
}
