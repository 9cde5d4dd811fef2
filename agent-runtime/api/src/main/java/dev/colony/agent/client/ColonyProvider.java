package dev.colony.agent.client;

import dev.colony.agent.AgentException;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Opens colonies for {@link Colony#local} and {@link Colony#connect}. Found by {@link
 * ServiceLoader}: a module brings one, and it does what the module can.
 */
public interface ColonyProvider {

  /** See {@link Colony#local(LocalOptions)}; empty where it runs no nodes. */
  default Optional<Colony> local(LocalOptions options) {
    return Optional.empty();
  }

  /** See {@link Colony#connect}; empty where it does not speak what the URL names. */
  default Optional<Colony> connect(String url) {
    return Optional.empty();
  }

  /** The first that one of the installed providers opens. */
  static Colony first(Function<ColonyProvider, Optional<Colony>> opening, String otherwise) {
    return ServiceLoader.load(ColonyProvider.class, ColonyProvider.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .flatMap(provider -> opening.apply(provider).stream())
        .findFirst()
        .orElseThrow(() -> AgentException.refused(otherwise));
  }

  /** A refusal that a stage has failed with; throws another failure as it is. */
  static AgentException refusal(CompletionException failed) {
    return switch (failed.getCause()) {
      case AgentException refused -> refused;
      case RuntimeException other -> throw other;
      case null, default -> throw failed;
    };
  }
}
