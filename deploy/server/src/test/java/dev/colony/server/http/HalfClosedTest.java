package dev.colony.server.http;

import static dev.colony.server.http.ScriptedModel.events;
import static dev.colony.server.http.ScriptedModel.more;
import static dev.colony.server.http.ScriptedModel.text;
import static dev.colony.server.http.ScriptedModel.whole;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients that send nothing more and wait for their answer: the end of what a client sends is not
 * its going.
 */
class HalfClosedTest extends OpenAiFixture {

  private static final int TIMES = 20;
  private static final String WHOLE =
      "{\"id\":\"x\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"scripted-1\","
          + "\"choices\":[{\"index\":0,\"finish_reason\":\"stop\","
          + "\"message\":{\"role\":\"assistant\",\"content\":\"the front of a ship\"}}]}";

  /** How a client tells that nothing more comes, and how its request is cut into packets. */
  private enum Ending {
    CLOSE_HEADER("Connection: close\r\n", false, false),
    CLOSE_HEADER_AND_BODY_LATER("Connection: close\r\n", true, false),
    HALF_CLOSED("", false, true),
    HALF_CLOSED_AND_BODY_LATER("", true, true),
    CLOSE_HEADER_AND_HALF_CLOSED("Connection: close\r\n", true, true);

    private final String header;
    private final boolean apart;
    private final boolean ends;

    Ending(String header, boolean apart, boolean ends) {
      this.header = header;
      this.apart = apart;
      this.ends = ends;
    }

    /** A model call's answer, all of it. */
    String answer(ScriptedModel model, boolean stream) {
      String body =
          "{" + ask("\"n\": 1").replace("\"stream\": true", "\"stream\": " + stream) + "}";
      String head =
          "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
              .formatted(CHAT, header, body.length());
      try (RawClient raw = new RawClient(rig.api().uri(), ApiClient.LONGEST)) {
        if (apart) {
          raw.send(head).send(body.substring(0, 5));
          raw.send(body.substring(5));
        } else {
          raw.send(head + body);
        }
        model.call();
        if (ends) {
          raw.end();
        }
        model.goOn();
        return ends || !header.isEmpty() ? raw.readToEnd() : raw.readSome();
      }
    }
  }

  @BeforeEach
  void forget() {
    rig.problems().clear();
  }

  static Stream<Ending> endings() {
    return Stream.of(Ending.values());
  }

  @ParameterizedTest
  @MethodSource("endings")
  void aModelCallIsAnswered(Ending ending) {
    model.script((body, out) -> {
      model.awaitGoOn();
      whole(out, 200, Map.of(), WHOLE);
      return false;
    });
    for (int i = 0; i < TIMES; i++) {
      assertThat(ending.answer(model, false))
          .as("call %d", i)
          .startsWith("HTTP/1.1 200 ")
          .contains("the front of a ship");
    }
    assertThat(rig.problems()).doesNotContain("client_gone");
  }

  @ParameterizedTest
  @MethodSource("endings")
  void aStreamOfPartsIsReadToItsEnd(Ending ending) {
    model.script((body, out) -> {
      events(out, text("the front"));
      model.awaitGoOn();
      more(out, text(" of a ship"), ScriptedModel.delta("{}", "stop"), "[DONE]");
      return false;
    });
    for (int i = 0; i < TIMES; i++) {
      assertThat(ending.answer(model, true))
          .as("call %d", i)
          .startsWith("HTTP/1.1 200 ")
          .contains("the front", " of a ship", "data: [DONE]");
    }
    assertThat(rig.problems()).doesNotContain("client_gone");
  }

  @Test
  void whatIsAnsweredAtOnceIsAnswered() {
    for (int i = 0; i < TIMES; i++) {
      try (RawClient raw = new RawClient(rig.api().uri(), ApiClient.LONGEST)) {
        raw.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").end();
        assertThat(raw.readToEnd()).as("call %d", i).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  /** Events of the blackboard, which has none: what comes are comments. */
  @Test
  void aStreamOfEventsGoesOn() {
    try (RawClient raw = new RawClient(rig.api().uri(), ApiClient.LONGEST)) {
      raw.send(
              "GET /v1/tenants/acme/board/events?scope=tenant:acme HTTP/1.1\r\n"
                  + "Host: localhost\r\nConnection: close\r\n\r\n")
          .end();
      StringBuilder begun = new StringBuilder();
      while (begun.indexOf("id: ") < 0) {
        begun.append(raw.readSome());
      }
      assertThat(begun.toString()).startsWith("HTTP/1.1 200 ");
      rig.api().drain();
      assertThat(raw.readToEnd()).as("the last chunk").endsWith("0\r\n\r\n");
    }
    end();
    start();
  }

  /** It is told from a client that only ended its side by that nothing can be sent to it. */
  @ParameterizedTest
  @MethodSource("streams")
  void aClientThatIsResetHasItsCallEndedAtTheServer(boolean stream) throws Exception {
    model.script((body, out) -> true);
    String body = "{" + ask("\"n\": 1").replace("\"stream\": true", "\"stream\": " + stream) + "}";
    try (RawClient raw = new RawClient(rig.api().uri(), ApiClient.LONGEST)) {
      raw.send(
          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
              .formatted(CHAT, body.length(), body));
      model.call();
      raw.reset();
    }
    assertThat(model.closedByClient.await(30, TimeUnit.SECONDS)).isTrue();
  }

  static Stream<Boolean> streams() {
    return Stream.of(true, false);
  }
}
