package dev.colony.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.ExecutionContext;
import dev.colony.agent.RunId;
import dev.colony.agent.SessionId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.Colony;
import dev.colony.agent.client.ScopeSuspensions;
import dev.colony.agent.client.Session;
import dev.colony.agent.client.SessionRun;
import dev.colony.agent.client.Sessions;
import dev.colony.blackboard.Scope;
import dev.colony.blackboard.settings.Settings;
import dev.colony.client.BlackboardColony.ColonyOfRun;
import dev.colony.client.ClientSettings;
import dev.colony.client.http.ColonyApi.ApiCall;
import dev.colony.client.http.ColonyApi.HttpBounds;
import dev.colony.client.session.BlackboardSpendStore.TenantSpending;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.FoundRun;
import dev.colony.client.wire.WireJson.PendingApprovals;
import dev.colony.client.wire.WireJson.SessionPages.SessionPage;
import dev.colony.client.wire.WireJson.SessionPages.SessionRunPage;
import dev.colony.client.wire.WireJson.SuspendedScopes;
import java.net.URI;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
   * @param key the API key, or a token of an issuer that the nodes know; empty where the API wants
   *     none
   * @throws IllegalArgumentException if the base is no HTTP URL, the key has a space or a line
   *     break, or the authorities of {@code colony.agent.http.ca-file} cannot be read
   */
  public static Colony at(URI base, String key) {
    return at(base, key, ConfigFactory.load());
  }

  /** The same with settings of one's own. */
  public static Colony at(URI base, String key, Config config) {
    return new HttpColony(api(base, key, config), Settings.read(ClientSettings.class, config));
  }

  static Colony at(URI base, String key, ClientSettings settings, HttpBounds bounds) {
    return new HttpColony(new ColonyApi(base, key, HttpClient.newBuilder(), bounds), settings);
  }

  private static ColonyApi api(URI base, String key, Config config) {
    return new ColonyApi(
        base, key, Authorities.into(HttpClient.newBuilder(), config), HttpBounds.of(config));
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
    return api(base, key, config)
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
    return api(base, key, config)
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
    return api(base, key, config)
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
  public ScopeSuspensions suspensions() {
    return new HttpSuspensions(api);
  }

  @Override
  public Colony within(ExecutionContext context) {
    return new ColonyOfRun(this, this::agent, context);
  }

  /**
   * Where the API has what belongs to a colony. Every name in a path is of characters that stand
   * for themselves in URLs.
   */
  static final class AgentUrl {

    private static final String NAME = "([A-Za-z0-9._~-]{1,128})";
    private static final Pattern PATH =
        Pattern.compile("(.*)/v1/tenants/" + NAME + "/colonies/" + NAME + "/agents/" + NAME + "/?");

    private AgentUrl() {}

    static String colony(String tenant, String colony) {
      return "/v1/tenants/" + tenant + "/colonies/" + colony;
    }

    static String agent(AgentId id) {
      return colony(id.tenant(), id.colony()) + "/agents/" + id.name();
    }

    /**
     * The agent that a URL of the API names.
     *
     * @throws IllegalArgumentException if it names none
     */
    static AgentId id(URI agentUrl) {
      Matcher path = matched(agentUrl);
      return new AgentId(path.group(2), path.group(3), path.group(4));
    }

    /**
     * The URL of the colony's API that an agent's URL begins with.
     *
     * @throws IllegalArgumentException if it names no agent
     */
    static URI base(URI agentUrl) {
      return agentUrl.resolve(matched(agentUrl).group(1) + "/");
    }

    private static Matcher matched(URI agentUrl) {
      Matcher path = PATH.matcher(String.valueOf(agentUrl.getPath()));
      if (!path.matches()) {
        throw new IllegalArgumentException(
            "the URL of an agent ends in /v1/tenants/TENANT/colonies/COLONY/agents/AGENT, not: "
                + agentUrl);
      }
      return path;
    }
  }

  /** What is suspended as a whole, behind the API. */
  record HttpSuspensions(ColonyApi api) implements ScopeSuspensions {

    @Override
    public CompletableFuture<Void> suspend(Scope scope, String reason) {
      return tell(scope, "/suspend", Optional.of(reason));
    }

    @Override
    public CompletableFuture<Void> resume(Scope scope) {
      return tell(scope, "/resume", Optional.empty());
    }

    private CompletableFuture<Void> tell(Scope scope, String what, Optional<String> reason) {
      String path =
          switch (ScopeSuspension.check(scope).level()) {
            case TENANT -> "/v1/tenants/" + scope.tenant();
            case COLONY -> AgentUrl.colony(scope.tenant(), scope.colony().orElseThrow());
            case AGENT, SESSION -> AgentUrl.agent(ScopeSuspension.top(scope)) + "/tree";
          };
      return api.tell(ApiCall.post(path + what, new RequestBody.ForReason(reason).toJson()))
          .toCompletableFuture();
    }

    @Override
    public CompletableFuture<List<ScopeSuspension>> list(String tenant) {
      return api.call(ApiCall.get("/v1/tenants/" + Scope.tenant(tenant).tenant() + "/suspensions"))
          .thenApply(json -> WireJson.answer("suspensions", json, SuspendedScopes.class).scopes())
          .toCompletableFuture();
    }
  }

  /**
   * The sessions of a colony behind the API.
   *
   * @param path of all of them
   */
  record HttpSessions(ColonyApi api, String path) implements Sessions {

    private static final int MOST_AT_ONCE = 10_000;

    @Override
    public CompletableFuture<Session> open(SessionId id, String by) {
      return api.call(ApiCall.put(at(id), new RequestBody.Open(Optional.of(by)).toJson()))
          .thenApply(HttpSessions::session)
          .toCompletableFuture();
    }

    @Override
    public CompletableFuture<Optional<Session>> get(SessionId id) {
      return api.find(ApiCall.get(at(id)))
          .thenApply(found -> found.map(HttpSessions::session))
          .toCompletableFuture();
    }

    @Override
    public CompletableFuture<Session> close(SessionId id, String by, String reason) {
      RequestBody closing = new RequestBody.Close(Optional.of(by), Optional.of(reason));
      return api.call(ApiCall.post(at(id) + "/close", closing.toJson()))
          .thenApply(HttpSessions::session)
          .toCompletableFuture();
    }

    @Override
    public CompletableFuture<Page<Session>> list(
        Optional<Session.State> state, int limit, Optional<String> after) {
      return api.call(page(path, "state", state, limit, after))
          .thenApply(json -> WireJson.answer("page of sessions", json, SessionPage.class).page())
          .toCompletableFuture();
    }

    @Override
    public CompletableFuture<Page<SessionRun>> runs(
        SessionId id, Optional<SessionRun.Status> status, int limit, Optional<String> after) {
      return api.call(page(at(id) + "/runs", "status", status, limit, after))
          .thenApply(json -> WireJson.answer("page of runs", json, SessionRunPage.class).page())
          .toCompletableFuture();
    }

    private static ApiCall page(
        String path,
        String filter,
        Optional<? extends Enum<?>> only,
        int limit,
        Optional<String> after) {
      if (limit < 1 || limit > MOST_AT_ONCE) {
        throw new IllegalArgumentException(
            "limit must be 1 to " + MOST_AT_ONCE + ", but is " + limit);
      }
      // A page may be short.
      ApiCall all = ApiCall.get(path).query("limit", Math.min(limit, PAGE));
      ApiCall some =
          only.map(one -> all.query(filter, one.name().toLowerCase(Locale.ROOT))).orElse(all);
      return after.map(place -> some.query("after", place)).orElse(some);
    }

    private static Session session(JsonNode answer) {
      return WireJson.answer("session", answer, Session.class);
    }

    private String at(SessionId id) {
      return path + "/" + id;
    }
  }
}
