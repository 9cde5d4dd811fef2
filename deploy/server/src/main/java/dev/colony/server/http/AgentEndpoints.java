package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.found;
import static dev.colony.server.http.ApiSources.join;

import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentStatus;
import dev.colony.agent.suspension.ResumptionCondition;
import dev.colony.agent.view.PendingApproval;
import dev.colony.agent.view.StepView;
import dev.colony.blackboard.Scope;
import dev.colony.client.wire.PendingApprovals;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.WireJson;
import dev.colony.journal.LostLogs.Decision;
import dev.colony.journal.LostLogs.Lost;
import dev.colony.node.retention.EndedAgents;
import dev.colony.node.retention.EndedRuns;
import dev.colony.node.retention.PurgeReply;
import dev.colony.server.access.Role;
import dev.colony.server.agents.AgentFilter;
import dev.colony.server.agents.AgentViews.AgentDetails;
import dev.colony.server.agents.AgentViews.AgentPage;
import dev.colony.server.agents.AgentViews.AgentSummary;
import dev.colony.server.agents.AgentViews.LostEventsOfAgent;
import dev.colony.server.agents.AgentViews.LostEventsPage;
import dev.colony.server.agents.AgentViews.PurgedAgents;
import dev.colony.server.agents.AgentViews.PurgedRuns;
import dev.colony.server.agents.AgentsReader;
import dev.colony.server.agents.LostEvents;
import dev.colony.server.agents.ShownAgent;
import dev.colony.server.http.Endpoint.Verb;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Agents: what they are, and what they can be told. */
record AgentEndpoints(ApiSources sources, int mostOfPage) {

  static final String COLONY = "/v1/tenants/{tenant}/colonies/{colony}";
  static final String AGENTS = COLONY + "/agents";
  static final String AGENT = AGENTS + "/{agent}";

  private static final String LOST_EVENTS = "/v1/tenants/{tenant}/lost-events";

  private static final String[] LISTED = {
    "limit", "after", "prefix", "policy", "state", "cause", "asking"
  };
  private static final String[] PAGED = {"limit", "after"};
  private static final AgentFilter ASKING =
      new AgentFilter("", Optional.empty(), Optional.empty(), Optional.empty(), true);
  private static final int PAGE = 100;
  private static final int LAST_STEPS = 5;

  List<Endpoint> all() {
    return List.of(
        Endpoint.of("listAgents", Verb.GET, AGENTS, Role.VIEWER, this::list, LISTED),
        Endpoint.of(
            "listTenantAgents",
            Verb.GET,
            "/v1/tenants/{tenant}/agents",
            Role.VIEWER,
            this::listAll,
            LISTED),
        Endpoint.of(
            "listColonyApprovals",
            Verb.GET,
            COLONY + "/approvals",
            Role.VIEWER,
            this::asked,
            PAGED),
        Endpoint.of(
            "listTenantApprovals",
            Verb.GET,
            "/v1/tenants/{tenant}/approvals",
            Role.VIEWER,
            this::allAsked,
            PAGED),
        Endpoint.of("spawnAgent", Verb.POST, AGENTS, Role.OPERATOR, this::spawn),
        Endpoint.of("getAgent", Verb.GET, AGENT, Role.VIEWER, this::show),
        Endpoint.of("getStatus", Verb.GET, AGENT + "/status", Role.VIEWER, this::status),
        Endpoint.of("listApprovals", Verb.GET, AGENT + "/approvals", Role.VIEWER, this::pending),
        Endpoint.of("suspendAgent", Verb.POST, AGENT + "/suspend", Role.OPERATOR, this::suspend),
        Endpoint.of("reviseAgent", Verb.POST, AGENT + "/revise", Role.OPERATOR, this::revise),
        Endpoint.of(
            "resumeAgent",
            Verb.POST,
            AGENT + "/resume",
            Role.OPERATOR,
            call -> told(call, AgentHandle::resume)),
        Endpoint.of(
            "signalAgent",
            Verb.POST,
            AGENT + "/signals/{name}",
            Role.OPERATOR,
            call -> told(call, (agent, reason) -> agent.signal(call.path("name"), reason))),
        Endpoint.of(
            "answerRequest",
            Verb.POST,
            AGENT + "/approvals/{request}",
            Role.OPERATOR,
            this::approve),
        Endpoint.of(
            "stopAgent",
            Verb.POST,
            AGENT + "/stop",
            Role.ADMIN,
            call -> told(call, AgentHandle::stop)),
        Endpoint.of("listLostEvents", Verb.GET, LOST_EVENTS, Role.VIEWER, this::lostEvents),
        Endpoint.of(
            "continueWithoutEvents",
            Verb.POST,
            AGENT + "/lost-events/continue",
            Role.OPERATOR,
            call -> decided(call, (events, agent) -> events.decide(agent, Decision.CONTINUE))),
        Endpoint.of(
            "closeWithoutEvents",
            Verb.POST,
            AGENT + "/lost-events/close",
            Role.OPERATOR,
            call -> decided(call, (events, agent) -> events.decide(agent, Decision.CLOSE))),
        Endpoint.of(
            "restoreEvents",
            Verb.POST,
            AGENT + "/lost-events/restore",
            Role.OPERATOR,
            call -> decided(call, LostEvents::restore)),
        Endpoint.of("purgeAgent", Verb.POST, AGENT + "/purge", Role.ADMIN, this::purge),
        Endpoint.of("purgeAgents", Verb.POST, COLONY + "/purge/agents", Role.ADMIN, this::purgeAll),
        Endpoint.of("purgeRuns", Verb.POST, COLONY + "/purge/runs", Role.ADMIN, this::purgeRuns));
  }

