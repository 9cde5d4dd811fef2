package dev.colony.vcm.store;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValue;
import dev.colony.vcm.schedule.Clearances;
import dev.colony.vcm.schedule.Sensitivity;
import java.util.HashMap;
import java.util.Map;

/**
 * Who may read pages; the keys are described in {@code reference.conf}.
 *
 * @param sensitivity of the pages that are mapped where nothing else is said
 * @param clearances of tenants and replicas
 */
public record PageAccessSettings(Sensitivity sensitivity, Clearances clearances) {

  private static final String PATH = "colony.vcm.access.";

  /**
   * Reads the settings.
   *
   * @throws ConfigException if one names no class, with its path, the value and the classes
   */
  public static PageAccessSettings fromConfig(Config config) {
    return new PageAccessSettings(
        of(PATH + "sensitivity", config),
        new Clearances(
            byName(config, "tenants"),
            of(PATH + "other-tenants", config),
            byName(config, "replicas"),
            of(PATH + "other-replicas", config)));
  }

  private static Sensitivity of(String path, Config config) {
    return of(path, config.getString(path));
  }

  private static Sensitivity of(String path, String word) {
    try {
      return Sensitivity.of(word);
    } catch (IllegalArgumentException none) {
      throw new ConfigException.BadValue(path, none.getMessage(), none);
    }
  }

  private static Map<String, Sensitivity> byName(Config config, String key) {
    Map<String, Sensitivity> all = new HashMap<>();
    for (Map.Entry<String, ConfigValue> one : config.getObject(PATH + key).entrySet()) {
      String path = PATH + key + "." + one.getKey();
      all.put(one.getKey(), of(path, one.getValue().unwrapped().toString()));
    }
    return all;
  }
}
