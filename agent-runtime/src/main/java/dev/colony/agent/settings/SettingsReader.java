package dev.colony.agent.settings;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import java.math.BigDecimal;
import java.time.Duration;

/**
 * Reads settings within ranges; a value outside names its path, itself and the range.
 *
 * @param root the path that stands before every key
 */
public record SettingsReader(Config config, String root) {

  public static SettingsReader of(Config config, String root) {
    return new SettingsReader(config.getConfig(root), root);
  }

  public int integer(String key, int least, int most) {
    int value = config.getInt(key);
    check(value >= least && value <= most, key, value, least + " to " + most);
    return value;
  }

  public int bytes(String key, int least, int most) {
    long value = config.getBytes(key);
    check(value >= least && value <= most, key, value, least + " to " + most + " bytes");
    return Math.toIntExact(value);
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

  public Duration duration(String key, Duration least, Duration most) {
    Duration value = config.getDuration(key);
    check(
        value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
        key,
        value,
        least + " to " + most);
    return value;
  }

  private void check(boolean fits, String key, Object value, String range) {
    if (!fits) {
      throw new ConfigException.BadValue(
          root + "." + key, "is " + value + ", but must be " + range);
    }
  }
}
