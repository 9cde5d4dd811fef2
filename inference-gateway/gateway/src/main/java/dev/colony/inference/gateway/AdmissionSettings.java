package dev.colony.inference.gateway;

import com.typesafe.config.Config;
import dev.colony.blackboard.settings.Range;
import dev.colony.blackboard.settings.Section;
import dev.colony.blackboard.settings.Settings;
import java.util.Map;

/**
 * Settings of admission; {@code reference.conf} says what each does.
 *
 * @param usual the share of a tenant that has none of its own
 */
@Section("colony.inference.admission")
public record AdmissionSettings(
    @Range(min = "0", max = "1000000") int maxWaiting,
    TenantShare usual,
    @Section("usual") Map<String, TenantShare> tenants) {

  /**
   * What a tenant may have of a node's model calls.
   *
   * @param weight of two tenants that both have calls waiting, one with twice the weight gets twice
   *     the tokens
   * @param maxWaiting calls that wait
   * @param maxRunning calls that are being answered
   */
  public record TenantShare(
      @Range(min = "1", max = "10000") int weight,
      @Range(min = "0", max = "1000000") int maxWaiting,
      @Range(min = "1", max = "1000000") int maxRunning) {}

  public static AdmissionSettings fromConfig(Config config) {
    return Settings.read(AdmissionSettings.class, config);
  }

  /** The share of a tenant. */
  public TenantShare of(String tenant) {
    return tenants.getOrDefault(tenant, usual);
  }
}
