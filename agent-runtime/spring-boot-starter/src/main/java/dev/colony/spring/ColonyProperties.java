package dev.colony.spring;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How the application reaches its agents.
 *
 * @param url URL of the cluster's Redis, such as redis://127.0.0.1:6379, or of its HTTP API, such
 *     as https://colony.example.org; where it is missing, no connection is configured
 * @param key API key, over HTTP only; empty where the API wants none
 * @param settings settings of the client, by the paths of docs/reference/configuration.md, in place
 *     of those of the class path
 * @param scan packages whose registered types are added to those of the class path
 * @param health how the health of the connection is looked at
 */
@ConfigurationProperties("colony")
public record ColonyProperties(
    String url,
    @DefaultValue("") String key,
    @DefaultValue Map<String, String> settings,
    @DefaultValue List<String> scan,
    @DefaultValue Health health) {

  /**
   * How the health of the connection is looked at.
   *
   * @param tenant tenant whose agents are asked for; over HTTP the key has to reach it
   * @param timeout time after which the connection counts as down
   */
  public record Health(
      @DefaultValue("system") String tenant, @DefaultValue("2s") Duration timeout) {}
}
