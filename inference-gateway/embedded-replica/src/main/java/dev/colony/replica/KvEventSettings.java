package dev.colony.replica;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;

/**
 * Settings of the events of the KV cache; {@code reference.conf} says what each does.
 *
 * @param encoding how events are written: as arrays, as older versions of vLLM do, or as maps, as
 *     newer ones do
 */
record KvEventSettings(
    boolean enabled,
    int port,
    int replayPort,
    String topic,
    Encoding encoding,
    int bufferSteps,
    int highWaterMark,
    int maxQueued) {

  /** How events are written. */
  enum Encoding {
    ARRAY,
    MAP
  }

  private static final String PATH = EmbeddedReplicaSettings.PATH + ".kv-events";

  KvEventSettings {
    within(PATH + ".port", port, 0, 65535);
    within(PATH + ".replay-port", replayPort, 0, 65535);
    within(PATH + ".buffer-steps", bufferSteps, 0, 10_000_000);
    within(PATH + ".high-water-mark", highWaterMark, 1, 10_000_000);
    within(PATH + ".max-queued", maxQueued, 1, 10_000_000);
  }

  static KvEventSettings fromConfig(Config c) {
    return new KvEventSettings(
        c.getBoolean("enabled"),
        c.getInt("port"),
        c.getInt("replay-port"),
        c.getString("topic"),
        encoding(c.getString("encoding")),
        c.getInt("buffer-steps"),
        c.getInt("high-water-mark"),
        c.getInt("max-queued"));
  }

  private static Encoding encoding(String word) {
    return switch (word) {
      case "array" -> Encoding.ARRAY;
      case "map" -> Encoding.MAP;
      default ->
          throw new IllegalArgumentException(
              PATH + ".encoding = " + word + " is unknown, allowed is array or map");
    };
  }
}
