package dev.colony.inference;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.GatewaySettings.Bounds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Requests and settings for tests. */
public final class InferenceFixtures {

  private static final ObjectMapper JSON = new ObjectMapper();

  private InferenceFixtures() {}

  /** The module's defaults, with some keys below {@code colony.inference} replaced. */
  public static Config config(String... lines) {
    return ConfigFactory.parseString(String.join("\n", lines))
        .atPath("colony.inference")
        .withFallback(ConfigFactory.parseResources("reference.conf").resolve());
  }

  /** The settings of a gateway that waits for milliseconds after a failure. */
  public static GatewaySettings hurried(Config config) {
    return GatewaySettings.fromConfig(config)
        .within(Bounds.USUAL.waiting(Duration.ofMillis(1), Duration.ofMillis(5)));
  }

  /** A call over some pages with a deadline of ten seconds. */
  public static InferenceRequest request(String callId, String... pageIds) {
    List<PromptPage> pages =
        List.of(pageIds).stream().map(id -> new PromptPage(id, "text of " + id, 100)).toList();
    return InferenceRequest.of(
        callId,
        Prompt.of("You answer from pages.", pages, "Question: what?"),
        ReplyForm.text(50),
        CallContext.within(Duration.ofSeconds(10)));
  }

  public static InferenceRequest withSchema(InferenceRequest request, String schema) {
    return request.reply(request.reply().schema(Optional.of(json(schema))));
  }

  public static InferenceRequest within(InferenceRequest request, Duration deadline) {
    return request.context(request.context().deadline(deadline));
  }

  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A port on which no server listened a moment ago. */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
