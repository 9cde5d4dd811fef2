package dev.colony.deploy.node;

import com.typesafe.config.Config;
import dev.colony.deploy.CommandFailure;
import dev.colony.deploy.ExitCode;
import dev.colony.deploy.Started;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.embedded.EmbeddedReplica;
import dev.colony.inference.embedded.EmbeddedReplicaSettings;
import dev.colony.inference.gateway.FeedSettings;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ResidencyFeed;
import dev.colony.inference.openai.OpenAiSettings;
import dev.colony.inference.routing.Replica;
import dev.colony.vcm.PageId;
import dev.colony.vcm.table.PageTable;
import dev.colony.vcm.table.ReplicaId;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A node's model server, the gateway to it, and the feed that tells the page table what the server
 * holds.
 */
final class ModelServing implements AutoCloseable {

  private final Replica replica;
  private final InferenceGateway gateway;
  private final Started parts;

  private ModelServing(Replica replica, InferenceGateway gateway, Started parts) {
    this.replica = replica;
    this.gateway = gateway;
    this.parts = parts;
  }

  static ModelServing start(NodeOptions options, Config config, PageTable table) {
    Started parts = new Started();
    URI server = options.modelUrl().orElseGet(() -> embedded(options.name(), config, parts));
    Replica replica = new Replica(options.name(), server, options.address());
    OpenAiSettings client = OpenAiSettings.fromConfig(config);
    ResidencyFeed feed =
        ResidencyFeed.follow(
            replica,
            FeedSettings.fromConfig(config),
            client,
            new ResidencyReporter(options, table));
    parts.add(feed);
    HttpInferenceGateway gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config),
            client,
            options.address(),
            () -> List.of(replica),
            page -> holders(table, page),
            feed);
    parts.add(gateway);
    return new ModelServing(replica, gateway, parts);
  }

  InferenceGateway gateway() {
    return gateway;
  }

  URI replica() {
    return replica.baseUri();
  }

  @Override
  public void close() {
    parts.close();
  }

  private static URI embedded(String name, Config config, Started parts) {
    EmbeddedReplicaSettings settings = EmbeddedReplicaSettings.fromConfig(config);
    try {
      EmbeddedReplica replica = EmbeddedReplica.start(name, settings);
      parts.add(replica);
      return replica.uri();
    } catch (IOException failure) {
      throw new CommandFailure(
          ExitCode.IN_USE,
          "the embedded replica cannot listen on port %d: free it, or set %s.port"
              .formatted(settings.port(), EmbeddedReplicaSettings.PATH),
          failure);
    }
  }

  private static Set<String> holders(PageTable table, String page) {
    return table.snapshot().replicasWith(new PageId(page)).stream()
        .map(ReplicaId::value)
        .collect(Collectors.toSet());
  }
}
