package dev.colony.client.http;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.Scope;
import dev.colony.client.ClientSettings;
import dev.colony.client.ColonyOfRun;
import dev.colony.client.spend.TenantSpending;
import dev.colony.client.wire.FoundRun;
import dev.colony.client.wire.PendingApprovals;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.WireJson;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reaches agents over the HTTP API. Holds nothing that has to be closed. */
public final class HttpColony implements Colony {

  private final ColonyApi api;
  private final ClientSettings settings;

  private HttpColony(ColonyApi api, ClientSettings settings) {
    this.api = api;
    this.settings = settings;
  }

  /**
   * The agents behind an HTTP API, with the settings of the class path. Nothing is connected before
   * it is needed, and nothing has to be closed. Calls fail with {@link
   * dev.colony.agent.AgentException} where the key is missing or does not reach as far, too.
   *
   * @param base for example {@code https://colony.example.org}
   * @param key the API key; empty where the API wants none
   * @throws IllegalArgumentException if the base is no HTTP URL, or the key has a space or a line
   *     break
   */
  public static Colony at(URI base, String key) {
    return at(base, key, ConfigFactory.load());
  }

  /** The same with settings of one's own. */
  public static Colony at(URI base, String key, Config config) {
    return new HttpColony(
        new ColonyApi(base, key, HttpClientSettings.fromConfig(config)),
        ClientSettings.fromConfig(config));
  }

  /**
   * An agent behind an HTTP API, see {@link #at}.
   *
   * @param agentUrl the API's URL and the agent's path: {@code
   *     https://HOST/v1/tenants/TENANT/colonies/COLONY/agents/AGENT}
   * @param key the API key; empty where the API wants none
   * @throws IllegalArgumentException if the URL is none of an agent, or the key has a space or a
   *     line break
   */
  public static AgentHandle agentAt(URI agentUrl, String key) {
    return at(AgentUrl.base(agentUrl), key).agent(AgentUrl.id(agentUrl));
  }

  /**
   * What a tenant has spent of its budget, by the settings of the node that answers.
   *
   * @param base see {@link #at}
   * @param session one of the tenant's sessions, to be told of, too
   * @return fails with {@link dev.colony.agent.AgentException} where the key does not reach the
   *     tenant, and with {@link dev.colony.blackboard.BlackboardException} where no node answers
   * @throws IllegalArgumentException if the base is no HTTP URL, the key has a space or a line
   *     break, or no tenant has such a name
   */
  public static CompletableFuture<TenantSpending> spending(
      URI base, String key, Config config, String tenant, Optional<String> session) {
    ApiCall call = ApiCall.get("/v1/tenants/" + Scope.tenant(tenant).tenant() + "/spending");
    return new ColonyApi(base, key, HttpClientSettings.fromConfig(config))
        .call(session.map(id -> call.query("sessionId", id)).orElse(call))
        .thenApply(json -> WireJson.answer("spending of a tenant", json, TenantSpending.class))
        .toCompletableFuture();
  }

  /**
   * What a tenant's agents ask persons for, a page of it, by their journals.
   *
   * @param colony only of this one
   * @param limit agents of a page, at most
   * @param after the last agent of the page before
   * @return fails as {@link #spending} does
   */
  public static CompletableFuture<PendingApprovals> approvals(
      URI base,
      String key,
      Config config,
      String tenant,
      Optional<String> colony,
      int limit,
      Optional<AgentId> after) {
    String path =
        colony
            .map(name -> AgentUrl.colony(tenant, name))
            .orElseGet(() -> "/v1/tenants/" + Scope.tenant(tenant).tenant());
    ApiCall first = ApiCall.get(path + "/approvals").query("limit", limit);
    ApiCall call =
        after
            .map(id ->
                first.query(
                    "after", colony.isPresent() ? id.name() : id.colony() + "/" + id.name()))
            .orElse(first);
    return new ColonyApi(base, key, HttpClientSettings.fromConfig(config))
        .call(call)
        .thenApply(json -> WireJson.answer("pending approvals", json, PendingApprovals.class))
        .toCompletableFuture();
  }

  /**
   * Where a run of an agent was asked for.
   *
   * @return fails with {@link dev.colony.agent.AgentException} where the agent has no such run, and
   *     as {@link #spending} does
   */
  public static CompletableFuture<FoundRun> find(
      URI base, String key, Config config, AgentId agent, RunId run) {
    return new ColonyApi(base, key, HttpClientSettings.fromConfig(config))
        .call(ApiCall.get(AgentUrl.agent(agent) + "/runs/" + run + "/found"))
        .thenApply(json -> WireJson.answer("place of a run", json, FoundRun.class))
        .toCompletableFuture();
  }

  @Override
  public AgentHandle agent(AgentId id) {
    return agent(id, Optional.empty());
  }

  private AgentHandle agent(AgentId id, Optional<ExecutionContext> origin) {
    return new HttpAgent(id, api, settings, origin);
  }

  @Override
  public CompletableFuture<AgentHandle> spawn(AgentId id, AgentBlueprint blueprint) {
    return api.tell(
            ApiCall.post(
                AgentUrl.colony(id.tenant(), id.colony()) + "/agents",
                new RequestBody.Spawn(id.name(), blueprint).toJson()))
        .thenApply(done -> agent(id))
        .toCompletableFuture();
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
