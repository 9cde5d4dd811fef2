package dev.colony.inference.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.inference.EmbeddingReply;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.gateway.CallRouter.Sent;
import dev.colony.inference.gateway.HttpInferenceGateway.GatewayParts;
import dev.colony.inference.provider.ModelClient;
import dev.colony.inference.provider.ModelClient.Attempt;
import dev.colony.inference.provider.ModelClient.UsageTally;
import dev.colony.inference.replicas.Replica;
import java.time.Duration;

/** A call that has texts embedded. One thread runs it. */
final class EmbeddingCall extends RoutedCall {

  private final InferenceRequest request;
  private JsonNode data;

  EmbeddingCall(GatewayParts gateway, ReplicaCaches caches, InferenceRequest request) {
    super(gateway, caches, request, part -> {}, gateway.models().chain(request).alone());
    this.request = request;
  }

  EmbeddingReply embedded() throws InterruptedException {
    InferenceReply reply = run();
    return new EmbeddingReply(data, reply.usage(), reply.model());
  }

  @Override
  Attempt ask(ModelClient client, Sent to, ReplicaSlots.Call call, Duration time, UsageTally tally)
      throws InterruptedException {
    return client.embed(request, time, tally, numbers -> data = numbers);
  }

  /** There is no prompt that a cache could hold. */
  @Override
  void remember(Replica replica) {}
}
