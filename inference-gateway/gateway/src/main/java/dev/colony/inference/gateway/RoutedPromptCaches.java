package dev.colony.inference.gateway;

import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.PromptCaches;
import dev.colony.inference.replicas.Replica;
import dev.colony.vcm.schedule.Ask;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The caches of a gateway's replicas, as its router knows them. */
record RoutedPromptCaches(CallRouter router, ModelClients models) implements PromptCaches {

  @Override
  public List<Cache> caches() {
    return router.caches();
  }

  @Override
  public double blockTokens() {
    return router.blockTokens();
  }

  @Override
  public Ask ask(InferenceRequest request) {
    return router.blocks(request).ask(request, excluded(request.model()));
  }

  @Override
  public Set<String> excluded(ModelChoice choice) {
    List<String> asked = models.asked(choice);
    String serving = asked.stream().filter(models::available).findFirst().orElse(asked.getFirst());
    return models.replicas().stream()
        .filter(one -> !one.model().equals(serving))
        .map(Replica::id)
        .collect(Collectors.toSet());
  }
}
