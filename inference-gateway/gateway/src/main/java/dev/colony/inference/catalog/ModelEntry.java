package dev.colony.inference.catalog;

import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.ReplicaSettings;
import java.util.List;
import java.util.Set;

/**
 * A model of a name.
 *
 * @param name by which calls ask for it
 * @param client how its servers are asked
 * @param replicas where they are
 * @param tags by which calls may ask for it, too
 * @param fallbacks names of those that are asked where it is not available, in their order
 */
public record ModelEntry(
    String name,
    ProviderSettings client,
    ReplicaSettings replicas,
    Set<String> tags,
    List<String> fallbacks) {}
