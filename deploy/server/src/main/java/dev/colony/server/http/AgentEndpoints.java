package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.found;
import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.StepView;
import dev.colony.blackboard.Scope;
import dev.colony.client.http.RequestBody;
import dev.colony.client.http.WireJson;
import dev.colony.client.http.WireJson.PendingApprovals;
import dev.colony.journal.LostLogs.Decision;
import dev.colony.journal.LostLogs.Lost;
import dev.colony.node.runtime.EndedAgents;
import dev.colony.node.runtime.EndedAgents.EndedRuns;
import dev.colony.server.AgentViews.AgentDetails;
import dev.colony.server.AgentViews.AgentPage;
import dev.colony.server.AgentViews.AgentSummary;
import dev.colony.server.AgentViews.LostEventsOfAgent;
import dev.colony.server.AgentViews.LostEventsPage;
import dev.colony.server.AgentViews.PurgedAgents;
import dev.colony.server.AgentViews.PurgedRuns;
import dev.colony.server.AgentsReader;
import dev.colony.server.LostEvents;
import dev.colony.server.NotFoundException;
import dev.colony.server.ShownAgent;
import dev.colony.server.ShownAgent.AgentFilter;
import dev.colony.server.http.Endpoint.Handlers;
import dev.colony.server.http.Problems.Code;
import dev.colony.server.http.Problems.Refusal;
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

  private static final AgentFilter ASKING =
      new AgentFilter("", Optional.empty(), Optional.empty(), Optional.empty(), true);
  private static final int PAGE = 100;
  private static final int LAST_STEPS = 5;

  void addTo(Handlers handlers) {
    handlers.on("listAgents", this::list);
    handlers.on("listTenantAgents", this::listAll);
    handlers.on("listColonyApprovals", this::asked);
    handlers.on("listTenantApprovals", this::allAsked);
    handlers.on("spawnAgent", this::spawn);
    handlers.on("getAgent", this::show);
    handlers.on("getStatus", this::status);
    handlers.on("listApprovals", this::pending);
    handlers.on("suspendAgent", this::suspend);
    handlers.on("reviseAgent", this::revise);
    handlers.on("resumeAgent", call -> told(call, AgentHandle::resume));
    handlers.on(
        "signalAgent",
        call -> told(call, (agent, reason) -> agent.signal(call.path("name"), reason)));
    handlers.on("answerRequest", this::approve);
    handlers.on("stopAgent", call -> told(call, AgentHandle::stop));
    handlers.on("listLostEvents", this::lostEvents);
    handlers.on("continueWithoutEvents", call -> decided(call, decide(Decision.CONTINUE)));
    handlers.on("closeWithoutEvents", call -> decided(call, decide(Decision.CLOSE)));
    handlers.on("restoreEvents", call -> decided(call, LostEvents::restore));
    handlers.on("purgeAgent", this::purge);
    handlers.on("purgeAgents", this::purgeAll);
    handlers.on("purgeRuns", this::purgeRuns);
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
    return call.query("after").map(call::agent);
  }

  private static Optional<AgentId> afterInTenant(Call call) {
    String tenant = call.path("tenant");
    return call.query("after").map(name -> AgentId.parse(tenant + "/" + name));
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
        new AgentFilter(
            call.query("prefix").orElse(""),
            call.query("policy"),
            call.constant("state", AgentState.class),
            call.query("cause"),
            call.flag("asking"));
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
    AgentTrial.Candidate agent = sources.trial().candidate(call.json(), "");
    AgentId id = call.agent(agent.name());
    boolean before = sources.trial().enter(sources.colony(), id, agent, "");
    AgentStatus status = join(sources.colony().agent(id).state()).orElseThrow();
    return new ApiResponse.Json(
        before ? 200 : 201, WireJson.write(status), Map.of("Location", location(id)));
  }

  static String location(AgentId id) {
    return "/v1/tenants/%s/colonies/%s/agents/%s".formatted(id.tenant(), id.colony(), id.name());
  }

  private ApiResponse show(Call call) {
    ShownAgent agent = sources.agents().find(call.agent());
    List<StepView> steps = sources.agents().steps(agent, Optional.empty(), LAST_STEPS).steps();
    return ApiResponse.ok(AgentDetails.of(agent, sources.agents().capabilities(agent), steps));
  }

  private ApiResponse status(Call call) {
    return join(handle(call).state())
        .map(status -> ApiResponse.ok(status))
        .orElseThrow(() -> new NotFoundException("there is no agent " + call.agent()));
  }

  private ApiResponse pending(Call call) {
    return ApiResponse.ok(
        new PendingApprovals(sources.agents().find(call.agent()).pending(), Optional.empty()));
  }

  private ApiResponse suspend(Call call) {
    JsonNode json = call.json();
    if (json.hasNonNull("until")) {
      ResumptionCondition.given(json.get("until"));
    }
    RequestBody.Suspend body = RequestBody.read(json, RequestBody.Suspend.class);
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
        sources
            .trial()
            .revision(call.json(), call.agent(), sources.agents().find(call.agent()).blueprint());
    String reason = call.signed(body.reason());
    found(handle(call).revise(body.change(), reason));
    return new ApiResponse.Stored();
  }

  private ApiResponse approve(Call call) {
    RequestBody.Approval body = call.body(RequestBody.Approval.class);
    String request = call.path("request");
    String by = call.who(Optional.of(body.by()));
    String note = body.note().orElse("");
    found(
        body.granted()
            ? handle(call).approve(request, by, note)
            : handle(call).deny(request, by, note));
    return new ApiResponse.Stored();
  }

  private ApiResponse told(Call call, BiFunction<AgentHandle, String, CompletionStage<Void>> tell) {
    RequestBody.ForReason body = call.body(RequestBody.ForReason.class);
    found(tell.apply(handle(call), call.signed(body.reason())));
    return new ApiResponse.Stored();
  }

  private ApiResponse lostEvents(Call call) {
    return ApiResponse.ok(
        LostEventsPage.of(sources.agents().lostEvents().list(Optional.of(call.tenant()))));
  }

  private static BiFunction<LostEvents, AgentId, Lost> decide(Decision decision) {
    return (events, agent) -> events.decide(agent, decision);
  }

  private ApiResponse decided(Call call, BiFunction<LostEvents, AgentId, Lost> decide) {
    call.checkEmpty();
    LostEvents events = sources.agents().lostEvents();
    if (events.find(call.agent()).isEmpty()) {
      throw new NotFoundException("the store has lost no events of " + call.agent());
    }
    return ApiResponse.ok(LostEventsOfAgent.of(decide.apply(events, call.agent())));
  }

  private ApiResponse purge(Call call) {
    RequestBody.Purge body = call.body(RequestBody.Purge.class);
    if (join(sources.colony().agent(call.agent()).state()).isEmpty()) {
      throw new NotFoundException("there is no agent " + call.agent());
    }
    sources.agents().purging().agent(call.agent(), age(body), body.dryRun().orElse(false));
    return ApiResponse.ok(
        PurgedAgents.of(
            List.of(new EndedAgents.PurgeReply.Purged(call.agent())), Optional.empty()));
  }

  private ApiResponse purgeAll(Call call) {
    RequestBody.Purge body = call.body(RequestBody.Purge.class);
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
    RequestBody.Purge body = call.body(RequestBody.Purge.class);
    Duration age = age(body);
    Scope colony = Scope.colony(call.path("tenant"), call.path("colony"));
    Optional<Scope> after = body.after().map(Scope::parse);
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
    String text = body.olderThan().orElse("PT0S");
    try {
      return Duration.parse(text);
    } catch (DateTimeException none) {
      throw new IllegalArgumentException(
          "olderThan is a period like PT24H or P30D, not: " + text, none);
    }
  }

  private AgentHandle handle(Call call) {
    return sources.colony().agent(call.agent());
  }
}
