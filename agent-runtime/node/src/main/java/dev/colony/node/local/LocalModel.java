package dev.colony.node.local;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentException;
import dev.colony.agent.client.LocalOptions;
import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.gateway.Spending;
import dev.colony.inference.provider.FoundServer;
import dev.colony.inference.provider.ModelProbe;
import dev.colony.inference.provider.ModelSearch;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaMonitor;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ReplicaSettings;
import dev.colony.inference.replicas.ReplicaSource;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.node.Started;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which model answers the agents of a program: the one that it gives, else the server that it or
 * {@code COLONY_MODEL_URL} names, else what the settings list, else one that is found on this
 * machine, as {@code colony run} finds it.
 *
 * @param server empty where there is none but those of the settings
 * @param config with the model of the server that was found
 */
record LocalModel(Optional<URI> server, Config config) {

  private static final Logger LOG = LoggerFactory.getLogger(LocalModel.class);
  private static final String URL = "COLONY_MODEL_URL";

  private static final String NONE =
      "no model answers: "
          + ModelSearch.LOOKED
          + "; start a server there, for example: ollama run qwen2.5-coder:7b; or name one by"
          + " COLONY_MODEL_URL or LocalOptions.model(url)";

  /**
   * Settles which; asks a server that is named whether it is there.
   *
   * @throws AgentException on one line, if it is not, or is no model server
   */
  static LocalModel of(LocalOptions options, Config config) {
    Optional<URI> named =
        options
            .server()
            .or(() ->
                Optional.ofNullable(System.getenv(URL))
                    .filter(url -> !url.isBlank())
                    .map(URI::create));
    ProviderSettings settings = ProviderSettings.fromConfig(config);
    try {
      if (named.isPresent()) {
        ModelProbe.check(named.get(), ModelProbe.PATIENCE, settings);
        return new LocalModel(named, config);
      }
      // A key belongs to a server that is named, and goes to no other.
      if (listed(config) || settings.apiKey().isPresent()) {
        return new LocalModel(Optional.empty(), config);
      }
      return FoundServer.best(ModelSearch.onThisMachine(settings))
          .map(found -> {
            String model = found.chosen().orElseThrow().id();
            LOG.info("using {} at {} ({})", model, found.place(), found.kind());
            Config with =
                ConfigFactory.parseMap(Map.of(ProviderSettings.PATH + ".model", model))
                    .withFallback(config);
            return new LocalModel(Optional.of(found.url()), with);
          })
          .orElseGet(() -> new LocalModel(Optional.empty(), config));
    } catch (InferenceException refused) {
      throw new AgentException(refused.getMessage(), refused, false);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AgentException(
          "interrupted while a model server was looked for", interrupted, true);
    }
  }

  private static boolean listed(Config config) {
    return ReplicaSettings.fromConfig(config).listed()
        || !ModelCatalog.fromConfig(config).models().isEmpty();
  }

  /**
   * The gateway to the model server; where no server was found, a gateway that refuses each call
   * and says where was looked.
   *
   * @param spending is closed with the gateway
   */
  InferenceGateway gateway(Spending spending, String node, Started owned) {
    if (server.isEmpty() && !listed(config)) {
      spending.close();
      return new NoModel();
    }
    ModelCatalog catalog = ModelCatalog.fromConfig(config);
    ReplicaSettings replicas = ReplicaSettings.fromConfig(config);
    Function<String, ReplicaSource> inKubernetes =
        name -> {
          throw AgentException.refused("a node of a program looks for no replicas in Kubernetes");
        };
    List<Replica> own = server.map(url -> new Replica("model", url, node)).stream().toList();
    List<ReplicaMonitor> monitors = new ArrayList<>();
    monitors.add(
        owned.add(ReplicaMonitor.start(replicas, replicas.source(inKubernetes), () -> own)));
    monitors.getFirst().judgeByCalls(catalog.client()::hosted);
    for (ModelEntry model : catalog.models().values()) {
      ReplicaSource source = model.replicas().source(inKubernetes).orElseThrow();
      monitors.add(owned.add(ReplicaMonitor.start(model.name(), model.replicas(), source)));
      monitors.getLast().judgeByCalls(model::hosted);
    }
    HttpInferenceGateway gateway =
        owned.add(
            new HttpInferenceGateway(
                GatewaySettings.fromConfig(config),
                catalog,
                RoutingSettings.fromConfig(config),
                node,
                ReplicaSet.joined(monitors),
                ResidencyView.NONE,
                CallObserver.NONE,
                BacklogExchange.NONE,
                spending));
    monitors.forEach(monitor -> monitor.listen(gateway.replicaListener()));
    return gateway;
  }

  /** Answers no call. */
  private static final class NoModel implements InferenceGateway {

    @Override
    public CompletionStage<InferenceReply> complete(
        InferenceRequest request, Consumer<InferenceDelta> parts) {
      return CompletableFuture.failedStage(
          new InferenceException(InferenceException.Kind.REFUSED, NONE, null));
    }

    @Override
    public void close() {}
  }
}
