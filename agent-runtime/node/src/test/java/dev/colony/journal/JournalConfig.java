package dev.colony.journal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;

/** An actor system's configuration with this journal on a given Redis. */
final class JournalConfig {

  private JournalConfig() {}

  static Config on(String redisUri, String... more) {
    return ConfigFactory.parseString(
            """
            pekko.persistence.journal.plugin = "colony.agent.journal"
            pekko.persistence.snapshot-store.plugin = "colony.agent.snapshot-store"
            pekko.loglevel = warning
            pekko.coordinated-shutdown.exit-jvm = off
            pekko.actor.provider = local
            colony.agent.journal.redis-uri = "%s"
            """
                    .formatted(redisUri)
                + String.join("\n", more))
        .withFallback(ConfigFactory.load());
  }
}
