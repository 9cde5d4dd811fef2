package dev.colony.inference.provider;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigOrigin;
import com.typesafe.config.ConfigRenderOptions;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Settings of the client of model servers; {@code reference.conf} says what each does.
 *
 * @param model empty for the first model that the server lists and that answers prompts
 * @param apiKey never printed
 * @param dialect empty for the one that the server turns out to have
 * @param headers sent with each request
 * @param body fields that each request has, in place of those of the same name
 */
public record ProviderSettings(
    Optional<String> model,
    Optional<String> apiKey,
    Optional<Dialect> dialect,
    Map<String, String> headers,
    ObjectNode body,
    Bounds bounds) {

  /**
   * What bounds a call.
   *
   * @param contextTokens of prompt and reply together; 0 for what the server says
   * @param firstTokenTimeout from sending a request to the first part of its reply
   * @param nextTokenTimeout between two parts of a reply
   * @param maxReplyTokens of a reply that is given more room than its call has
   */
  public record Bounds(
      @Range(min = "0", max = "1000000000000") long contextTokens,
      @Range(min = "1 ms", max = "6 h") Duration firstTokenTimeout,
      @Range(min = "1 ms", max = "6 h") Duration nextTokenTimeout,
      @Range(min = "1", max = "16777216") int maxReplyTokens) {}

  /** The largest reply, in bytes. A larger one is a bad reply. */
  static final int MOST_REPLY_BYTES = 16 << 20;

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.client";

  /** Of a file that holds a key. */
  private static final int MOST_KEY_BYTES = 64 * 1024;

  private static final String AUTO = "auto";
  private static final ObjectMapper JSON = new ObjectMapper();

  public ProviderSettings {
    headers = Map.copyOf(headers);
  }

  /** Reads the settings under {@link #PATH}, and the key from its file if it stands in one. */
  public static ProviderSettings fromConfig(Config config) {
    return read(PATH, config.getConfig(PATH));
  }

  /**
   * Reads the settings of a section with the keys of {@link #PATH}.
   *
   * @param path of the section, for what is said of a bad value
   */
  public static ProviderSettings read(String path, Config c) {
    return new ProviderSettings(
        nonBlank(c.getString("model")).map(name -> prompted(path, name)),
        key(path, c),
        nonBlank(c.getString("dialect"))
            .filter(name -> !name.equals(AUTO))
            .map(name -> named(path, name)),
        headers(c.getConfig("headers")),
        body(path, c.getConfig("body")),
        Settings.of(Bounds.class, c, path));
  }

  private static String prompted(String path, String model) {
    if (ServedModel.embeds(model)) {
      throw new IllegalArgumentException(
          path
              + ".model = "
              + model
              + " is by its name a model of embeddings or a reranker, allowed are models that"
              + " answer prompts");
    }
    return model;
  }

  private static Dialect named(String path, String name) {
    try {
      return Dialect.named(name);
    } catch (IllegalArgumentException unknown) {
      throw new IllegalArgumentException(
          path + ".dialect = " + name + ": " + unknown.getMessage() + ", " + AUTO, unknown);
    }
  }

  /** The key; one that is written into a file of settings would be read by all who see the file. */
  private static Optional<String> key(String path, Config c) {
    Optional<String> key = nonBlank(c.getString("api-key"));
    ConfigOrigin origin = c.getValue("api-key").origin();
    if (key.isPresent() && (origin.filename() != null || origin.resource() != null)) {
      throw new IllegalArgumentException(
          "%s.api-key has a value in %s, allowed are ${?NAME} of an environment variable, or api-key-file"
              .formatted(path, origin.description()));
    }
    return key.or(() -> nonBlank(c.getString("api-key-file")).map(file -> secret(path, file)));
  }

  private static String secret(String path, String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] key = in.readNBytes(MOST_KEY_BYTES + 1);
      if (key.length > MOST_KEY_BYTES) {
        throw new IOException("it has more than " + MOST_KEY_BYTES + " bytes");
      }
      return new String(key, StandardCharsets.UTF_8).strip();
    } catch (IOException failure) {
      throw new IllegalArgumentException(
          path + ".api-key-file = " + file + " cannot be read: " + failure.getMessage(), failure);
    }
  }

  private static Map<String, String> headers(Config headers) {
    Map<String, String> all = new HashMap<>();
    headers.root().forEach((name, value) -> all.put(name, String.valueOf(value.unwrapped())));
    return all;
  }

  private static ObjectNode body(String path, Config body) {
    try {
      JsonNode node = JSON.readTree(body.root().render(ConfigRenderOptions.concise()));
      return (ObjectNode) node;
    } catch (IOException failure) {
      throw new IllegalArgumentException(path + ".body is no JSON object", failure);
    }
  }

  private static Optional<String> nonBlank(String value) {
    return Optional.of(value.strip()).filter(v -> !v.isEmpty());
  }

  /** How many tokens prompt and reply may have together; empty for what the server says. */
  public OptionalLong contextTokens() {
    return bounds.contextTokens() == 0
        ? OptionalLong.empty()
        : OptionalLong.of(bounds.contextTokens());
  }

  /** Whether a server is that of a hosted service, by the dialect that is set or by its address. */
  public boolean hosted(URI server) {
    return dialect.or(() -> Dialect.at(server)).filter(Dialect::hosted).isPresent();
  }

  @Override
  public String toString() {
    return "ProviderSettings[model=%s, apiKey=%s, dialect=%s, headers=%s, contextTokens=%s]"
        .formatted(
            model.orElse("first listed"),
            apiKey.isPresent() ? "set" : "none",
            dialect.map(Dialect::name).orElse(AUTO),
            headers.keySet(),
            contextTokens());
  }
}
