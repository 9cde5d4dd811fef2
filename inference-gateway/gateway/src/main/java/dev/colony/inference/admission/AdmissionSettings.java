package dev.colony.inference.admission;

import static dev.colony.inference.settings.Ranges.within;

import com.typesafe.config.Config;
import dev.colony.inference.settings.NamedSettings;
import java.time.Duration;
import java.util.Map;

/**
 * Settings of admission; {@code reference.conf} says what each does.
 *
 * @param usual the share of a tenant that has none of its own
 */
public record AdmissionSettings(
    int maxWaiting,
    Duration aging,
    int lookAhead,
    Duration retryAfterLeast,
    Duration retryAfterMost,
    TenantShare usual,
    Map<String, TenantShare> tenants) {

  /** Where the settings stand in a configuration. */
  public static final String PATH = "colony.inference.admission";

  public AdmissionSettings {
    within(PATH + ".max-waiting", maxWaiting, 0, 1_000_000);
    within(PATH + ".aging", aging, Duration.ofMillis(1), Duration.ofHours(1));
    within(PATH + ".look-ahead", lookAhead, 1, 10_000);
    within(
        PATH + ".retry-after-least", retryAfterLeast, Duration.ofSeconds(1), Duration.ofHours(1));
    within(PATH + ".retry-after-most", retryAfterMost, retryAfterLeast, Duration.ofHours(1));
    tenants = Map.copyOf(tenants);
  }

  /** Reads the settings under {@link #PATH}. */
  public static AdmissionSettings fromConfig(Config config) {
    Config c = config.getConfig(PATH);
    Config usual = c.getConfig("usual");
    return new AdmissionSettings(
        c.getInt("max-waiting"),
        c.getDuration("aging"),
        c.getInt("look-ahead"),
        c.getDuration("retry-after-least"),
        c.getDuration("retry-after-most"),
        share(PATH + ".usual", usual),
        NamedSettings.read(PATH, c, "tenants", usual, AdmissionSettings::share));
  }

  private static TenantShare share(String path, Config c) {
    return new TenantShare(
        within(path + ".weight", c.getInt("weight"), 1, 10_000),
        within(path + ".max-waiting", c.getInt("max-waiting"), 0, 1_000_000),
        within(path + ".max-running", c.getInt("max-running"), 1, 1_000_000));
  }

  /** The share of a tenant. */
  public TenantShare of(String tenant) {
    return tenants.getOrDefault(tenant, usual);
  }
}
