package dev.colony.langchain4j;

import static dev.colony.inference.InferenceFixtures.request;
import static dev.colony.inference.InferenceFixtures.within;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.RecordingModelServer.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong with models of LangChain4j behind the gateway, over HTTP. */
class LangChain4jFaultsTest extends LangChain4jFixture {

  /**
   * @param requests how many reach the server
   * @param begun whether what was begun is billed
   */
  private record Fault(
      String what, Reply reply, Kind kind, String words, int requests, boolean begun) {

    @Override
    public String toString() {
      return what;
    }
  }

  static List<Fault> faults() {
    String begin = delta("{\"content\":\"sixteen letters!\"}", null);
    String quota = "{\"error\":{\"message\":\"pay\",\"code\":\"insufficient_quota\"}}";
    String length = "{\"error\":{\"message\":\"no\",\"code\":\"context_length_exceeded\"}}";
    String key = "{\"error\":{\"message\":\"Incorrect API key provided\"}}";
    return List.of(
        new Fault("400", Reply.status(400, "no"), Kind.REFUSED, "answered 400: no", 1, false),
        new Fault(
            "wrong key",
            Reply.status(401, key),
            Kind.REFUSED,
            "answered 401: Incorrect API key provided",
            1,
            false),
        new Fault("too long", Reply.status(400, length), Kind.TOO_LONG, "answered 400", 1, false),
        new Fault("429", Reply.status(429, "slow"), Kind.OVERLOADED, "answered 429", 3, false),
        new Fault("quota", Reply.status(429, quota), Kind.QUOTA, "answered 429: pay", 1, false),
        new Fault("500", Reply.status(500, "oh"), Kind.SERVER_ERROR, "answered 500: oh", 3, false),
        new Fault("503", Reply.status(503, ""), Kind.OVERLOADED, "answered 503", 3, false),
        new Fault("dies at once", Reply.raw(""), Kind.BROKEN_OFF, "broke off its reply", 3, false),
        new Fault(
            "dies in mid-stream",
            Reply.eventsThenClose(begin),
            Kind.BROKEN_OFF,
            "broke off its reply",
            3,
            true),
        new Fault(
            "cut in mid-stream",
            Reply.raw(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n"
                    + begin
                    + "\n\n"),
            Kind.BROKEN_OFF,
            "broke off its reply",
            3,
            true),
        new Fault("hangs", Reply.hang(), Kind.TIMEOUT, "began no reply within 1200 ms", 3, false),
        new Fault(
            "hangs between tokens",
            Reply.eventsThenHang(begin),
            Kind.TIMEOUT,
            "sent no more of its reply for 200 ms",
            3,
            true));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void faultsAreThoseOfAnyServer(Fault fault) {
    try (Rig rig =
        new Rig(PAGE, "models.lib { first-token-timeout = 300 ms, next-token-timeout = 200 ms }")) {
      rig.served.chat(r -> fault.reply());
      InferenceException failure = failure(rig, request("c", "p1"));
      assertThat(failure.kind()).isEqualTo(fault.kind());
      assertThat(failure.getMessage())
          .startsWith("provider://langchain4j/lib " + fault.words())
          .doesNotContain("\n");
      assertThat(rig.served.chats()).hasSize(fault.requests());
      assertThat(failure.usage().completionTokens()).isEqualTo(fault.begun() ? 3 * 4 : 0);
      assertThat(failure.usage().promptTokens() > 0).isEqualTo(fault.begun());
    }
  }

  @Test
  void noServerIsUnreachable() {
    try (Rig rig = new Rig(PAGE)) {
      rig.served.close();
      assertThat(failure(rig, request("c")).kind()).isEqualTo(Kind.UNREACHABLE);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {PAGE, WHOLE})
  void retryAfterIsHonoured(String factory) {
    try (Rig rig = new Rig(factory)) {
      rig.served.chat(r -> Reply.status(429, Map.of("Retry-After", "7"), "slow"));
      InferenceException busy = failure(rig, within(request("c"), Duration.ofSeconds(5)));
      assertThat(busy.kind()).isEqualTo(Kind.OVERLOADED);
      assertThat(busy.retryAfter()).contains(Duration.ofSeconds(7));
      assertThat(rig.served.chats()).as("a wait past the deadline ends the call").hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {PAGE, WHOLE})
  void aCallThatIsGivenUpBeforeItsReplyBeginsEndsAtTheServer(String factory) {
    try (Rig rig = new Rig(factory)) {
      rig.served.chat(r -> Reply.hang());
      CompletableFuture<InferenceReply> call = rig.gateway.complete(request("c"));
      await().until(() -> rig.served.chats().size() == 1);
      call.cancel(true);
      await().until(() -> rig.served.abandoned() == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {PAGE, OWN_HTTP})
  void aCallThatIsGivenUpInMidStreamEndsAtTheServer(String factory) {
    try (Rig rig = new Rig(factory)) {
      rig.served.chat(r -> Reply.eventsThenHang(delta("{\"content\":\"the \"}", null)));
      List<InferenceDelta> parts = new CopyOnWriteArrayList<>();
      CompletableFuture<InferenceReply> call = rig.gateway.complete(request("c"), parts::add);
      await().until(() -> parts.contains(new InferenceDelta.Text("the ")));
      call.cancel(true);
      await().until(() -> rig.served.abandoned() == 1);
    }
  }
}
