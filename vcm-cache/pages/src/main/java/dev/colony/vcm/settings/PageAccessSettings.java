package dev.colony.vcm.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import dev.colony.vcm.schedule.access.Clearances;
import dev.colony.vcm.schedule.access.Sensitivity;
import java.util.HashMap;
import java.util.Map;

/**
 * Who may read pages and which replicas may hold them; the keys are described in {@code
 * reference.conf}.
 *
 * @param sensitivity of the pages that are mapped where nothing else is said
 */
public record PageAccessSettings(Sensitivity sensitivity, Clearances clearances) {

  private static final String PATH = "colony.vcm.access.";

  /**
   * Reads the settings.
   *
   * @throws IllegalArgumentException if one names no class, with its path, the value and the
   *     classes
   */
  public static PageAccessSettings fromConfig(Config config) {
    return new PageAccessSettings(
        sensitivity(config, "sensitivity"),
        new Clearances(
            byName(config, "tenants"),
            sensitivity(config, "other-tenants"),
            byName(config, "replicas"),
            sensitivity(config, "other-replicas")));
  }

  private static Sensitivity sensitivity(Config config, String key) {
    return sensitivity(PATH + key, config.getString(PATH + key));
  }

  private static Sensitivity sensitivity(String path, String word) {
    try {
      return Sensitivity.of(word);
    } catch (IllegalArgumentException none) {
      throw new IllegalArgumentException(path + ": " + none.getMessage());
    }
  }

  private static Map<String, Sensitivity> byName(Config config, String key) {
    Map<String, Sensitivity> all = new HashMap<>();
    for (Map.Entry<String, ConfigValue> one : config.getObject(PATH + key).entrySet()) {
      all.put(
          one.getKey(),
          sensitivity(PATH + key + "." + one.getKey(), one.getValue().unwrapped().toString()));
    }
    return all;
  }
}
