package dev.colony.node.placement;

import com.typesafe.config.Config;
import java.util.List;
import org.apache.pekko.cluster.ConfigValidation;
import org.apache.pekko.cluster.JoinConfigCompatChecker;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Refuses a node that joins with another number of placement units: it would look for agents where
 * the others do not keep them. What else all nodes must agree on is fixed in Redis by the first of
 * them. Named in the configuration, so Pekko makes it.
 */
public final class AgreedSettings extends JoinConfigCompatChecker {

  private static final String PLACEMENT_UNITS = "colony.agent.placement-units";

  @Override
  public Seq<String> requiredKeys() {
    return CollectionConverters.asScala(List.of(PLACEMENT_UNITS)).toSeq();
  }

  @Override
  public ConfigValidation check(Config joining, Config cluster) {
    return JoinConfigCompatChecker.fullMatch(requiredKeys(), joining, cluster);
  }
}
