package dev.colony.server.http;

import static dev.colony.server.http.ApiSources.found;
import static dev.colony.server.http.ApiSources.join;

import com.fasterxml.jackson.databind.JsonNode;
import dev.colony.agent.AgentId;
import dev.colony.agent.AgentState;
import dev.colony.agent.ResumptionCondition;
import dev.colony.agent.RunId;
import dev.colony.agent.client.AgentHandle;
import dev.colony.agent.client.AgentHandle.AgentStatus;
import dev.colony.agent.client.AgentHandle.ForkReply;
import dev.colony.agent.client.AgentView.PendingApproval;
import dev.colony.agent.client.HistoryPage;
import dev.colony.agent.client.HistoryPage.HistoryPosition;
import dev.colony.agent.client.HistoryPage.StateAt;
import dev.colony.agent.client.StepView;
import dev.colony.blackboard.Scope;
import dev.colony.client.wire.RequestBody;
import dev.colony.client.wire.WireJson;
import dev.colony.client.wire.WireJson.PendingApprovals;
import dev.colony.client.wire.WireJson.RunAttempt;
import dev.colony.client.wire.WireJson.SuspendedScopes;
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
    handlers.on("listTenantAgents", this::list);
    handlers.on("listColonyApprovals", this::asked);
    handlers.on("listTenantApprovals", this::asked);
    handlers.on("spawnAgent", this::spawn);
    handlers.on("getAgent", this::show);
    handlers.on("getStatus", this::status);
    handlers.on("listApprovals", this::pending);
    handlers.on("suspendAgent", this::suspend);
    suspended(handlers, "Tenant", call -> Scope.tenant(call.tenant()));
    suspended(handlers, "Colony", call -> Scope.colony(call.tenant(), call.path("colony")));
    suspended(handlers, "Tree", this::tree);
    handlers.on(
        "listSuspensions",
        call ->
            ApiResponse.ok(
                new SuspendedScopes(join(sources.colony().suspensions().list(call.tenant())))));
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

  /** How scopes of a kind are suspended and resumed. */
  private void suspended(Handlers handlers, String kind, Function<Call, Scope> scope) {
    handlers.on(
        "suspend" + kind,
        call -> {
          String reason = call.signed(call.body(RequestBody.ForReason.class).reason());
          join(sources.colony().suspensions().suspend(scope.apply(call), reason));
          return new ApiResponse.Stored();
        });
    handlers.on(
        "resume" + kind,
        call -> {
          call.body(RequestBody.ForReason.class);
          join(sources.colony().suspensions().resume(scope.apply(call)));
          return new ApiResponse.Stored();
        });
  }

  private Scope tree(Call call) {
    if (join(handle(call).state()).isEmpty()) {
      throw new NotFoundException("there is no agent " + call.agent());
    }
    return call.agent().scope();
  }

  private ApiResponse list(Call call) {
    AgentFilter filter =
        new AgentFilter(
            call.query("prefix").orElse(""),
            call.query("policy"),
            call.constant("state", AgentState.class),
            call.query("cause"),
            call.flag("asking"));
    AgentsReader.Page<AgentSummary> page = page(call, filter, AgentSummary::of);
    return ApiResponse.ok(new AgentPage(page.found(), cursor(call, page)));
  }

  private ApiResponse asked(Call call) {
    AgentsReader.Page<List<PendingApproval>> page = page(call, ASKING, ShownAgent::pending);
    return ApiResponse.ok(
        new PendingApprovals(
            page.found().stream().flatMap(List::stream).toList(), cursor(call, page)));
  }

  /** Of the colony that the path names, or of all the tenant's where it names none. */
  private <T> AgentsReader.Page<T> page(
      Call call, AgentFilter filter, Function<ShownAgent, T> form) {
    String tenant = call.path("tenant");
    Optional<String> colony = Optional.ofNullable(call.names().get("colony"));
    Optional<AgentId> after =
        call.query("after")
            .map(place ->
                colony.isPresent() ? call.agent(place) : AgentId.parse(tenant + "/" + place));
    AgentsReader.PageSize size =
        new AgentsReader.PageSize(call.limit(PAGE, mostOfPage), mostOfPage);
    return sources.agents().list(Optional.of(tenant), colony, filter, size, after, form);
  }

  private static Optional<String> cursor(Call call, AgentsReader.Page<?> page) {
    boolean inColony = call.names().containsKey("colony");
    return page.next().map(id -> inColony ? id.name() : id.colony() + "/" + id.name());
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

  /** The past of agents, and those that begin with it. */
  record HistoryEndpoints(ApiSources sources, HttpSettings.Bounds bounds) {

    private static final int PAGE = 50;

    /** Entries that are read at once: what a page may hold beyond its bytes. */
    private static final int STRETCH = 8;

    void addTo(Handlers handlers) {
      handlers.on("getHistory", this::history);
      handlers.on("getPast", this::at);
      handlers.on("forkAgent", this::fork);
      handlers.on("rewindRun", this::rewind);
    }

    private ApiResponse rewind(Call call) {
      RequestBody.Rewind body = call.body(RequestBody.Rewind.class);
      if (join(handle(call).state()).isEmpty()) {
        throw new NotFoundException("there is no agent " + call.agent());
      }
      RunId run = new RunId(call.path("run"));
      int attempt = join(handle(call).rewind(run, body.step(), call.signed(body.reason())));
      return new ApiResponse.Json(
          202, WireJson.write(new RunAttempt(run, body.step(), attempt)), Map.of());
    }

    private ApiResponse history(Call call) {
      Optional<HistoryPosition> before = call.query("before").map(HistoryPosition::parse);
      int most = call.limit(PAGE, bounds.page());
      return ApiResponse.ok(page(handle(call), before, most));
    }

    /** Read bit by bit, since how large entries are is known only when they are there. */
    private HistoryPage page(AgentHandle agent, Optional<HistoryPosition> before, int most) {
      HistoryPage page = join(agent.history(before, Math.min(STRETCH, most)));
      long size = size(page);
      while (size < bounds.pageBytes()
          && page.entries().size() < most
          && page.older().isPresent()) {
        int more = Math.min(STRETCH, most - page.entries().size());
        HistoryPage older = join(agent.history(page.older(), more));
        page = page.joined(older);
        size += size(older);
      }
      return page;
    }

    /** As it is sent, about. */
    private static long size(HistoryPage page) {
      return WireJson.write(page).toString().length();
    }

    private ApiResponse at(Call call) {
      return ApiResponse.ok(join(handle(call).at(call.number("sequenceNr"))));
    }

    /** What becomes of it is an answer, also where there is no fork. */
    private ApiResponse fork(Call call) {
      RequestBody.Fork body = call.body(RequestBody.Fork.class);
      AgentId fork = call.agent(body.name());
      if (join(sources.colony().agent(fork).state()).isEmpty()
          && body.sequenceNr() > 0
          && join(handle(call).at(body.sequenceNr())) instanceof StateAt.Known known) {
        sources.trial().check("", fork, known.agent().blueprint());
      }
      ForkReply reply = join(handle(call).fork(body.sequenceNr(), body.name()));
      Map<String, String> headers =
          reply instanceof ForkReply.Forked forked
              ? Map.of("Location", AgentEndpoints.location(forked.agentId()))
              : Map.of();
      return new ApiResponse.Json(headers.isEmpty() ? 200 : 201, WireJson.write(reply), headers);
    }

    private AgentHandle handle(Call call) {
      return sources.colony().agent(call.agent());
    }
  }
}
