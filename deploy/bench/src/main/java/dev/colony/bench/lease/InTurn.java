package dev.colony.bench.lease;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.PromptCaches;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Sends calls to the replicas in turn, as a load balancer does that knows nothing of prompts. One
 * that takes no calls is passed over by the gateway behind it.
 *
 * @param next counts the calls of all nodes
 */
record InTurn(InferenceGateway gateway, AtomicInteger next) implements InferenceGateway {

  @Override
  public CompletionStage<InferenceReply> complete(
      InferenceRequest request, Consumer<InferenceDelta> parts) {
    List<String> replicas =
        gateway.promptCaches().stream()
            .flatMap(caches -> caches.caches().stream())
            .map(PromptCaches.Cache::replica)
            .sorted()
            .toList();
    Optional<String> replica =
        replicas.isEmpty()
            ? Optional.empty()
            : Optional.of(replicas.get(Math.floorMod(next.getAndIncrement(), replicas.size())));
    return gateway.complete(request.context(request.context().replica(replica)), parts);
  }

  @Override
  public Optional<PromptCaches> promptCaches() {
    return gateway.promptCaches();
  }

  @Override
  public void close() {}
}
