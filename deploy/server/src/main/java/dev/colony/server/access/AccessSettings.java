package dev.colony.server.access;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.SettingsReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The settings under {@code colony.access}; reference.conf says what each means.
 *
 * @param keysFile empty for a node that needs no key, which listens on loopback only
 */
public record AccessSettings(Optional<Path> keysFile, Duration reload) {

  /** Without keys. */
  public static final AccessSettings OPEN =
      new AccessSettings(Optional.empty(), Duration.ofSeconds(10));

  /**
   * Reads and checks them.
   *
   * @throws com.typesafe.config.ConfigException naming the path, the value and the range
   */
  public static AccessSettings fromConfig(Config config) {
    SettingsReader read = SettingsReader.of(config, "colony.access");
    return new AccessSettings(
        Optional.of(read.config().getString("keys-file"))
            .filter(name -> !name.isBlank())
            .map(Path::of),
        read.duration("reload", Duration.ofMillis(100), Duration.ofHours(1)));
  }
}
