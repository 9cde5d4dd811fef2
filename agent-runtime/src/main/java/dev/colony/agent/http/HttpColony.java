package dev.colony.agent.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentHandle;
import dev.colony.agent.AgentId;
import dev.colony.agent.Colony;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.client.ClientSettings;
import dev.colony.agent.client.ColonyOfRun;
import dev.colony.agent.session.Sessions;
import dev.colony.agent.wire.Order;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Reaches agents over the HTTP API. Holds nothing that has to be closed. */
public final class HttpColony implements Colony {

  private final ColonyApi api;
  private final ClientSettings settings;

  private HttpColony(ColonyApi api, ClientSettings settings) {
    this.api = api;
    this.settings = settings;
  }

  /** See {@link Colony#http}. */
  public static Colony at(URI base, String key) {
    return at(base, key, ConfigFactory.load());
  }

  /** The same with settings of one's own. */
  public static Colony at(URI base, String key, Config config) {
    return new HttpColony(
        new ColonyApi(base, key, HttpClientSettings.fromConfig(config)),
        ClientSettings.fromConfig(config));
  }

  /** See {@link AgentHandle#http}. */
  public static AgentHandle agentAt(URI agentUrl, String key) {
    return at(AgentUrl.base(agentUrl), key).agent(AgentUrl.id(agentUrl));
  }

  @Override
  public AgentHandle agent(AgentId id) {
    return agent(id, Optional.empty());
  }

  private AgentHandle agent(AgentId id, Optional<ExecutionContext> origin) {
    return new HttpAgent(id, api, settings, origin);
  }

  @Override
  public CompletionStage<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint) {
    return api.tell(
            ApiCall.post(
                AgentUrl.colony(id.tenant(), id.colony()) + "/agents",
                new Order.Spawn(id.name(), blueprint).toJson()))
        .thenApply(done -> agent(id));
  }

  @Override
  public Sessions sessions(String tenant, String colony) {
    return new HttpSessions(api, AgentUrl.colony(tenant, colony) + "/sessions");
  }

  @Override
  public Colony within(ExecutionContext context) {
    return new ColonyOfRun(this, this::agent, context);
  }
}
