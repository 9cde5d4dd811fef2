package dev.colony.deploy.metrics;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ClassicActorSystemProvider;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;

/** Where the routes of an actor system's management port find its node's figures. */
final class MetricsExtension implements Extension {

  private static final Id ID = new Id();

  private final AtomicReference<NodeMetrics> shown = new AtomicReference<>();

  static MetricsExtension get(ClassicActorSystemProvider system) {
    return ID.get(system);
  }

  void show(NodeMetrics metrics) {
    shown.set(metrics);
  }

  /** Empty while the node is starting. */
  Optional<NodeMetrics> shown() {
    return Optional.ofNullable(shown.get());
  }

  private static final class Id extends AbstractExtensionId<MetricsExtension> {
    @Override
    public MetricsExtension createExtension(ExtendedActorSystem system) {
      return new MetricsExtension();
    }
  }
}
