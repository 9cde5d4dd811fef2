package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.ModelChoice;
import dev.colony.inference.OfferedModel;
import dev.colony.inference.gateway.ModelCatalog.ModelEntry;
import dev.colony.inference.provider.ModelClient;
import dev.colony.inference.provider.ModelServer;
import dev.colony.inference.provider.ProvidedModel;
import dev.colony.inference.provider.ProviderSettings;
import dev.colony.inference.provider.ServedModel;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * The models of a gateway: what calls may ask for, the replicas that serve it, and the clients by
 * which these are asked. Thread-safe.
 */
final class ModelClients implements AutoCloseable {

  /** Servers that are asked what they serve before anything is asked of them, and how long. */
  private static final int MOST_ASKED = 2;

  private static final Duration ASKED_FOR = Duration.ofSeconds(2);

  private final ModelCatalog catalog;
  private final ReplicaSet replicas;
  private final String ownNode;
  private final HttpClient http;
  private final Map<String, ProvidedModel> libraries;
  private final Map<Server, ModelServer> clients = new ConcurrentHashMap<>();

  /** Where a model is served. */
  private record Server(String model, URI uri) {

    static Server of(Replica replica) {
      return new Server(replica.model(), replica.baseUri());
    }
  }

  /**
   * @param ownNode the node that calls
   * @throws IllegalArgumentException if a library that is to ask a model is not there, or does not
   *     take its settings
   */
  ModelClients(ModelCatalog catalog, ReplicaSet replicas, String ownNode, Executor threads) {
    // First, as it may fail: nothing else has been started.
    this.libraries = opened(catalog);
    this.catalog = catalog;
    this.replicas = replicas;
    this.ownNode = ownNode;
    this.http = ModelServer.httpClient(threads);
  }

  private static Map<String, ProvidedModel> opened(ModelCatalog catalog) {
    Map<String, ProvidedModel> opened = new TreeMap<>();
    try {
      for (ModelEntry model : catalog.models().values()) {
        if (model.library().isPresent()) {
          URI place = model.replicas().addresses().getFirst();
          opened.put(
              model.name(), new ProvidedModel(place, model.client(), model.library().get().open()));
        }
      }
      return opened;
    } catch (RuntimeException failure) {
      opened.values().forEach(ProvidedModel::close);
      throw failure;
    }
  }

  /** The models that may answer a request. */
  ModelChain chain(InferenceRequest request) {
    return new ModelChain(catalog.asked(request.model()));
  }

  /** Whether calls may be sent to any replica of a model. */
  boolean available(String model) {
    return replicas().stream()
        .filter(one -> one.model().equals(model))
        .anyMatch(one -> replicas.access(one.id(), false, 0).available());
  }

  /** Those that a choice asks for, in their order. */
  List<String> asked(ModelChoice choice) {
    return catalog.asked(choice);
  }

  /** The replicas of this moment; clients of departed ones are let go. */
  Collection<Replica> replicas() {
    Collection<Replica> now = replicas.replicas();
    if (clients.size() > now.size()) {
      clients.keySet().removeIf(one -> now.stream().map(Server::of).noneMatch(one::equals));
    }
    return now;
  }

  /** How a replica's cache is told what is wanted; empty where it is not told. */
  Optional<ReplicaSettings.CacheControl> eviction(String replica) {
    return replicas.eviction(replica);
  }

  /** Whether calls may be sent to a replica. */
  boolean mayCall(String replica) {
    return replicas.access(replica, false, 0).available();
  }

  ModelClient client(Replica replica) {
    ProvidedModel provided = libraries.get(replica.model());
    if (provided != null) {
      return provided;
    }
    ProviderSettings settings = catalog.client(replica.model());
    return clients.computeIfAbsent(
        Server.of(replica), at -> ModelServer.ofNode(ownNode, at.uri(), settings, http));
  }

  /** What calls may ask for, as far as it is known. */
  List<OfferedModel> offered() {
    return catalog.names().stream().map(this::offered).toList();
  }

  private OfferedModel offered(String name) {
    Optional<ModelServer> asked =
        clients.entrySet().stream()
            .filter(one -> one.getKey().model().equals(name))
            .filter(one -> one.getValue().served().isPresent())
            .min(Comparator.comparing(one -> one.getKey().uri()))
            .map(Map.Entry::getValue);
    return new OfferedModel(
        name,
        asked
            .flatMap(ModelServer::served)
            .map(ServedModel::id)
            .or(catalog.client(name)::model)
            .orElse(""),
        asked.map(ModelServer::contextTokens).orElse(catalog.client(name).contextTokens()),
        asked.map(one -> one.dialect().tools()).orElse(true),
        name.equals(catalog.usual()),
        catalog.entry(name).map(ModelEntry::tags).orElse(Set.of()),
        catalog.entry(name).map(ModelEntry::fallbacks).orElse(List.of()));
  }

  /** Asks servers of the model without a name what they serve; blocks. */
  void learn() {
    for (Replica one :
        replicas().stream()
            .filter(any -> any.model().isEmpty())
            .sorted(Comparator.comparing(Replica::baseUri))
            .limit(MOST_ASKED)
            .toList()) {
      if (client(one).known(ASKED_FOR)) {
        return;
      }
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
    libraries.values().forEach(ProvidedModel::close);
  }

  /** The models that may answer a call, in their order, and the one that is asked now. */
  static final class ModelChain {

    private final List<String> models;
    private Optional<InferenceException> why = Optional.empty();
    private int now;

    /**
     * @param models names, at least one
     */
    ModelChain(List<String> models) {
      this.models = List.copyOf(models);
    }

    /** The first of them, for which no other stands in. */
    ModelChain alone() {
      return new ModelChain(models.subList(0, 1));
    }

    /** The name of the one that is asked. */
    String model() {
      return models.get(now);
    }

    /** Whether none stands in for it. */
    boolean last() {
      return now == models.size() - 1;
    }

    /** The name of the one that others stand in for. */
    String first() {
      return models.getFirst();
    }

    /** What the first has failed with last; empty where it was asked nothing. */
    Optional<InferenceException> why() {
      return why;
    }

    /** The one that is asked has failed, which may be not for the last time. */
    void failed(InferenceException failure) {
      if (now == 0) {
        why = Optional.of(failure);
      }
    }

    /** Goes on to the next; false if there is none. */
    boolean next() {
      if (last()) {
        return false;
      }
      now++;
      return true;
    }

    /**
     * Goes on to the first that is available, from the one that is asked on; stays where none is.
     *
     * @return whether it went on
     */
    boolean skip(Predicate<String> available) {
      for (int at = now; at < models.size(); at++) {
        if (available.test(models.get(at))) {
          boolean moved = at > now;
          now = at;
          return moved;
        }
      }
      return false;
    }

    /**
     * Whether a call that a model's servers have failed, retries included, may be answered by the
     * next model. Not where the model has answered, or the request or its key is at fault: what is
     * wrong there has to be mended, and another model would hide it. Nor where a budget is spent,
     * which holds for all models.
     */
    static boolean fallsBack(Kind kind) {
      return switch (kind) {
        case UNREACHABLE, SERVER_ERROR, OVERLOADED, QUOTA, TOO_LONG, TIMEOUT, BROKEN_OFF -> true;
        case REJECTED, EVICTED, OUT_OF_BUDGET, SUSPENDED, REFUSED, BAD_REPLY -> false;
      };
    }
  }
}
