package dev.colony.inference.catalog;

import dev.colony.inference.provider.ModelProvider;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.replicas.ReplicaSettings;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A model of a name.
 *
 * @param name by which calls ask for it
 * @param client how its servers are asked
 * @param library that asks it; empty where it is asked at servers
 * @param replicas where these are; of a library's model one, at {@code provider://PROVIDER/NAME}
 * @param tags by which calls may ask for it, too
 * @param fallbacks names of those that are asked where it is not available, in their order
 */
public record ModelEntry(
    String name,
    ProviderSettings client,
    Optional<Library> library,
    ReplicaSettings replicas,
    Set<String> tags,
    List<String> fallbacks) {

  /**
   * What asks a model.
   *
   * @param provider its name
   */
  public record Library(String provider, ModelProvider.Settings settings) {

    /**
     * Prepares for asking the model.
     *
     * @throws IllegalArgumentException if no library of the name is on the class path, or it does
     *     not take its settings
     */
    public ModelProvider.Chat open() {
      return ModelProvider.named(settings.path() + ".provider", provider).open(settings);
    }
  }

  /** Whether a server of it is judged by calls alone. */
  public boolean hosted(URI server) {
    return library.isPresent() || client.hosted(server);
  }
}
