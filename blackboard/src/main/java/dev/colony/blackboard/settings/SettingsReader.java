package dev.colony.blackboard.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.function.Function;

/**
 * Reads settings within ranges; a value outside, or of another kind, names its path, itself and the
 * range.
 *
 * @param root the path that stands before every key
 */
public record SettingsReader(Config config, String root) {

  public static SettingsReader of(Config config, String root) {
    return new SettingsReader(config.getConfig(root), root);
  }

  public int integer(String key, int least, int most) {
    String range = least + " to " + most;
    int value = read(config::getInt, key, range);
    check(value >= least && value <= most, key, value, range);
    return value;
  }

  public int bytes(String key, int least, int most) {
    String range = least + " to " + most + " bytes";
    long value = read(config::getBytes, key, range);
    check(value >= least && value <= most, key, value, range);
    return Math.toIntExact(value);
  }

  public boolean flag(String key) {
    return read(config::getBoolean, key, "on or off");
  }

  /** A decimal number that is not negative, or if it must be, positive. */
  public BigDecimal decimal(String key, boolean positive) {
    BigDecimal value;
    try {
      value = new BigDecimal(config.getString(key));
    } catch (NumberFormatException none) {
      throw new ConfigException.BadValue(
          root + "." + key, "is " + config.getString(key) + ", but must be a number");
    }
    check(
        value.signum() > 0 || value.signum() == 0 && !positive,
        key,
        value,
        positive ? "more than 0" : "0 or more");
    return value;
  }

  /** A part of a whole, from 0 to 1. */
  public double part(String key) {
    double value = read(config::getDouble, key, "0 to 1");
    check(value >= 0 && value <= 1, key, value, "0 to 1");
    return value;
  }

  public Duration duration(String key, Duration least, Duration most) {
    String range = least + " to " + most;
    Duration value = read(config::getDuration, key, range);
    check(value.compareTo(least) >= 0 && value.compareTo(most) <= 0, key, value, range);
    return value;
  }

  /** The library's own words name the key without its root, and what a value is in its terms. */
  private <T> T read(Function<String, T> getter, String key, String range) {
    try {
      return getter.apply(key);
    } catch (ConfigException.WrongType | ConfigException.BadValue other) {
      throw outside(key, config.getAnyRef(key), range);
    }
  }

  private void check(boolean fits, String key, Object value, String range) {
    if (!fits) {
      throw outside(key, value, range);
    }
  }

  private ConfigException outside(String key, Object value, String range) {
    return new ConfigException.BadValue(root + "." + key, "is " + value + ", but must be " + range);
  }
}
