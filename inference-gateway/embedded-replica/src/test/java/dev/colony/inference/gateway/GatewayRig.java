package dev.colony.inference.gateway;

import com.typesafe.config.Config;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Prompt;
import dev.colony.inference.PromptPage;
import dev.colony.inference.ReplyForm;
import dev.colony.inference.gateway.GatewaySettings.Bounds;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.replica.EmbeddedReplica;
import dev.colony.replica.Replicas;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Gateways in front of an embedded replica whose cache holds two of the pages that are asked about,
 * and what the replica itself says of them. Closes what was opened, the last one first.
 */
final class GatewayRig implements AutoCloseable {

  private final List<AutoCloseable> opened = new ArrayList<>();
  private int calls;

  <T extends AutoCloseable> T open(T one) {
    opened.add(one);
    return one;
  }

  /** A replica, which is not closed with the rig. */
  static EmbeddedReplica replica() {
    return Replicas.prompt("capacity-blocks = 48", "context-tokens = 700");
  }

  HttpInferenceGateway gateway(
      String node, Config config, ReplicaSet replicas, ResidencyView view, CallObserver observer) {
    return gateway(Bounds.USUAL, node, config, replicas, view, observer);
  }

  HttpInferenceGateway gateway(
      Bounds bounds,
      String node,
      Config config,
      ReplicaSet replicas,
      ResidencyView view,
      CallObserver observer) {
    return open(
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config).within(bounds),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            node,
            replicas,
            view,
            observer,
            BacklogExchange.NONE));
  }

  /** A call over a page, of which the cache holds two. */
  InferenceRequest call(String page) {
    return call(page, 50);
  }

  InferenceRequest call(String page, int lines) {
    String text = ("int " + page + " = 0; ").repeat(lines);
    return InferenceRequest.of(
        "call-" + calls++,
        Prompt.of("Answer.", List.of(new PromptPage(page, text, 6 * lines)), "Question: what?"),
        ReplyForm.text(20),
        CallContext.within(Duration.ofSeconds(20)));
  }

  @Override
  public void close() {
    for (AutoCloseable one : opened.reversed()) {
      try {
        one.close();
      } catch (Exception failure) {
        throw new AssertionError(failure);
      }
    }
  }
}
