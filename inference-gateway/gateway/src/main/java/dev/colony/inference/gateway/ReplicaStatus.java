package dev.colony.inference.gateway;

import dev.colony.inference.replicas.EngineLoad;
import java.util.Optional;

/**
 * How a replica stands at one moment, as one gateway sees it; for an operator.
 *
 * @param id its name; of a model with a name {@code model@host:port}
 * @param state why it is called or is not: {@code serving}, {@code starting}, {@code draining},
 *     {@code unhealthy}, {@code circuit open} or {@code circuit half open}
 * @param load what it has said of its load within the last minute; empty where it says nothing
 * @param events whether it tells what its cache holds; else that is estimated
 * @param calls of this gateway that have not ended
 * @param backlogSeconds prefill work before a prompt that comes now, of all gateways
 * @param prefillSeconds what a prompt of 1000 tokens takes there, as its calls show
 */
public record ReplicaStatus(
    String id,
    String state,
    Optional<EngineLoad> load,
    boolean events,
    int calls,
    double backlogSeconds,
    double prefillSeconds) {}
