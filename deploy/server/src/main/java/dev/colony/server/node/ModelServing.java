package dev.colony.server.node;

import com.typesafe.config.Config;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.EstimatedResidency;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.gateway.Spending;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.node.Started;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.EmbeddedReplicaSettings;
import dev.colony.server.InvalidConfigurationException;
import dev.colony.server.StartFailedException;
import dev.colony.server.StartFailedException.Reason;
import dev.colony.server.metrics.NodeMetrics;
import dev.colony.server.node.NodeConfig.SettingsCheck;
import dev.colony.server.node.ResidencyReporter.ObservedPages;
import dev.colony.server.node.ResidencyReporter.PageUseReporter;
import dev.colony.vcm.schedule.CacheControl;
import dev.colony.vcm.store.PageAccessSettings;
import dev.colony.vcm.table.BlackboardPageTable;
import dev.colony.vcm.table.NodeAddress;
import dev.colony.vcm.table.PageUseTracker;
import dev.colony.vcm.table.TableSettings;
import java.io.IOException;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A node's model server, the gateway to all of them, and what tells the page table what the server
 * holds.
 */
record ModelServing(
    Replica own, ResidencyReporter reporter, HttpInferenceGateway gateway, Started parts)
    implements AutoCloseable {

  /**
   * Starts them.
   *
   * @param table must be loaded
   * @param members the nodes whose replicas may be called
   * @param others tells what the gateways of other nodes wait for
   * @param metrics shows what waits at the gateway
   * @param spending of the gateway's calls; closed with it
   */
  static ModelServing start(
      NodeOptions options,
      Config config,
      BlackboardPageTable table,
      Supplier<Set<NodeAddress>> members,
      BacklogExchange others,
      NodeMetrics metrics,
      Spending spending,
      InstantSource clock) {
    Started parts = new Started();
    ReplicaSettings replicas = ReplicaSettings.fromConfig(config);
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    if (options.modelUrl().isPresent() && !catalog.usual().equals(ModelCatalog.UNNAMED)) {
      throw new InvalidConfigurationException(
          "a model server is given, %s, and colony.inference.default-model = %s: leave one of them out"
              .formatted(options.modelUrl().get(), catalog.usual()));
    }
    Function<String, ReplicaSource> inKubernetes =
        name -> new KubernetesSource(KubernetesSource.Api.of(System.getenv()), name);
    Optional<ReplicaSource> listed = replicas.source(inKubernetes);
    Optional<EmbeddedReplica> embedded =
        options.modelUrl().isPresent() ? Optional.empty() : Optional.of(embedded(config, parts));
    // A lambda or a method reference would load the replica's class where there is none.
    URI server = embedded.isPresent() ? embedded.get().uri() : options.modelUrl().orElseThrow();
    Replica replica = new Replica(options.name(), server, options.address());
    ResidencyReporter reporter = new ResidencyReporter(replica, table, clock.millis());
    reporter.introduce();
    parts.add(table.onChange(reporter::changed));
    CallObserver residency = CallObserver.NONE;
    if (embedded.isPresent()) {
      embedded.get().follow(reporter::resident);
    } else {
      residency = parts.add(new EstimatedResidency(replica, catalog.client(), reporter::estimated));
    }
    LiveReplicas live =
        new LiveReplicas(
            replica,
            table::snapshot,
            members,
            PageAccessSettings.fromConfig(config).clearances(),
            clock);
    // Where real servers are listed, the embedded replicas of nodes are no alternative to them.
    boolean listedOnly = listed.isPresent() && options.modelUrl().isEmpty();
    List<ReplicaMonitor> monitors = new ArrayList<>();
    monitors.add(
        parts.add(
            ReplicaMonitor.start(
                replicas, listed, listedOnly ? List::<Replica>of : live::replicas)));
    monitors.getFirst().judgeByCalls(catalog.client()::hosted);
    for (ModelEntry model : catalog.models().values()) {
      ReplicaSource source = model.replicas().source(inKubernetes).orElseThrow();
      ReplicaMonitor monitor =
          parts.add(ReplicaMonitor.start(model.name(), model.replicas(), source));
      monitor.judgeByCalls(model::hosted);
      monitors.add(monitor);
    }
    GatewaySettings settings = GatewaySettings.fromConfig(config);
    HttpInferenceGateway gateway;
    try {
      gateway =
          parts.add(
              new HttpInferenceGateway(
                  settings,
                  catalog,
                  RoutingSettings.fromConfig(config),
                  options.address(),
                  ReplicaSet.joined(monitors),
                  live,
                  residency
                      .and(metrics.calls())
                      .and(
                          new PageUseReporter(
                              new PageUseTracker(
                                  new NodeAddress(options.address()),
                                  clock.millis(),
                                  TableSettings.fromConfig(config).maxUses()),
                              table,
                              clock))
                      .and(
                          new ObservedPages(
                              new NodeAddress(options.address()),
                              clock.millis(),
                              TableSettings.fromConfig(config).maxPagesPerReplica(),
                              table,
                              reporter)),
                  others,
                  spending));
    } catch (IllegalArgumentException noLibrary) {
      spending.close();
      parts.close();
      throw SettingsCheck.refused(noLibrary);
    }
    gateway.keepPrompts();
    parts.add(table.onUpdate(gateway::spareLocked));
    metrics.follow(gateway, settings.admission());
    monitors.forEach(monitor -> monitor.listen(gateway.replicaListener()));
    return new ModelServing(replica, reporter, gateway, parts);
  }

  /** Tells the replicas' caches what a scheduler orders. */
  CacheControl cacheControl() {
    return gateway.cacheControl();
  }

  URI replica() {
    return own.baseUri();
  }

  /** Tells the other nodes that this one's replica is no more; done when that is stored. */
  CompletionStage<Void> withdraw() {
    return reporter.withdraw();
  }

  @Override
  public void close() {
    parts.close();
  }

  private static EmbeddedReplica embedded(Config config, Started parts) {
    EmbeddedReplicaSettings settings = EmbeddedReplicaSettings.fromConfig(config);
    try {
      return parts.add(EmbeddedReplica.start(settings));
    } catch (IOException failure) {
      throw new StartFailedException(
          Reason.PORT_IN_USE,
          "the embedded replica cannot listen on port %d: free it, or set %s.port"
              .formatted(settings.port(), EmbeddedReplicaSettings.PATH),
          failure);
    }
  }
}
