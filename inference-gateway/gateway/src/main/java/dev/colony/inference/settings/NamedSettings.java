package dev.colony.inference.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigUtil;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;

/** Sections by names of a user's choice, each of which changes what is usual. */
public final class NamedSettings {

  private NamedSettings() {}

  /**
   * Reads them.
   *
   * @param path of the section that holds {@code key}
   * @param usual what holds where a section says nothing; no section has any other keys
   * @param read is given a section's path and its settings, the usual ones included
   * @throws IllegalArgumentException naming a key that is none
   */
  public static <T> Map<String, T> read(
      String path, Config config, String key, Config usual, BiFunction<String, Config, T> read) {
    Map<String, T> all = new TreeMap<>();
    Config sections = config.getConfig(key);
    for (String name : sections.root().keySet()) {
      Config own = sections.getConfig(ConfigUtil.quoteString(name));
      String place = path + "." + key + "." + name;
      known(place, own, usual);
      all.put(name, read.apply(place, own.withFallback(usual)));
    }
    return all;
  }

  /**
   * Looks whether a section has no keys but those that are usual.
   *
   * @throws IllegalArgumentException naming a key that is none
   */
  public static void known(String path, Config own, Config usual) {
    own.root().keySet().stream()
        .filter(setting -> !usual.root().containsKey(setting))
        .findFirst()
        .ifPresent(setting -> {
          throw new IllegalArgumentException(
              "%s.%s is no setting, these are: %s"
                  .formatted(path, setting, new TreeSet<>(usual.root().keySet())));
        });
  }
}