  private ApiResponse list(Call call) {
    return page(call, Optional.of(call.path("colony")), afterName(call), AgentId::name);
  }

  private ApiResponse listAll(Call call) {
    return page(call, Optional.empty(), afterInTenant(call), AgentEndpoints::inTenant);
  }

  private ApiResponse asked(Call call) {
    return asked(call, Optional.of(call.path("colony")), afterName(call), AgentId::name);
  }

  private ApiResponse allAsked(Call call) {
    return asked(call, Optional.empty(), afterInTenant(call), AgentEndpoints::inTenant);
  }

  private static Optional<AgentId> afterName(Call call) {
    return call.query("after", call::agent);
  }

  private static Optional<AgentId> afterInTenant(Call call) {
    String tenant = call.path("tenant");
    return call.query("after", name -> AgentId.parse(tenant + "/" + name));
  }

  private static String inTenant(AgentId id) {
    return id.colony() + "/" + id.name();
  }

  /**
   * @param cursor what a page that ends behind an agent names as where the next one begins
   */
  private ApiResponse page(
      Call call,
      Optional<String> colony,
      Optional<AgentId> after,
      Function<AgentId, String> cursor) {
    AgentFilter filter =
        Call.checked(() ->
            new AgentFilter(
                call.query("prefix").orElse(""),
                call.query("policy"),
                call.constant("state", AgentState.class),
                call.query("cause"),
                call.flag("asking")));
    AgentsReader.Page<AgentSummary> page = list(call, colony, filter, after, AgentSummary::of);
    return ApiResponse.ok(new AgentPage(page.found(), page.next().map(cursor)));
  }

  private ApiResponse asked(
      Call call,
      Optional<String> colony,
      Optional<AgentId> after,
      Function<AgentId, String> cursor) {
    AgentsReader.Page<List<PendingApproval>> page =
        list(call, colony, ASKING, after, ShownAgent::pending);
    return ApiResponse.ok(
        new PendingApprovals(
            page.found().stream().flatMap(List::stream).toList(), page.next().map(cursor)));
  }

  private <T> AgentsReader.Page<T> list(
      Call call,
      Optional<String> colony,
      AgentFilter filter,
      Optional<AgentId> after,
      Function<ShownAgent, T> form) {
    AgentsReader.PageSize size =
        new AgentsReader.PageSize((int) call.number("limit", PAGE, 1, mostOfPage), mostOfPage);
    return sources
        .agents()
        .list(Optional.of(call.path("tenant")), colony, filter, size, after, form);
  }

  private ApiResponse spawn(Call call) {
    AgentTrial.Candidate agent = call.body(json -> sources.trial().candidate(json, ""));
    AgentId id = call.agent(agent.name());
    boolean before = sources.trial().enter(sources.colony(), id, agent, "");
    AgentStatus status = join(sources.colony().agent(id).state()).orElseThrow();
    return new ApiResponse.Json(
        before ? 200 : 201, WireJson.write(status), Map.of("Location", location(id)));
  }

  static String location(AgentId id) {
    return AGENT
        .replace("{tenant}", id.tenant())
        .replace("{colony}", id.colony())
        .replace("{agent}", id.name());
  }

  private ApiResponse show(Call call) {
    ShownAgent agent = sources.agents().find(call.agent());
    List<StepView> steps = sources.agents().steps(agent, Optional.empty(), LAST_STEPS).steps();
    return ApiResponse.ok(AgentDetails.of(agent, sources.agents().capabilities(agent), steps));
  }

  private ApiResponse status(Call call) {
    return join(handle(call).state())
        .map(status -> ApiResponse.ok(status))
        .orElseThrow(() -> Refusal.of(Code.NOT_FOUND, "there is no agent " + call.agent()));
  }

  private ApiResponse pending(Call call) {
    return ApiResponse.ok(
        new PendingApprovals(sources.agents().find(call.agent()).pending(), Optional.empty()));
  }

  private ApiResponse suspend(Call call) {
    RequestBody.Suspend body =
        call.body(json -> {
          if (json.hasNonNull("until")) {
            ResumptionCondition.given(json.get("until"));
          }
          return RequestBody.read(json, RequestBody.Suspend.class);
        });
    String reason = call.signed(body.reason());
    body.until().ifPresent(until -> checkTenants(until, call.agent()));
    found(
        body.until()
            .map(until -> handle(call).suspend(reason, until))
            .orElseGet(() -> handle(call).suspend(reason)));
    return new ApiResponse.Stored();
  }

