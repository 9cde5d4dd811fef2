package dev.colony.inference.openai;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the client; {@code reference.conf} says what each does.
 *
 * @param model empty for the first model that the server lists
 * @param apiKey sent as bearer token; never printed
 * @param probeTimeout how long a server may take to say what it serves when a command names it
 */
public record OpenAiSettings(
    Optional<String> model,
    Optional<String> apiKey,
    Duration connectTimeout,
    Duration probeTimeout,
    int maxReplyBytes) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.client";

  public OpenAiSettings {
    within(PATH + ".connect-timeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
    within(PATH + ".probe-timeout", probeTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
    within(PATH + ".max-reply-bytes", maxReplyBytes, 1024, 1 << 30);
  }

  /** Reads the settings under {@link #PATH}. */
  public static OpenAiSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    return new OpenAiSettings(
        nonBlank(c.getString("model")),
        nonBlank(c.getString("api-key")),
        c.getDuration("connect-timeout"),
        c.getDuration("probe-timeout"),
        c.getInt("max-reply-bytes"));
  }

  private static Optional<String> nonBlank(String value) {
    return Optional.of(value.strip()).filter(v -> !v.isEmpty());
  }

  @Override
  public String toString() {
    return "OpenAiSettings[model=%s, apiKey=%s, connectTimeout=%s, probeTimeout=%s, maxReplyBytes=%d]"
        .formatted(
            model.orElse("first listed"),
            apiKey.isPresent() ? "set" : "none",
            connectTimeout,
            probeTimeout,
            maxReplyBytes);
  }
}
