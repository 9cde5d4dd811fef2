package dev.colony.server.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.inference.gateway.CallObserver;
import dev.colony.inference.gateway.GatewaySettings;
import dev.colony.inference.gateway.HttpInferenceGateway;
import dev.colony.inference.gateway.ModelCatalog;
import dev.colony.inference.replicas.Replica;
import dev.colony.inference.replicas.ReplicaSet;
import dev.colony.inference.replicas.ReplicaSet.BacklogExchange;
import dev.colony.inference.replicas.ResidencyView;
import dev.colony.inference.replicas.RoutingSettings;
import dev.colony.server.Authenticator.AccessSettings;
import dev.colony.vcm.PageGroup;
import dev.colony.vcm.PageGroupId;
import dev.colony.vcm.PageId;
import dev.colony.vcm.PageLines;
import dev.colony.vcm.PageMap;
import dev.colony.vcm.PageStore;
import dev.colony.vcm.PageStore.PageFault;
import dev.colony.vcm.PageStore.StoredMap;
import dev.colony.vcm.VirtualContextPage;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The API over a gateway, which asks each call once, and one page. */
final class OpenAiRig implements AutoCloseable {

  static final String PAGE = "aaaaaaaaaaaaaaaaaaaaaaaaaa";
  static final String PAGE_TEXT = "=== ship.txt";

  private final List<String> problems = new CopyOnWriteArrayList<>();
  private final HttpInferenceGateway gateway;
  private final ApiRig rig;
  private final HttpApi api;
  private volatile Optional<ScriptedModel> served = Optional.empty();

  OpenAiRig(AccessSettings access) {
    Config config =
        ConfigFactory.parseString(
                """
                colony.inference.gateway { max-attempts = 1, overload-retries = 0 }
                """)
            .withFallback(ConfigFactory.load());
    gateway =
        new HttpInferenceGateway(
            GatewaySettings.fromConfig(config),
            ModelCatalog.fromConfig(config),
            RoutingSettings.fromConfig(config),
            "test",
            ReplicaSet.of(() ->
                served
                    .map(one -> List.of(new Replica(one.uri().toString(), one.uri(), "test")))
                    .orElse(List.of())),
            ResidencyView.NONE,
            CallObserver.NONE,
            BacklogExchange.NONE);
    rig = new ApiRig(new ApiSources.Models(gateway, new OnePage()));
    api =
        rig.start(
            access,
            Map.of(),
            new ApiListener() {
              @Override
              public void problem(String code) {
                problems.add(code);
              }
            });
  }

  HttpApi api() {
    return api;
  }

  /** Codes of what went wrong, as metrics are told. */
  List<String> problems() {
    return problems;
  }

  /** The one replica from here on; empty for none. */
  void serve(Optional<ScriptedModel> model) {
    served = model;
  }

  @Override
  public void close() {
    api.close();
    rig.close();
    gateway.close();
  }

  /** One page. */
  private static final class OnePage implements PageStore {
    @Override
    public List<StoredMap> maps() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void save(PageMap map, Collection<VirtualContextPage> pages, SaveOptions options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void save(Collection<VirtualContextPage> pages) {
      throw new UnsupportedOperationException();
    }

    @Override
    public PageStore of(String tenant) {
      return this;
    }

    @Override
    public PageLines lines(PageMap map) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<PageMap> map(String id) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<PageGroup> group(PageGroupId id) {
      return Optional.empty();
    }

    @Override
    public List<VirtualContextPage> pages(List<PageId> ids) {
      if (!ids.equals(List.of(new PageId(PAGE)))) {
        throw new PageFault(ids.getLast());
      }
      return List.of(new VirtualContextPage(new PageId(PAGE), PAGE_TEXT, 3, List.of()));
    }
  }
}