  /** What happens at another tenant's is not reached by way of this one's path. */
  private static void checkTenants(ResumptionCondition until, AgentId agent) {
    try {
      until.check(agent);
    } catch (IllegalArgumentException other) {
      throw Refusal.of(Code.FORBIDDEN, other.getMessage());
    }
  }

  private ApiResponse revise(Call call) {
    RequestBody.Revise body =
        call.body(json ->
            sources
                .trial()
                .revision(json, call.agent(), sources.agents().find(call.agent()).blueprint()));
    String reason = call.signed(body.reason());
    found(Call.checked(() -> handle(call).revise(body.change(), reason)));
    return new ApiResponse.Stored();
  }

  private ApiResponse approve(Call call) {
    RequestBody.Approval body =
        call.body(json -> RequestBody.read(json, RequestBody.Approval.class));
    String request = call.path("request");
    String by = call.who(Optional.of(body.by()));
    String note = body.note().orElse("");
    found(
        Call.checked(() ->
            body.granted()
                ? handle(call).approve(request, by, note)
                : handle(call).deny(request, by, note)));
    return new ApiResponse.Stored();
  }

  private ApiResponse told(Call call, BiFunction<AgentHandle, String, CompletionStage<Void>> tell) {
    RequestBody.ForReason body =
        call.body(json -> RequestBody.read(json, RequestBody.ForReason.class));
    found(Call.checked(() -> tell.apply(handle(call), call.signed(body.reason()))));
    return new ApiResponse.Stored();
  }

  private ApiResponse lostEvents(Call call) {
    Scope tenant = Call.checked(() -> Scope.tenant(call.path("tenant")));
    return ApiResponse.ok(
        LostEventsPage.of(sources.agents().lostEvents().list(Optional.of(tenant.tenant()))));
  }

  private ApiResponse decided(Call call, BiFunction<LostEvents, AgentId, Lost> decide) {
    call.checkEmpty();
    LostEvents events = sources.agents().lostEvents();
    if (events.find(call.agent()).isEmpty()) {
      throw Refusal.of(Code.NOT_FOUND, "the store has lost no events of " + call.agent());
    }
    return ApiResponse.ok(LostEventsOfAgent.of(decide.apply(events, call.agent())));
  }

  private ApiResponse purge(Call call) {
    RequestBody.Purge body = call.body(json -> RequestBody.read(json, RequestBody.Purge.class));
    if (join(sources.colony().agent(call.agent()).state()).isEmpty()) {
      throw Refusal.of(Code.NOT_FOUND, "there is no agent " + call.agent());
    }
    sources.agents().purging().agent(call.agent(), age(body), body.dryRun().orElse(false));
    return ApiResponse.ok(
        PurgedAgents.of(List.of(new PurgeReply.Purged(call.agent())), Optional.empty()));
  }

  private ApiResponse purgeAll(Call call) {
    RequestBody.Purge body = call.body(json -> RequestBody.read(json, RequestBody.Purge.class));
    Duration age = age(body);
    AgentId any = call.agent(body.after().orElse("any"));
    EndedAgents.Page page =
        sources
            .agents()
            .purging()
            .agents(any.tenant(), any.colony(), body.after(), age, body.dryRun().orElse(false));
    return ApiResponse.ok(PurgedAgents.of(page.agents(), page.next()));
  }

  private ApiResponse purgeRuns(Call call) {
    RequestBody.Purge body = call.body(json -> RequestBody.read(json, RequestBody.Purge.class));
    Duration age = age(body);
    Scope colony = Call.checked(() -> Scope.colony(call.path("tenant"), call.path("colony")));
    Optional<Scope> after = Call.checked(() -> body.after().map(Scope::parse));
    if (after.filter(scope -> !scope.tenant().equals(colony.tenant())).isPresent()) {
      throw Refusal.of(Code.FORBIDDEN, "after is of another tenant: " + after.get());
    }
    EndedRuns.Page page =
        sources
            .agents()
            .purging()
            .runs(
                colony.tenant(),
                colony.colony().orElseThrow(),
                after,
                age,
                body.dryRun().orElse(false));
    return ApiResponse.ok(new PurgedRuns(page.runs(), page.next().map(Scope::path)));
  }

  private static Duration age(RequestBody.Purge body) {
    return Call.checked(() ->
        body.olderThan()
            .map(text -> {
              try {
                return Duration.parse(text);
              } catch (DateTimeException none) {
                throw new IllegalArgumentException(
                    "olderThan is a period like PT24H or P30D, not: " + text, none);
              }
            })
            .orElse(Duration.ZERO));
  }

  private AgentHandle handle(Call call) {
    return sources.colony().agent(call.agent());
  }
}
