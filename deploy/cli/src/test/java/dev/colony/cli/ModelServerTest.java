package dev.colony.cli;

import dev.colony.cli.ColonyProcess.Finished;
import dev.colony.inference.RecordingModelServer.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A model server that cannot be used costs one line and its exit status. */
class ModelServerTest {

  private final Rig rig = new Rig();

  @AfterEach
  void stop() {
    rig.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unusable")
  void oneThatIsNoModelServer(String name, Reply reply, String why) {
    rig.model().server().models(request -> reply);
    Finished refused = rig.ask().await();
    Rig.assertOneLine(refused, 4, "--model-url: " + rig.model().uri(), why);
    rig.assertNothingRuns();
  }

  static Stream<Arguments> unusable() {
    return Stream.of(
        Arguments.of("answers 500", Reply.status(500, "boom"), "answered 500: boom"),
        Arguments.of("hangs", Reply.hang(), "no complete reply within 2000 ms"),
        Arguments.of("is no JSON", Reply.status(200, "<html>\nhello"), "not JSON"),
        Arguments.of("is other JSON", Reply.status(200, "{\"data\":7}"), "lists no model"),
        Arguments.of("is no HTTP", Reply.raw("220 smtp ready\r\n"), "does not speak HTTP"));
  }

  @Test
  void oneThatRefuses() throws Exception {
    String nobody = "http://127.0.0.1:" + freePort();
    Finished refused =
        rig.run("run", rig.tree().toString(), "--ask", Rig.QUESTION, "--model-url", nobody);
    Rig.assertOneLine(refused, 4, "--model-url: ", nobody);
  }

  @Test
  void oneThatBreaksInTheMiddleOfTheRun() {
    rig.model().analysts((call, clues) -> Reply.status(500, "worn out"));
    Finished failed = rig.ask().await();
    Rig.assertOneLine(failed, 1, "no analyst has an answer", "answered 500: worn out");
    rig.assertNothingRuns();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
